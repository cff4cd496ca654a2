package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// Version names the line format. It is part of every genesis payload.
const Version = "audit-chain/v1"

// EventCreated is the event of the first entry of every chain.
const EventCreated = "chain.created"

// EventRecovered is the event of the entry that a store appends after it removed
// an incomplete last line, left by a crash.
const EventRecovered = "chain.recovered"

// System is the actor of entries that a store writes for itself.
const System = "system"

// Head is the end of a chain. The zero Head is the end of an empty chain.
type Head struct {
	Seq  uint64    `json:"seq"`
	Hash Hash      `json:"hash"`
	Time time.Time `json:"time"`
}

// MarshalJSON returns {"seq":N,"hash":"<64 hex>","time":"<30 bytes>"}, with the
// time as in a line.
func (h Head) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Seq  uint64 `json:"seq"`
		Hash Hash   `json:"hash"`
		Time string `json:"time"`
	}{h.Seq, h.Hash, h.Time.UTC().Format(timeLayout)})
}

// Next appends to dst the line, with its newline, that puts d after h, and
// returns that entry too. The time is now, or that of h if now is earlier.
func (h Head) Next(dst []byte, d Draft, now time.Time) ([]byte, Entry) {
	length := len(d.prefix)
	e := Entry{
		Seq:      h.Seq + 1,
		Time:     stamp(now, h.Time),
		ID:       d.event.ID,
		Actor:    d.event.Actor,
		Event:    d.event.Type,
		Payload:  json.RawMessage(d.prefix[d.payload:length:length]),
		PrevHash: h.Hash,
	}

	begin := len(dst)
	dst = append(dst, d.prefix...)
	dst = appendPlace(dst, e.PrevHash, e.Seq, e.Time)

	hashed := append(dst, lineEnd...)
	e.Hash = sha256.Sum256(hashed[begin:])

	dst = appendHash(dst, e.Hash)
	return append(dst, '\n'), e
}

// stamp returns the time of an entry after one with time prev.
func stamp(now, prev time.Time) time.Time {
	now = now.Round(0).UTC()
	if now.Before(prev) || now.Year() > 9999 {
		return prev
	}
	return now
}

// Check examines a line (without newline) that should follow h and returns its
// entry. If something is wrong it returns the reason instead, the first in the
// order that [Reason] documents; the name of the chain is not compared. The
// payload of the entry aliases the line.
func (h Head) Check(line []byte) (Entry, Reason) {
	e, err := ParseEntry(line)
	if err != nil {
		return Entry{}, misspelled(line)
	}

	switch {
	case e.Hash != HashLine(line):
		return Entry{}, HashMismatch
	case e.Seq <= h.Seq:
		return Entry{}, DuplicateSeq
	case e.Seq > h.Seq+1:
		return Entry{}, SeqGap
	case e.Seq > 1 && e.PrevHash != h.Hash:
		return Entry{}, PrevMismatch
	case e.Seq == 1 && !isGenesis(e):
		return Entry{}, GenesisMismatch
	}

	return e, ""
}

func isGenesis(e Entry) bool {
	return e.PrevHash.IsZero() && ChainName(e) != ""
}

// misspelled distinguishes a line that is readable but not canonical from one
// that is malformed.
func misspelled(line []byte) Reason {
	line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
	if len(line) > MaxLine {
		return Malformed
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return Noncanonical // a blank line
	}

	var members looseMembers
	if json.Unmarshal(line, &members) != nil || !members.complete() {
		return Malformed
	}
	return Noncanonical
}

// looseMembers are the members of an entry in any spelling.
type looseMembers struct {
	Actor, Event, ID *string
	Payload          map[string]json.RawMessage
	PrevHash         looseHash `json:"prev_hash"`
	Seq              uint64
	Time             time.Time
	Hash             looseHash
}

func (m *looseMembers) complete() bool {
	hasEvent := m.Actor != nil &&
		m.Event != nil &&
		m.ID != nil &&
		m.Payload != nil
	hasPlace := m.Seq != 0 && !m.Time.IsZero()
	hasHashes := bool(m.PrevHash && m.Hash)

	return hasEvent && hasPlace && hasHashes
}

// looseHash becomes true when it reads a hash in lower or upper case.
type looseHash bool

// UnmarshalText reads 64 hexadecimal digits.
func (l *looseHash) UnmarshalText(text []byte) error {
	*l = looseHash(isHex(bytes.ToLower(text)))
	return nil
}

// Genesis drafts the first entry of a chain. The name has 1 to 64 characters of
// a-z 0-9 . _ - and does not begin with a dot; origin says who keeps the chain,
// such as a base URL. The errors are those of [NewDraft] and of random.
func Genesis(chain, origin string, now time.Time, random io.Reader) (Draft, error) {
	if err := CheckChainName(chain); err != nil {
		return Draft{}, err
	}
	id, err := NewID(now, random)
	if err != nil {
		return Draft{}, err
	}

	return NewDraft(Event{
		ID:    id,
		Actor: System,
		Type:  EventCreated,
		Payload: map[string]any{
			"chain":   chain,
			"origin":  origin,
			"version": Version,
		},
	})
}

// ChainName returns the name of the chain that e, a genesis entry, begins, or ""
// if e is not the genesis of a chain in this format.
func ChainName(e Entry) string {
	var payload struct{ Chain, Version string }
	if e.Event != EventCreated || json.Unmarshal(e.Payload, &payload) != nil {
		return ""
	}
	if payload.Version != Version || !isChainName(payload.Chain) {
		return ""
	}
	return payload.Chain
}

// CheckChainName returns [ErrProfile] for a name that [Genesis] refuses.
func CheckChainName(name string) error {
	if !isChainName(name) {
		return fmt.Errorf("audit: chain name %q: want 1 to %d characters of a-z 0-9 . _ -, not a dot first: %w",
			name, maxChainName, ErrProfile)
	}
	return nil
}

const maxChainName = 64

func isChainName(name string) bool {
	if name == "" || len(name) > maxChainName || name[0] == '.' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}
