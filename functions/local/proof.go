package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/note"

	"governance.internal/shared/audit"
)

// proofMost is more than the longest proof and checkpoint take.
const proofMost = 64 << 10

// verifyProof checks that an entry is in a chain, with neither the chain nor a
// connection: the proof that a bought verification hands out with seq, the key that
// signed its checkpoint, and the hash of the entry.
func verifyProof(t terminal, args []string) error {
	set := flags(t, "verify proof", "verify proof FILE -vkey KEY -entry HASH")
	vkey := set.String("vkey", "", "verifier `key` that must have signed the checkpoint in it")
	entry := set.String("entry", "", "`hash` of the entry, 64 hex digits, as in its line and in receipts")
	files, err := parse(set, args)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return usage("verify proof needs the file with the proof: the member inclusion of a verification bought with ?seq=")
	}

	key, err := verifierKey(*vkey)
	if err != nil {
		return exit{2, err}
	}

	hash, err := audit.ParseHash(*entry)
	if err != nil {
		return usage("-entry is not a hash of 64 hex digits")
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
		return refuted(t, files[0], err)
	}

	fmt.Fprintf(t.out, "%s: valid\n  entry %d is in the chain of %d entries that %s signed\n",
		files[0], proof.Seq, c.Size, key.Name())
	return nil
}

func verifierKey(text string) (note.Verifier, error) {
	key, err := note.NewVerifier(text)
	if err != nil {
		return nil, errors.New("-vkey is not a verifier key such as host/chain+1a2b3c4d+BASE64")
	}
	return key, nil
}
