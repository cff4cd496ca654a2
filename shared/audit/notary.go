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

// Notary signs the checkpoints of one chain with an Ed25519 key and verifies them.
// The name of the key is the chain's origin.
type Notary struct {
	Origin string
	Key    string // that checks its signatures: a verifier key of signed notes

	signer note.Signer
	keys   note.Verifiers
}

// LoadOrCreateNotary reads a key file, a signer key of signed notes, or makes one
// for the origin that only its owner can read. A chain keeps its first
// origin, also when its service moves: published checkpoints name it.
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

		return parseNotary(secret)
	}

	if err != nil {
		return nil, err
	}
	n, err := parseNotary(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}

	return n, nil
}

// parseNotary never quotes the secret.
func parseNotary(secret string) (*Notary, error) {
	parts := strings.SplitN(secret, "+", 5)
	raw, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil ||
		len(parts) != 5 ||
		parts[0] != "PRIVATE" ||
		parts[1] != "KEY" ||
		len(raw) != 1+ed25519.SeedSize {
		return nil, errors.New("not an Ed25519 signer key of signed notes")
	}

	key := ed25519.NewKeyFromSeed(raw[1:])
	public, _ := key.Public().(ed25519.PublicKey) // it is nothing else
	return NewNotary(parts[2], public, func(message []byte) ([]byte, error) {
		return ed25519.Sign(key, message), nil
	})
}

// NewNotary makes the notary of an origin from an Ed25519 key that something else
// keeps: sign returns the 64 bytes of the signature (RFC 8032, not pre-hashed).
func NewNotary(origin string, public ed25519.PublicKey, sign func(message []byte) ([]byte, error)) (*Notary, error) {
	key, err := note.NewEd25519VerifierKey(origin, public)
	if err != nil {
		return nil, err
	}

	verifier, err := note.NewVerifier(key)
	if err != nil {
		return nil, err
	}

	return &Notary{
		Origin: origin,
		Key:    key,
		signer: noteSigner{verifier, sign},
		keys:   note.VerifierList(verifier),
	}, nil
}

// noteSigner is a [note.Signer] of the key that a verifier checks.
type noteSigner struct {
	note.Verifier
	sign func([]byte) ([]byte, error)
}

func (s noteSigner) Sign(message []byte) ([]byte, error) {
	return s.sign(message)
}

// Sign signs the checkpoint of a chain that a verification with a tree found valid.
func (n *Notary) Sign(r Report) ([]byte, error) {
	if !r.Valid || r.Head == nil || r.Root == nil {
		return nil, errors.New("audit: no checkpoint without a valid chain and its tree")
	}
	return Checkpoint{
		Origin: n.Origin,
		Size:   r.Head.Seq,
		Root:   *r.Root,
	}.Sign(n.signer)
}

// SignStatement signs a text of another kind than a checkpoint. The kind is in
// its first line, after the origin, so that a statement is never taken for a
// checkpoint.
func (n *Notary) SignStatement(kind string, text []byte) ([]byte, error) {
	statement := &note.Note{
		Text: n.statementLine(kind) + string(text) + "\n",
	}
	return note.Sign(statement, n.signer)
}

// statementLine returns the first line of a statement.
func (n *Notary) statementLine(kind string) string {
	return n.Origin + "/" + kind + "\n"
}

// OpenStatement returns the text of a statement that this notary signed.
func (n *Notary) OpenStatement(kind string, signed []byte) ([]byte, error) {
	opened, err := note.Open(signed, n.keys)
	if err != nil {
		return nil, fmt.Errorf("audit: statement: %w", err)
	}

	text, ok := strings.CutPrefix(opened.Text, n.statementLine(kind))
	if !ok {
		return nil, fmt.Errorf("audit: not a statement of the kind %s of %q", kind, n.Origin)
	}
	return []byte(strings.TrimSuffix(text, "\n")), nil
}

// Open reads a checkpoint that this notary signed.
func (n *Notary) Open(signed []byte) (Checkpoint, error) {
	return OpenCheckpoint(signed, n.Origin, n.keys)
}
