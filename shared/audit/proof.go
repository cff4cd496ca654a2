package audit

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Proof shows offline, without the chain, that the chain holds an entry (C2SP
// tlog-proof). Its files end in .tlog-proof.
type Proof struct {
	Seq        uint64 // of the entry
	Hashes     []Hash // from the leaf to the root
	Checkpoint []byte // signed note
}

const (
	proofHeader = "c2sp.org/tlog-proof@v1"
	maxHashes   = 63 // of the largest tree
)

// MarshalText returns the file.
func (p Proof) MarshalText() ([]byte, error) {
	if p.Seq == 0 {
		return nil, errors.New("audit: a proof of no entry")
	}

	var b bytes.Buffer
	b.WriteString(proofHeader)
	fmt.Fprintf(&b, "\nindex %d\n", p.Seq-1)
	for _, h := range p.Hashes {
		b.WriteString(base64.StdEncoding.EncodeToString(h[:]))
		b.WriteByte('\n')
	}

	b.WriteByte('\n')
	b.Write(p.Checkpoint)
	return b.Bytes(), nil
}

var errProof = errors.New("audit: not a proof file of " + proofHeader)

// UnmarshalText reads the file. It ignores the optional member extra.
func (p *Proof) UnmarshalText(text []byte) error {
	head, checkpoint, ok := strings.Cut(string(text), "\n\n")
	lines := strings.Split(head, "\n")
	if !ok || lines[0] != proofHeader {
		return errProof
	}

	lines = lines[1:]
	if len(lines) > 0 && strings.HasPrefix(lines[0], "extra ") {
		lines = lines[1:]
	}
	if len(lines) == 0 || len(lines) > 1+maxHashes {
		return errProof
	}

	digits, ok := strings.CutPrefix(lines[0], "index ")
	index, err := strconv.ParseUint(digits, 10, 63)
	if !ok || err != nil || digits != strconv.FormatUint(index, 10) {
		return errProof
	}

	read := Proof{Seq: index + 1, Checkpoint: []byte(checkpoint)}
	for _, line := range lines[1:] {
		hash, ok := parseBase64(line)
		if !ok {
			return errProof
		}
		read.Hashes = append(read.Hashes, hash)
	}

	*p = read
	return nil
}

// Check verifies that the chain of an origin holds the entry with this hash, as
// one of the keys has signed.
func (p Proof) Check(entry Hash, origin string, keys note.Verifiers) (Checkpoint, error) {
	c, err := OpenCheckpoint(p.Checkpoint, origin, keys)
	if err != nil {
		return Checkpoint{}, err
	}
	return c, CheckInclusion(p.Hashes, c, p.Seq, entry)
}
