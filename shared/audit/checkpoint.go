package audit

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Checkpoint is a statement of a chain's owner: the chain with this origin has had
// this tree. Signed, it is a note that a reader can keep and compare with the chain
// later (C2SP tlog-checkpoint).
type Checkpoint struct {
	Origin string // of the chain, without spaces at its ends and line breaks
	Size   uint64 // entries
	Root   Hash   // of [Tree]
}

// Text is the body of the note: origin, size in decimal, root in base64, a line
// each. There are no extension lines.
func (c Checkpoint) Text() string {
	return c.Origin + "\n" + strconv.FormatUint(c.Size, 10) + "\n" + base64.StdEncoding.EncodeToString(c.Root[:]) + "\n"
}

var errCheckpoint = errors.New("audit: not a checkpoint: origin, size and root, a line each")

// ParseCheckpoint reads the body of a note. Extension lines are refused,
// because nothing would check them.
func ParseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 ||
		lines[3] != "" ||
		lines[0] == "" ||
		lines[0] != strings.TrimSpace(lines[0]) {
		return Checkpoint{}, errCheckpoint
	}

	size, err := strconv.ParseUint(lines[1], 10, 63)
	if err != nil || lines[1] != strconv.FormatUint(size, 10) {
		return Checkpoint{}, errCheckpoint
	}

	root, ok := parseBase64(lines[2])
	if !ok {
		return Checkpoint{}, errCheckpoint
	}

	return Checkpoint{
		Origin: lines[0],
		Size:   size,
		Root:   root,
	}, nil
}

// parseBase64 reads a hash in its one spelling: the decoder by itself passes over
// carriage returns.
func parseBase64(text string) (h Hash, ok bool) {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	n := copy(h[:], raw)
	return h, err == nil &&
		n == len(raw) &&
		n == len(h) &&
		base64.StdEncoding.EncodeToString(raw) == text
}

// Sign makes the signed note.
func (c Checkpoint) Sign(signers ...note.Signer) ([]byte, error) {
	if parsed, err := ParseCheckpoint(c.Text()); err != nil || parsed != c {
		return nil, fmt.Errorf("audit: origin %q cannot stand in a checkpoint", c.Origin)
	}
	return note.Sign(&note.Note{Text: c.Text()}, signers...)
}

// OpenCheckpoint reads a signed note of a chain. At least one of the keys must
// have signed it, and it must name the origin.
func OpenCheckpoint(signed []byte, origin string, keys note.Verifiers) (Checkpoint, error) {
	opened, err := note.Open(signed, keys)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("audit: checkpoint: %w", err)
	}
	c, err := ParseCheckpoint(opened.Text)
	if err == nil && c.Origin != origin {
		err = fmt.Errorf("audit: the checkpoint is of %q, not of %q", c.Origin, origin)
	}
	return c, err
}
