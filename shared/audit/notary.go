package audit

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Notary signs the checkpoints of one chain with an Ed25519 key and knows its own
// again. The name of the key is the chain's origin.
type Notary struct {
	Origin string
	Key    string // that checks its signatures: a verifier key of signed notes

	signer note.Signer
	keys   note.Verifiers
}

// LoadOrCreateNotary reads a key file, a signer key of signed notes, or makes one
// for the origin that only its owner can read. A chain keeps the origin that it
// began with, wherever its service moves: checkpoints out there name it.
func LoadOrCreateNotary(path, origin string) (*Notary, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		secret, _, err := note.GenerateKey(rand.Reader, origin)
		if err != nil {
			return nil, err
		}
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, err
		}
		_, writeErr := file.WriteString(secret + "\n")
		if err := errors.Join(writeErr, file.Sync(), file.Close()); err != nil {
			return nil, err
		}
		return newNotary(secret)
	}
	if err != nil {
		return nil, err
	}
	n, err := newNotary(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// newNotary never quotes the secret.
func newNotary(secret string) (*Notary, error) {
	signer, err := note.NewSigner(secret)
	if err != nil {
		return nil, errors.New("not a signer key of signed notes")
	}
	key, err := verifierKey(secret)
	if err != nil {
		return nil, err
	}
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return nil, err
	}
	return &Notary{Origin: signer.Name(), Key: key, signer: signer, keys: note.VerifierList(verifier)}, nil
}

// Sign signs the checkpoint of a chain that a verification with a tree found valid.
func (n *Notary) Sign(r Report) ([]byte, error) {
	if !r.Valid || r.Head == nil || r.Root == nil {
		return nil, errors.New("audit: no checkpoint without a valid chain and its tree")
	}
	return Checkpoint{Origin: n.Origin, Size: r.Head.Seq, Root: *r.Root}.Sign(n.signer)
}

// Open reads a checkpoint that this notary signed.
func (n *Notary) Open(signed []byte) (Checkpoint, error) {
	return OpenCheckpoint(signed, n.Origin, n.keys)
}

// verifierKey derives the public half of a signer key, whose last part is base64
// of an algorithm byte and an Ed25519 seed.
func verifierKey(secret string) (string, error) {
	parts := strings.SplitN(secret, "+", 5)
	raw, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil || len(parts) != 5 || len(raw) != 1+ed25519.SeedSize {
		return "", errors.New("not an Ed25519 signer key of signed notes")
	}
	public, _ := ed25519.NewKeyFromSeed(raw[1:]).Public().(ed25519.PublicKey) // it is nothing else
	return note.NewEd25519VerifierKey(parts[2], public)
}
