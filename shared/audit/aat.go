package audit

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// aatExporter writes records of draft-sharif-agent-audit-trail, an individual
// Internet-Draft without a working group. The mapping follows secondary sources on its
// revisions 00 to 06, not the text itself.
//
// A record is one line of canonical JSON, and prev_hash is the SHA-256 of the line
// before, so that sha256sum follows the chain:
//
//	record_id         a UUID of version 8 (RFC 9562) of the entry's hash
//	parent_record_id  the same of prev_hash; null for the genesis entry
//	timestamp         time
//	agent_id          actor
//	session_id        the name of the chain, which is what hashes link; "unknown" if
//	                  the export begins later
//	action_type       lifecycle for chain.*, otherwise tool_call
//	action_detail     event (session_start for the genesis entry), payload, and the
//	                  entry's event, hash, id and seq
//	outcome           outcome of the payload if it is a word of the draft, otherwise
//	                  success: an entry records an action that has happened
//	record_phase      post_execution: an entry is written when it is done
//	prev_hash         null for the first record of an export
//	agent_version     "unknown": no entry says it
//	trust_level       L0, the lowest: no entry says it
//
// Required members without a known value are listed in action_detail.unknown.
type aatExporter struct {
	from    follower
	session string
	before  Hash // of the record before
	record  []byte
}

// aatOutcomes are the words that the draft knows.
var aatOutcomes = []string{"success", "failure", "timeout", "denied", "escalated"}

func (a *aatExporter) begin(*bufio.Writer) {}

func (a *aatExporter) entry(w *bufio.Writer, line []byte) (Reason, error) {
	e, reason := a.from.read(line)
	if reason != "" {
		return reason, nil
	}
	if e.Seq == 1 {
		a.session = ChainName(e)
	}

	a.record = a.appendRecord(a.record[:0], e)
	a.before = sha256.Sum256(a.record)
	w.Write(a.record) // the next write returns the error again

	return "", w.WriteByte('\n')
}

// appendRecord appends the record with its members sorted, as JCS wants.
func (a *aatExporter) appendRecord(b []byte, e Entry) []byte {
	unknown := `["agent_version","trust_level"]`
	outcome := "success"
	var payload struct{ Outcome string }
	if json.Unmarshal(e.Payload, &payload) == nil && slices.Contains(aatOutcomes, payload.Outcome) {
		outcome = payload.Outcome
	} else {
		unknown = `["agent_version","outcome","trust_level"]`
	}

	event := e.Event
	kind := "tool_call"
	if e.Seq == 1 {
		event = "session_start"
	}
	if strings.HasPrefix(e.Event, "chain.") {
		kind = "lifecycle"
	}

	b = append(b, `{"action_detail":{"entry":{"event":`...)
	b = appendText(b, e.Event)
	b = append(b, `,"hash":"`...)
	b = hex.AppendEncode(b, e.Hash[:])
	b = append(b, `","id":`...)
	b = appendText(b, e.ID)
	b = append(b, `,"seq":`...)
	b = strconv.AppendUint(b, e.Seq, 10)
	b = append(b, `},"event":`...)
	b = appendText(b, event)
	b = append(b, `,"payload":`...)
	b = append(b, e.Payload...)
	b = append(b, `,"unknown":`...)
	b = append(b, unknown...)

	b = append(b, `},"action_type":`...)
	b = appendText(b, kind)
	b = append(b, `,"agent_id":`...)
	b = appendText(b, e.Actor)
	b = append(b, `,"agent_version":"unknown","outcome":`...)
	b = appendText(b, outcome)
	b = append(b, `,"parent_record_id":`...)
	b = appendUUID(b, e.PrevHash)
	b = append(b, `,"prev_hash":`...)
	b = appendDigits(b, a.before)
	b = append(b, `,"record_id":`...)
	b = appendUUID(b, e.Hash)
	b = append(b, `,"record_phase":"post_execution","session_id":`...)
	b = appendText(b, cmp.Or(a.session, "unknown"))
	b = append(b, `,"timestamp":"`...)
	b = e.Time.AppendFormat(b, timeLayout)
	return append(b, `","trust_level":"L0"}`...)
}

// appendDigits appends the digits of a hash in quotes, null for the zero hash.
func appendDigits(b []byte, h Hash) []byte {
	if h.IsZero() {
		return append(b, "null"...)
	}

	b = append(b, '"')
	b = hex.AppendEncode(b, h[:])
	return append(b, '"')
}

// appendUUID appends a UUID of version 8 (RFC 9562 section 5.8): the first 16 bytes
// of a hash, with version and variant written over six of their bits; null for the
// zero hash.
func appendUUID(b []byte, h Hash) []byte {
	if h.IsZero() {
		return append(b, "null"...)
	}
	h[6] = h[6]&0x0F | 0x80
	h[8] = h[8]&0x3F | 0x80
	b = append(b, '"')
	for i, part := range [][]byte{h[:4], h[4:6], h[6:8], h[8:10], h[10:16]} {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, part)
	}
	return append(b, '"')
}
