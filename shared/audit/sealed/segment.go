package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"governance.internal/shared/audit"
)

// The largest segment.
const (
	maxEntries = 1 << 14
	maxBytes   = 8 << 20
)

// Segment is the manifest of a run of entries that was sealed. Its JSON has these
// members in this order and no other spelling.
type Segment struct {
	Chain    string     `json:"chain"`
	First    uint64     `json:"first"`
	Last     uint64     `json:"last"`
	Bytes    int64      `json:"bytes"`     // of the lines, newlines included
	PrevHash audit.Hash `json:"prev_hash"` // of the entry before
	LastHash audit.Hash `json:"last_hash"`
	LastTime time.Time  `json:"last_time"` // RFC 3339, UTC
	SHA256   audit.Hash `json:"sha256"`    // of the lines
	Root     audit.Hash `json:"root"`      // of the tree of these entries, a subtree of the chain's
}

// newSegment is the manifest of lines that a verification with a tree found good.
func newSegment(chain string, from audit.Head, lines []byte, r audit.Report) Segment {
	return Segment{
		Chain:    chain,
		First:    from.Seq + 1,
		Last:     r.Head.Seq,
		Bytes:    int64(len(lines)),
		PrevHash: from.Hash,
		LastHash: r.Head.Hash,
		LastTime: r.Head.Time,
		SHA256:   sha256.Sum256(lines),
		Root:     *r.Root,
	}
}

var errManifest = errors.New("audit: not the manifest of a segment")

// ParseSegment reads a manifest. It accepts only the output of [Segment.Manifest].
func ParseSegment(manifest []byte) (Segment, error) {
	var s Segment
	if json.Unmarshal(manifest, &s) != nil || !bytes.Equal(s.Manifest(), manifest) {
		return Segment{}, errManifest
	}
	if audit.CheckChainName(s.Chain) != nil || !s.isAligned() {
		return Segment{}, errManifest
	}
	if s.Bytes < 1 || s.Bytes > maxBytes {
		return Segment{}, errManifest
	}
	return s, nil
}

// isAligned reports whether the number of entries is a power of two and the first one follows a
// multiple of it.
func (s Segment) isAligned() bool {
	if s.First == 0 || s.Last < s.First {
		return false
	}

	n := s.size()
	isPowerOfTwo := bits.OnesCount64(n) == 1
	return isPowerOfTwo && n <= maxEntries && (s.First-1)%n == 0
}

// Manifest is the segment's JSON, nil if its time has none.
func (s Segment) Manifest() []byte {
	text, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return text
}

// Key is that of the object with the lines; the manifest is under ManifestKey.
func (s Segment) Key() string { return s.name() + ".jsonl" }

// ManifestKey is that of the object with the manifest.
func (s Segment) ManifestKey() string { return s.name() + ".json" }

func (s Segment) name() string {
	return fmt.Sprintf("%s/seg/%016d-%016d", s.Chain, s.First, s.Last)
}

func (s Segment) size() uint64 {
	return s.Last - s.First + 1
}

// before is the head before the first entry.
func (s Segment) before() audit.Head {
	return audit.Head{Seq: s.First - 1, Hash: s.PrevHash}
}

// end is the head after the last entry.
func (s Segment) end() audit.Head {
	return audit.Head{
		Seq:  s.Last,
		Hash: s.LastHash,
		Time: s.LastTime,
	}
}
