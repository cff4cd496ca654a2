package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"governance.internal/shared/audit"
	auditfile "governance.internal/shared/audit/file"
	"governance.internal/shared/wiring"
)

func importCommand(t terminal) *cobra.Command {
	var data string
	var brokenOK bool
	c := command("import FILE", "Record an audit trail of the older format, a JSON array, in this one",
		examples("governance import audit-chain.json", "record it as one signed entry"),
		func(ctx context.Context, files []string) error { return importChain(ctx, t, data, brokenOK, files) })
	c.Flags().StringVar(&data, "data", defaultData, "`directory` of the audit chain and its key")
	c.Flags().BoolVar(&brokenOK, "broken-ok", false, "record a broken chain, too; its entry says where it breaks")
	return c
}

// importChain takes a chain in the older format, a JSON array, into the local
// chain: one signed entry that says what was found and holds the digest of the
// file. The service may run meanwhile.
func importChain(ctx context.Context, t terminal, data string, brokenOK bool, files []string) error {
	if len(files) != 1 {
		return usage("import needs the file of the old chain, such as audit-chain.json")
	}

	old, err := readLegacyFile(files[0])
	if err != nil {
		return exit{3, err}
	}

	fmt.Fprintf(t.out, "%s: %d records, %s\n", files[0], old.Records, legacyVerdict(old))
	switch {
	case old.Records == 0:
		return errors.New("the file holds no records")
	case old.BrokenAt > 0 && !brokenOK:
		return errors.New("the chain is broken; --broken-ok records it with the place where it breaks")
	}

	return recordImport(ctx, t, data, old)
}

func readLegacyFile(name string) (audit.Legacy, error) {
	file, err := os.Open(name)
	if err != nil {
		return audit.Legacy{}, err
	}
	defer file.Close()

	old, err := audit.ReadLegacy(file)
	if errors.Is(err, audit.ErrNotLegacy) {
		err = fmt.Errorf("%s: %w; a chain of JSON lines needs no import: put it into the data directory and run governance verify chain",
			name, err)
	}
	return old, err
}

func legacyVerdict(old audit.Legacy) string {
	if old.BrokenAt > 0 {
		return fmt.Sprintf("BROKEN at record %d by its own rule: %s", old.BrokenAt, old.Reason)
	}
	return "valid by its own rule, head " + old.Head.String()
}

// recordImport appends the entry, unless the same file was imported before.
func recordImport(ctx context.Context, t terminal, data string, old audit.Legacy) error {
	key := filepath.Join(data, "checkpoint.key")
	if _, err := os.Stat(key); errors.Is(err, fs.ErrNotExist) {
		return usage("%s is missing: start the service once with --data %s, which makes the key that signs the import",
			key, data)
	}

	notary, err := audit.LoadOrCreateNotary(key, "")
	if err != nil {
		return exit{3, err}
	}

	event, err := notary.Import(old)
	if err != nil {
		return err
	}

	chain, err := auditfile.Open(data, wiring.ChainName, auditfile.Options{})
	if err != nil {
		return exit{3, err}
	}
	defer chain.Close()

	before, err := chain.Head(ctx)
	if err != nil {
		return exit{3, err}
	}

	recorded, err := chain.Append(ctx, event)
	switch {
	case errors.Is(err, audit.ErrIDReused):
		fmt.Fprintln(t.out, "the same file was imported before, signed by another key; nothing was recorded")
		return nil
	case err != nil:
		return exit{3, err}
	case recorded[0].Seq <= before.Seq:
		fmt.Fprintf(t.out, "the same file was imported before, as entry %d; nothing was recorded\n",
			recorded[0].Seq)
		return nil
	}

	fmt.Fprintf(t.out, "recorded as entry %d, signed by %s\n", recorded[0].Seq, notary.Key)
	fmt.Fprintf(t.out, "keep the file: the entry holds its digest %s, not its records\nits format cannot prove:\n",
		old.SHA256)
	for _, what := range audit.LegacyUnproven {
		fmt.Fprintf(t.out, "  %s\n", what)
	}

	return nil
}
