package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"golang.org/x/mod/sumdb/note"

	"governance.internal/shared/audit"
)

// keptMost is the maximum size of a bought verification, in bytes.
const keptMost = 1 << 20

// kept is the part of a bought verification that its buyer keeps.
type kept struct {
	Valid       *bool
	BrokenAt    *uint64 `json:"broken_at"`
	Reason      string
	Checkpoint  string
	Consistency *struct {
		From  uint64
		Proof []string
	}
}

// readKept reads a bought verification, or a file with nothing but its checkpoint.
func readKept(name string) (b kept, err error) {
	file, err := os.Open(name)
	if err != nil {
		return b, err
	}
	defer file.Close()

	text, err := io.ReadAll(io.LimitReader(file, keptMost+1))
	switch {
	case err != nil:
		return b, err
	case len(text) > keptMost:
		return b, fmt.Errorf("%s is too long for a bought verification", name)
	case !strings.HasPrefix(strings.TrimSpace(string(text)), "{"):
		return kept{Checkpoint: string(text)}, nil
	}

	if err := json.Unmarshal(text, &b); err != nil || b.Valid == nil {
		return b, fmt.Errorf("%s is neither a checkpoint nor a bought verification", name)
	}
	return b, nil
}

// open gives the checkpoint, which the key must have signed.
func (b kept) open(key note.Verifier) (audit.Checkpoint, error) {
	return audit.OpenCheckpoint([]byte(b.Checkpoint), key.Name(), note.VerifierList(key))
}

func consistencyCommand(t terminal) *cobra.Command {
	var vkey string
	var f *form
	c := command("consistency EARLIER LATER", "Verify that a later chain begins with an earlier one",
		examples("governance verify consistency monday.json friday.json --vkey KEY", "two bought verifications"),
		func(_ context.Context, files []string) error { return verifyConsistency(t, vkey, files, f) })
	c.Flags().StringVar(&vkey, "vkey", "", "verifier `key` that must have signed both checkpoints")
	f = addForm(c)
	return c
}

// verifyConsistency checks that the chain of one checkpoint begins with that of
// another, with neither the chain nor a connection. The owner of both files holds the
// evidence of a rollback.
func verifyConsistency(t terminal, vkey string, files []string, f *form) error {
	if len(files) != 2 {
		return usage("verify consistency takes two bought verifications, or their checkpoints, the earlier one first")
	}

	key, err := verifierKey(vkey)
	if err != nil {
		return exit{2, err}
	}

	first, err := readKept(files[0])
	if err != nil {
		return exit{3, err}
	}

	later, err := readKept(files[1])
	if err != nil {
		return exit{3, err}
	}

	old, err := first.open(key)
	if err != nil {
		return exit{3, fmt.Errorf("%s: %w", files[0], err)}
	}

	if later.Valid != nil && !*later.Valid && later.BrokenAt != nil {
		return f.refuted(
			t,
			files[1],
			fmt.Errorf("the service itself found the chain broken at entry %d: %s", *later.BrokenAt, later.Reason),
		)
	}

	now, err := later.open(key)
	if err != nil {
		return exit{3, fmt.Errorf("%s: %w", files[1], err)}
	}

	return printConsistency(t, first, later, old, now, f)
}

// printConsistency compares two checkpoints that the key signed.
func printConsistency(t terminal, first, later kept, old, now audit.Checkpoint, f *form) error {
	var proof []audit.Hash
	switch {
	case old.Size > now.Size:
		return usage("the first checkpoint is of %d entries and the second of %d; name the earlier one first",
			old.Size, now.Size)
	case old.Size == now.Size: // needs no proof
	case later.Consistency == nil || later.Consistency.From != old.Size:
		return usage("the second file holds no proof for %d entries; buy it with GET /x402/verify-audit?checkpoint=%s",
			old.Size, base64.URLEncoding.EncodeToString([]byte(first.Checkpoint)))
	default:
		for _, text := range later.Consistency.Proof {
			raw, err := base64.StdEncoding.DecodeString(text)
			if err != nil || len(raw) != len(audit.Hash{}) {
				return exit{3, fmt.Errorf("the proof holds %q, which is not a hash in base64", text)}
			}
			proof = append(proof, audit.Hash(raw))
		}
	}

	if err := audit.CheckConsistency(proof, old, now); err != nil {
		if f.isJSON() {
			return f.refuted(t, "", err)
		}
		fmt.Fprintf(t.out, "INVALID: %v; keep both files\n", err)
		return exit{1, nil}
	}

	if f.isJSON() {
		facts := map[string]any{"earlier_entries": old.Size, "later_entries": now.Size, "signed_by": now.Origin}
		return printJSON(t, verdict{Valid: true, Facts: facts})
	}

	fmt.Fprintf(t.out, "valid\n  the chain of %d entries that %s signed begins with the %d entries of the earlier checkpoint\n",
		now.Size, now.Origin, old.Size)
	return nil
}
