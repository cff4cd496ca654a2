package audit

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Legacy is the result of reading a file in the format before audit-chain/v1: one
// JSON array of records
//
//	{"id":1,"timestamp":"…","type":"…","detail":"…","hash":"<64 hex>","prev_hash":"<64 hex>"}
//
// whose hash is the SHA-256 of prev_hash and of timestamp, type and detail with a
// bar between them, as text. The first prev_hash is 64 zeros.
type Legacy struct {
	// Records counts those in the array, the bad ones and those after them included.
	Records uint64
	// BrokenAt is the place from 1 of the first record that fails, 0 if none does.
	BrokenAt uint64
	// Reason is Malformed, PrevMismatch or HashMismatch at BrokenAt.
	Reason Reason
	// Head is the hash that the last record declares, zero if it declares none.
	Head Hash
	// SHA256 is that of the whole file.
	SHA256 Hash
}

// LegacyUnproven lists what no check of such a file can show.
var LegacyUnproven = []string{
	"that nothing was removed from the end",
	"that the whole was not rewritten, because nothing in it is signed or kept elsewhere",
	"where the type of a record ends and its detail begins, for a bar may stand in both",
	"the ids, and members of other names, which no hash covers",
	"that no record was lost when two were written at once",
}

// maxLegacyRecord is how many bytes a record may have, with white space.
const maxLegacyRecord = 1 << 20

// ErrNotLegacy says that a file is not one JSON array of records.
var ErrNotLegacy = errors.New("not a JSON array of audit records")

// ReadLegacy checks a file by the rule of its own format, up to the first record
// that fails. It keeps one record in memory. Its errors are [ErrNotLegacy] and that
// of reading.
func ReadLegacy(r io.Reader) (Legacy, error) {
	digest := sha256.New()
	limited := &recordReader{r: io.TeeReader(r, digest), left: maxLegacyRecord}
	decoder := json.NewDecoder(limited)
	var l Legacy
	token, err := decoder.Token()
	if err != nil || token != json.Delim('[') {
		return l, limited.explain(err)
	}

	due := Hash{}
	for decoder.More() {
		limited.left = maxLegacyRecord
		var record map[string]json.RawMessage
		err := decoder.Decode(&record)
		_, other := errors.AsType[*json.UnmarshalTypeError](err)
		if err != nil && !other {
			return l, limited.explain(err)
		}
		l.add(record, due)

		due = l.Head
	}

	if _, err := decoder.Token(); err != nil { // the closing bracket
		return l, limited.explain(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return l, limited.explain(err)
	}

	l.SHA256 = Hash(digest.Sum(nil))
	return l, nil
}

// add checks the next record, whose prev_hash should be due.
func (l *Legacy) add(record map[string]json.RawMessage, due Hash) {
	l.Records++
	hash, hashErr := ParseHash(legacyText(record, "hash"))
	l.Head = hash
	if l.BrokenAt > 0 {
		return
	}

	for _, name := range []string{"timestamp", "type", "detail", "hash", "prev_hash"} {
		if text := record[name]; len(text) == 0 || text[0] != '"' {
			l.BrokenAt = l.Records
			l.Reason = Malformed
			return
		}
	}

	prev := legacyText(record, "prev_hash")
	sum := sha256.Sum256([]byte(prev + legacyText(record, "timestamp") + "|" + legacyText(record, "type") + "|" + legacyText(record, "detail")))
	switch {
	case prev != due.String():
		l.BrokenAt = l.Records
		l.Reason = PrevMismatch
	case hashErr != nil || hash != sum:
		l.BrokenAt = l.Records
		l.Reason = HashMismatch
	}
}

// legacyText reads a member with exactly this name, "" if it is no text. Decoding
// into a struct would take members whose names differ in case.
func legacyText(record map[string]json.RawMessage, name string) (text string) {
	_ = json.Unmarshal(record[name], &text) // anything else leaves it empty
	return text
}

// recordReader fails when a record does not end within the bytes left.
type recordReader struct {
	r      io.Reader
	left   int
	failed error // of r
}

var errLegacyRecord = fmt.Errorf("a record has more than %d bytes: %w", maxLegacyRecord, ErrNotLegacy)

func (r *recordReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errLegacyRecord
	}
	n, err := r.r.Read(p[:min(len(p), r.left)])
	r.left -= n
	if err != nil && !errors.Is(err, io.EOF) {
		r.failed = err
	}
	return n, err
}

// explain distinguishes a read error from an error of the content.
func (r *recordReader) explain(err error) error {
	switch {
	case r.failed != nil:
		return fmt.Errorf("audit: reading the old chain: %w", r.failed)
	case errors.Is(err, errLegacyRecord):
		return fmt.Errorf("audit: %w", err)
	}
	return fmt.Errorf("audit: %w", ErrNotLegacy)
}
