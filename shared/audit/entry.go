package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// Event is what a caller wants recorded.
type Event struct {
	// ID identifies the event for good: 1 to 128 characters of A-Z a-z 0-9 . _ : -,
	// made before the first attempt (see [NewID]) and used again for every retry.
	ID string
	// Actor says who did it: a payer's address, an MCP session, "system". 1 to 256
	// bytes of valid UTF-8.
	Actor string
	// Type says what was done: a dotted or upper-case name such as payment.settled,
	// 1 to 128 characters as in ID.
	Type string
	// Payload is any value that encoding/json marshals to an object of the profile
	// (see the package comment); nil means an empty object. A float64 passes if its
	// JSON text is an integer, as in values that encoding/json decoded.
	Payload any
}

// Entry is an event in its place in a chain.
type Entry struct {
	// Seq counts from 1.
	Seq uint64
	// Time is the writer's clock in UTC, to the nanosecond, never smaller than the
	// predecessor's.
	Time time.Time
	// ID, Actor and Event are the ID, Actor and Type of the [Event].
	ID, Actor, Event string
	// Payload is a canonical JSON object.
	Payload json.RawMessage
	// PrevHash is the Hash of the entry before, zero for the first.
	PrevHash Hash
	// Hash is the SHA-256 of the body of the line.
	Hash Hash
}

// Head returns the head of a chain that ends with e.
func (e Entry) Head() Head {
	return Head{Seq: e.Seq, Hash: e.Hash, Time: e.Time}
}

// AppendLine appends the line of e, without a newline, to dst. It writes the
// fields without validation; use [Head.Check] for that.
func (e Entry) AppendLine(dst []byte) []byte {
	dst = append(dst, actorMember...)
	dst = appendText(dst, e.Actor)
	dst = append(dst, eventMember...)
	dst = appendText(dst, e.Event)
	dst = append(dst, idMember...)
	dst = appendText(dst, e.ID)
	dst = append(dst, payloadMember...)
	dst = append(dst, e.Payload...)
	dst = appendPlace(dst, e.PrevHash, e.Seq, e.Time)
	return appendHash(dst, e.Hash)
}

// MarshalJSON returns the line of e.
func (e Entry) MarshalJSON() ([]byte, error) {
	return e.AppendLine(nil), nil
}

// appendPlace appends the members prev_hash, seq and time, without the quote that
// closes time.
func appendPlace(dst []byte, prev Hash, seq uint64, at time.Time) []byte {
	dst = append(dst, prevMember...)
	dst = hex.AppendEncode(dst, prev[:])
	dst = append(dst, seqMember...)
	dst = strconv.AppendUint(dst, seq, 10)
	dst = append(dst, timeMember...)
	return at.AppendFormat(dst, timeLayout)
}

// appendHash appends the hash member and the end of the line.
func appendHash(dst []byte, h Hash) []byte {
	dst = append(dst, hashMember...)
	dst = hex.AppendEncode(dst, h[:])
	return append(dst, lineEnd...)
}

// HashLine recomputes the hash of a line (without newline), whatever hash it
// declares. A line that is too short for one has the zero Hash.
func HashLine(line []byte) Hash {
	if len(line) < hashWidth {
		return Hash{}
	}
	return sha256.Sum256(append(bytes.Clone(line[:len(line)-hashWidth]), '}'))
}

// ParseEntry decodes a line (without newline). It refuses with [ErrProfile] or
// [ErrTooLarge] every line that is not spelled exactly as the format demands; it
// does not compare the hash, nor any link. The payload aliases the line.
func ParseEntry(line []byte) (Entry, error) {
	if len(line) > MaxLine {
		return Entry{}, fmt.Errorf("audit: line of %d bytes: %w", len(line), ErrTooLarge)
	}
	t, ok := splitTail(line)
	if !ok ||
		!isHex(t.prev) ||
		!isHex(t.hash) ||
		!validTime(t.time) {
		return Entry{}, fmt.Errorf("audit: the end of the line is not canonical: %w", ErrProfile)
	}

	parts, ok := checkPrefix(line, t.start)
	if !ok {
		return Entry{}, fmt.Errorf("audit: the line is not canonical: %w", ErrProfile)
	}

	actor, err := unquote(parts.actor)
	if err != nil {
		return Entry{}, err
	}

	return Entry{
		Seq:      t.seq,
		Time:     parseTime(t.time),
		ID:       string(parts.id),
		Actor:    actor,
		Event:    string(parts.event),
		Payload:  json.RawMessage(parts.payload),
		PrevHash: parseHex(t.prev),
		Hash:     parseHex(t.hash),
	}, nil
}

// Draft is a checked and encoded event that can take any place in any chain. A writer
// that retries on another head encodes it once.
type Draft struct {
	event   Event
	prefix  []byte // the line up to the prev_hash member
	payload int    // offset of the payload in prefix
}

// NewDraft checks and encodes an event. Its errors are [ErrProfile] and
// [ErrTooLarge], with a text that names the member but quotes no payload value.
func NewDraft(e Event) (Draft, error) {
	if !isToken(e.ID) {
		return Draft{}, fmt.Errorf("audit: id: want 1 to %d characters of A-Z a-z 0-9 . _ : -: %w",
			maxToken, ErrProfile)
	}

	if !isToken(e.Type) {
		return Draft{}, fmt.Errorf("audit: type: want 1 to %d characters of A-Z a-z 0-9 . _ : -: %w",
			maxToken, ErrProfile)
	}

	if len(e.Actor) == 0 ||
		len(e.Actor) > maxActor ||
		!utf8.ValidString(e.Actor) {
		return Draft{}, fmt.Errorf("audit: actor: want 1 to %d bytes of UTF-8: %w", maxActor, ErrProfile)
	}

	b := make([]byte, 0, 512)
	b = appendText(append(b, actorMember...), e.Actor)
	b = appendText(append(b, eventMember...), e.Type)
	b = appendText(append(b, idMember...), e.ID)
	b = append(b, payloadMember...)
	d := Draft{
		event: Event{
			ID:    e.ID,
			Actor: e.Actor,
			Type:  e.Type,
		},
		payload: len(b),
	}

	b, err := appendPayload(b, e.Payload)
	if err != nil {
		return Draft{}, fmt.Errorf("audit: %w", err)
	}
	if len(b)+maxTail > MaxLine {
		return Draft{}, fmt.Errorf("audit: payload of %d bytes: %w", len(b)-d.payload, ErrTooLarge)
	}

	d.prefix = b
	return d, nil
}

// NewDrafts drafts several events, all or none.
func NewDrafts(events []Event) ([]Draft, error) {
	drafts := make([]Draft, len(events))
	for i, e := range events {
		var err error
		if drafts[i], err = NewDraft(e); err != nil {
			return nil, err
		}
	}
	return drafts, nil
}

// Content returns the event as one canonical JSON object, {"actor":…,"event":…,
// "id":…,"payload":{…}}: what a store keeps of an event that has no place yet.
func (d Draft) Content() []byte {
	return append(bytes.Clone(d.prefix), '}')
}

// ParseDraft reads what [Draft.Content] returned. It refuses every other spelling
// with [ErrProfile] or [ErrTooLarge].
func ParseDraft(content []byte) (Draft, error) {
	n := len(content) - 1
	if n+maxTail > MaxLine {
		return Draft{}, fmt.Errorf("audit: event of %d bytes: %w", len(content), ErrTooLarge)
	}
	if n < 0 || content[n] != '}' {
		return Draft{}, fmt.Errorf("audit: the event is not canonical: %w", ErrProfile)
	}

	prefix := bytes.Clone(content[:n])
	parts, ok := checkPrefix(prefix, n)
	if !ok {
		return Draft{}, fmt.Errorf("audit: the event is not canonical: %w", ErrProfile)
	}

	actor, err := unquote(parts.actor)
	if err != nil {
		return Draft{}, err
	}

	e := Event{
		ID:    string(parts.id),
		Actor: actor,
		Type:  string(parts.event),
	}
	return Draft{
		event:   e,
		prefix:  prefix,
		payload: n - len(parts.payload),
	}, nil
}

// ID returns the id of the event.
func (d Draft) ID() string { return d.event.ID }

// Same reports whether a stored line records this very event: the same id, actor,
// type and payload, at any place in the chain.
func (d Draft) Same(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, d.prefix)
	return ok && bytes.HasPrefix(rest, []byte(prevMember))
}

// Equal reports whether d and other are the same event.
func (d Draft) Equal(other Draft) bool {
	return bytes.Equal(d.prefix, other.prefix)
}

// Size returns the number of bytes that the event adds to a chain, at most.
func (d Draft) Size() int {
	return len(d.prefix) + maxTail + 1
}
