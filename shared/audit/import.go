package audit

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"
)

// EventImported is the event of the entry that imports an older chain.
const EventImported = "chain.imported"

// legacyFormat names the older format in an entry.
const legacyFormat = "json-array"

// Import returns the event that imports an older chain into the notary's own. Its
// payload holds the findings, the digest of the file and the properties that its
// format cannot prove; its member note signs all of them. The same file has the same
// id, so that it is recorded once.
func (n *Notary) Import(l Legacy) (Event, error) {
	payload := l.statement()
	text, err := importText(n.Origin, payload)
	if err != nil {
		return Event{}, err
	}

	signed, err := note.Sign(&note.Note{Text: text}, n.signer)
	if err != nil {
		return Event{}, fmt.Errorf("audit: signing the import: %w", err)
	}

	payload["note"] = string(signed)
	return Event{
		ID:      importID(l),
		Actor:   System,
		Type:    EventImported,
		Payload: payload,
	}, nil
}

// importID is the id of the entry for a file: the same file makes it once.
func importID(l Legacy) string {
	return "import-" + hex.EncodeToString(l.SHA256[:])
}

// statement is the payload of an import without its signature.
func (l Legacy) statement() map[string]any {
	unproven := make([]any, len(LegacyUnproven))
	for i, text := range LegacyUnproven {
		unproven[i] = text
	}

	s := map[string]any{
		"format":    legacyFormat,
		"records":   int64(l.Records),
		"head":      l.Head.String(),
		"sha256":    l.SHA256.String(),
		"valid":     l.BrokenAt == 0,
		"broken_at": nil,
		"reason":    nil,
		"unproven":  unproven,
	}

	if l.BrokenAt > 0 {
		s["broken_at"], s["reason"] = int64(l.BrokenAt), string(l.Reason)
	}

	return s
}

// importText is the body of the note that signs an import. Its second line is no
// number, so it can never be taken for a checkpoint.
func importText(origin string, statement map[string]any) (string, error) {
	text, err := appendPayload([]byte(origin+"\n"+EventImported+"\n"), statement)
	return string(append(text, '\n')), err
}

// readStatement takes the note out of the payload of an import.
func readStatement(payload []byte) (signed string, statement map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.UseNumber()
	if err := decoder.Decode(&statement); err != nil {
		return "", nil, err
	}
	signed, _ = statement["note"].(string)
	delete(statement, "note")

	return signed, statement, nil
}

// CheckImport verifies that one of the keys signed an entry of a chain with this
// origin which takes an older chain in, and returns what it says of that.
func CheckImport(e Entry, origin string, keys note.Verifiers) (Legacy, error) {
	if e.Event != EventImported {
		return Legacy{}, fmt.Errorf("audit: entry %d is no %s", e.Seq, EventImported)
	}
	signed, statement, err := readStatement(e.Payload)
	if err != nil {
		return Legacy{}, fmt.Errorf("audit: import: %w", err)
	}

	opened, err := note.Open([]byte(signed), keys)
	if err != nil {
		return Legacy{}, fmt.Errorf("audit: import: %w", err)
	}
	if want, err := importText(origin, statement); err != nil || opened.Text != want {
		return Legacy{}, errors.New("audit: the note of the import signs something else than its entry says")
	}

	var l struct {
		Records uint64
		Broken  uint64 `json:"broken_at"`
		Reason  Reason
		Head    Hash
		SHA256  Hash
	}
	if err := json.Unmarshal(e.Payload, &l); err != nil {
		return Legacy{}, fmt.Errorf("audit: import: %w", err)
	}

	return Legacy{
		Records:  l.Records,
		BrokenAt: l.Broken,
		Reason:   l.Reason,
		Head:     l.Head,
		SHA256:   l.SHA256,
	}, nil
}
