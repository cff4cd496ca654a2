package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"golang.org/x/mod/sumdb/note"

	"governance.internal/shared/audit"
)

func verifyImportCommand(t terminal) *cobra.Command {
	var vkey, chain string
	var f *form
	c := command("import FILE", "Verify that a chain records a trail of the older format",
		examples("governance verify import audit-chain.json --vkey KEY", "in the chain of this machine"),
		func(ctx context.Context, files []string) error { return verifyImport(ctx, t, vkey, chain, files, f) })
	c.Flags().StringVar(&vkey, "vkey", "", "verifier `key` that must have signed the import")
	c.Flags().StringVar(&chain, "chain", "", "audit chain `file` that records it; default: the one of this machine")
	f = addForm(c)
	return c
}

// verifyImport checks that a chain records an older one: the file in the older
// format, the entry that holds its digest, and the key that signed the entry.
func verifyImport(ctx context.Context, t terminal, vkey, chain string, files []string, f *form) error {
	if len(files) != 1 {
		return usage("verify import needs the file of the old chain, such as audit-chain.json")
	}
	if isURL(chain) {
		return usage("--chain takes a file; get one with export %s", chain)
	}
	if chain == "" {
		chain, _ = oneSource("verify import", nil) // the default
	}

	key, err := verifierKey(vkey)
	if err != nil {
		return exit{2, err}
	}

	old, err := readLegacyFile(files[0])
	if err != nil {
		return exit{3, err}
	}

	report, err := verifySource(ctx, chain, nil)
	if err != nil {
		return exit{3, err}
	}

	if !report.Valid {
		return f.refuted(
			t,
			chain,
			fmt.Errorf("the chain is broken at entry %d: %s", *report.BrokenAt, report.Reason),
		)
	}

	seq, err := findImport(chain, report.LastGoodSeq, old, key)
	if err != nil {
		return f.refuted(t, files[0], err)
	}

	if f.isJSON() {
		facts := map[string]any{
			"entry":      seq,
			"chain":      chain,
			"signed_by":  key.Name(),
			"records":    old.Records,
			"found":      legacyVerdict(old),
			"not_proved": audit.LegacyUnproven,
		}
		return printJSON(t, verdict{File: files[0], Valid: true, Facts: facts})
	}

	fmt.Fprintf(t.out, "%s: valid\n  entry %d of %s records it, signed by %s: %d records, %s\nits format cannot prove:\n",
		files[0], seq, chain, key.Name(), old.Records, legacyVerdict(old))
	for _, what := range audit.LegacyUnproven {
		fmt.Fprintf(t.out, "  %s\n", what)
	}

	return nil
}

// findImport finds the entry that records a file.
func findImport(chain string, last uint64, old audit.Legacy, key note.Verifier) (found uint64, err error) {
	why := errors.New("no entry of the chain records this file")
	readErr := eachLine(chain, last, audit.EventImported, func(seq uint64, line []byte) {
		e, err := audit.ParseEntry(line)
		if err != nil || e.Event != audit.EventImported || found > 0 {
			return
		}
		said, err := audit.CheckImport(e, key.Name(), note.VerifierList(key))
		switch {
		case err != nil:
			why = fmt.Errorf("entry %d: %w", seq, err)
		case said == old:
			found = seq
		}
	})
	if found > 0 || readErr != nil {
		return found, readErr
	}

	return 0, why
}
