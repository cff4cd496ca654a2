package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"golang.org/x/mod/sumdb/note"

	"governance.internal/shared/audit"
)

// proofMost is above the size of the longest proof and checkpoint.
const proofMost = 64 << 10

func proofCommand(t terminal) *cobra.Command {
	var vkey, entry string
	var f *form
	c := command("proof FILE", "Verify that an entry is in a chain, with neither the chain nor a connection",
		examples("governance verify proof proof.txt --vkey KEY --entry HASH", "a proof of a bought verification"),
		func(_ context.Context, files []string) error { return verifyProof(t, vkey, entry, files, f) })
	c.Flags().StringVar(&vkey, "vkey", "", "verifier `key` that must have signed the checkpoint in it")
	c.Flags().StringVar(&entry, "entry", "", "`hash` of the entry, 64 hex digits, as in its line and in receipts")
	f = addForm(c)
	return c
}

// verifyProof checks that an entry is in a chain, with neither the chain nor a
// connection: the proof that a bought verification hands out with seq, the key that
// signed its checkpoint, and the hash of the entry.
func verifyProof(t terminal, vkey, entry string, files []string, f *form) error {
	if len(files) != 1 {
		return usage("verify proof needs the file with the proof: the member inclusion of a verification bought with ?seq=")
	}

	key, err := verifierKey(vkey)
	if err != nil {
		return exit{2, err}
	}

	hash, err := audit.ParseHash(entry)
	if err != nil {
		return usage("--entry is not a hash of 64 hex digits")
	}

	text, err := os.ReadFile(files[0])
	if err != nil {
		return exit{3, err}
	}

	var proof audit.Proof
	if len(text) > proofMost {
		return exit{3, fmt.Errorf("%s is too long for a proof", files[0])}
	}
	if err := proof.UnmarshalText(text); err != nil {
		return exit{3, fmt.Errorf("%s: %w", files[0], err)}
	}

	c, err := proof.Check(hash, key.Name(), note.VerifierList(key))
	if err != nil {
		return f.refuted(t, files[0], err)
	}

	if f.isJSON() {
		facts := map[string]any{"entry": proof.Seq, "entries": c.Size, "signed_by": key.Name()}
		return printJSON(t, verdict{File: files[0], Valid: true, Facts: facts})
	}

	fmt.Fprintf(t.out, "%s: valid\n  entry %d is in the chain of %d entries that %s signed\n",
		files[0], proof.Seq, c.Size, key.Name())
	return nil
}

func verifierKey(text string) (note.Verifier, error) {
	key, err := note.NewVerifier(text)
	if err != nil {
		return nil, errors.New("--vkey is not a verifier key such as host/chain+1a2b3c4d+BASE64")
	}
	return key, nil
}
