package audit

import (
	"bytes"
	"encoding/hex"
	"time"
)

// The fixed parts of a line, in order. See the package comment.
const (
	actorMember   = `{"actor":`
	eventMember   = `,"event":`
	idMember      = `,"id":`
	payloadMember = `,"payload":`
	prevMember    = `,"prev_hash":"`
	seqMember     = `","seq":` // begins with the quote that closes prev_hash
	timeMember    = `,"time":"`
	hashMember    = `","hash":"` // begins with the quote that closes time
	lineEnd       = `"}`

	timeLayout = "2006-01-02T15:04:05.000000000Z"

	hexLen       = 64
	timeLen      = len(timeLayout)
	hashWidth    = len(hashMember) - 1 + hexLen + len(lineEnd) // 75: what the closing brace replaces
	timeAt       = hashWidth + 1 + timeLen                     // bytes from the start of the time text to the end
	seqEnd       = timeAt + len(timeMember)                    // bytes from the end of the seq digits to the end
	maxSeqDigits = 16                                          // 2^53-1 has 16 digits
	maxTail      = len(prevMember) + hexLen + len(seqMember) + maxSeqDigits + seqEnd
)

// MaxLine is the largest length of a line in bytes, without its newline. It is
// the entry limit of C2SP tlog-tiles.
const MaxLine = 65535

// zeroHash is the prev_hash of a genesis entry, as digits.
var zeroHash = [hexLen]byte(bytes.Repeat([]byte("0"), hexLen))

// tail is the fixed-width end of a line. The slices alias the line.
type tail struct {
	start            int // length of the line before the prev_hash member
	prev, time, hash []byte
	seq              uint64
}

// splitTail reads a line (without newline) from its end. It checks every fixed
// byte, the digits of seq and the lengths; it does not look at the contents of
// prev, time and hash, nor at anything before start.
func splitTail(line []byte) (t tail, ok bool) {
	n := len(line)
	if n < maxTail-maxSeqDigits+1 || n > MaxLine {
		return t, false
	}

	t.hash = line[n-len(lineEnd)-hexLen : n-len(lineEnd)]
	t.time = line[n-timeAt:][:timeLen]
	if string(line[n-len(lineEnd):]) != lineEnd ||
		string(line[n-hashWidth-1:][:len(hashMember)]) != hashMember ||
		string(line[n-seqEnd:][:len(timeMember)]) != timeMember {
		return t, false
	}

	end := n - seqEnd
	begin := end
	for scale := uint64(1); end-begin < maxSeqDigits && line[begin-1]-'0' <= 9; scale *= 10 {
		begin--
		t.seq += uint64(line[begin]-'0') * scale
	}

	t.start = begin - len(seqMember) - hexLen - len(prevMember)
	if begin == end ||
		line[begin] == '0' ||
		t.seq > maxInteger ||
		t.start < 0 {
		return t, false
	}

	t.prev = line[t.start+len(prevMember):][:hexLen]
	return t, string(line[t.start:][:len(prevMember)]) == prevMember &&
		string(line[begin-len(seqMember):begin]) == seqMember
}

// Line is a stored line cut into the parts a store needs for its index. The
// slices alias the line; PrevHash and Hash are the 64 digits as written.
type Line struct {
	ID, PrevHash, Hash []byte
	Seq                uint64
}

// SplitLine cuts a line (without newline). It allocates nothing, and checks the
// fixed parts only: the line need not be canonical, nor its hash right. Use
// [Head.Check] for that.
func SplitLine(line []byte) (Line, bool) {
	t, ok := splitTail(line)
	if !ok {
		return Line{}, false
	}

	rest, ok := skipString(line[:t.start], actorMember)
	if !ok {
		return Line{}, false
	}
	if rest, ok = skipString(rest, eventMember); !ok {
		return Line{}, false
	}

	after, ok := skipString(rest, idMember)
	if !ok {
		return Line{}, false
	}

	id := rest[len(idMember)+1 : len(rest)-len(after)-1]
	return Line{
		ID:       id,
		Seq:      t.seq,
		PrevHash: t.prev,
		Hash:     t.hash,
	}, bytes.HasPrefix(after, []byte(payloadMember))
}

// skipString returns what follows a member with the given name and a string
// value at the beginning of b.
func skipString(b []byte, member string) ([]byte, bool) {
	if len(b) <= len(member) ||
		string(b[:len(member)]) != member ||
		b[len(member)] != '"' {
		return nil, false
	}

	b = b[len(member)+1:]
	for i := 0; ; i++ {
		next := bytes.IndexByte(b[i:], '"')
		if next < 0 {
			return nil, false
		}

		i += next
		slashes := 0
		for slashes < i && b[i-1-slashes] == '\\' {
			slashes++
		}

		if slashes%2 == 0 {
			return b[i+1:], true
		}
	}
}

// validTime reports whether text is a time as a line has it: 30 bytes, nine
// fraction digits, Z, and a date that exists.
func validTime(text []byte) bool {
	if len(text) != timeLen || !timeShape(text) {
		return false
	}

	two := func(i int) int { return int(text[i]-'0')*10 + int(text[i+1]-'0') }
	year := two(0)*100 + two(2)
	hour, minute, second := two(11), two(14), two(17)

	if hour > 23 || minute > 59 || second > 59 {
		return false
	}
	return validDate(year, two(5), two(8))
}

// validDate reports whether the calendar has a date.
func validDate(year, month, day int) bool {
	if year < 1 || month < 1 || month > 12 || day < 1 {
		return false
	}
	if day <= 28 {
		return true
	}

	// Day 0 of the next month is the last day of this one.
	lastDay := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return day <= lastDay
}

// parseTime reads a time that validTime accepted.
func parseTime(text []byte) time.Time {
	t, _ := time.Parse(timeLayout, string(text))
	return t
}

// parseHex reads 64 digits that isHex accepted.
func parseHex(text []byte) (h Hash) {
	hex.Decode(h[:], text)
	return h
}
