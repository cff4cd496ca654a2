package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
)

// walker checks lines in sequence. It is the verifier; the other types feed it and
// report its findings.
type walker struct {
	opts  *VerifyOptions
	began place  // where it was when it began
	seq   uint64 // of the last accepted entry, 0 at the beginning
	chain string // from the genesis entry
	bytes uint64 // of the accepted lines, newlines included

	// due is what the next line must have before its time:
	// `,"prev_hash":"<recomputed hash>","seq":<seq+1>`.
	due    []byte
	dueBuf [len(prevMember) + hexLen + len(seqMember) + maxSeqDigits + 1]byte

	digest hash.Hash
	sum    Hash // of the last accepted entry

	time, firstTime [timeLen]byte // of the last and first accepted entry; zero at the beginning
	late            lateness
	met             []meeting // anchors that were reached
	nextAnchor      uint64    // the lowest anchor size beyond seq, 0 if none
	watched         bool      // whether there are anchors without a size
	tree            Tree      // of the accepted entries, if opts.Tree
	rooted          bool      // an anchor with a root was met, but the tree does not begin with entry 1

	reason Reason // why the line after seq was refused
}

var closingBrace = []byte("}")

// place is a place in a chain: after the entry seq, which has the given hash.
type place struct {
	seq  uint64
	hash [hexLen]byte // digits
}

// beginning is the place before the genesis entry.
var beginning = place{hash: zeroHash}

func placeOf(h Head) (at place) {
	at.seq = h.Seq
	hex.Encode(at.hash[:], h.Hash[:])
	return at
}

// lateness counts entries that are dated before their predecessor.
type lateness struct{ first, count uint64 }

// meeting is the result of comparing with opts.Anchors[anchor].
type meeting struct {
	anchor int
	seq    uint64
	match  bool
}

// begin resets the walker to a place. It reuses what it allocated before.
func (w *walker) begin(opts *VerifyOptions, at place) {
	*w = walker{
		opts:   opts,
		began:  at,
		seq:    at.seq,
		digest: w.digest,
		met:    w.met[:0],
		tree:   w.tree,
	}
	if w.digest == nil {
		w.digest = sha256.New()
	}

	for _, a := range opts.Anchors {
		if a.Size == 0 {
			w.watched = true
		}
	}

	w.due = append(append(append(w.dueBuf[:0], prevMember...), at.hash[:]...), seqMember...)
	w.due = strconv.AppendUint(w.due, at.seq+1, 10)
	w.tree.begin(at.seq)
	w.findAnchor()
}

// hash returns the digits of the hash of the last accepted entry.
func (w *walker) hash() *[hexLen]byte {
	return (*[hexLen]byte)(w.due[len(prevMember):])
}

// walk checks complete lines and returns what follows the last accepted one,
// which is nothing unless it set w.reason.
func (w *walker) walk(buf []byte) (rest []byte) {
	for len(buf) > 0 {
		n := bytes.IndexByte(buf, '\n')
		if !w.quick(buf[:n]) && !w.slow(buf[:n]) {
			return buf
		}
		w.bytes += uint64(n) + 1
		buf = buf[n+1:]
	}
	return nil
}

// quick accepts a line if it is the one that is due. A line it does not accept
// goes to slow, which finds the reason.
//
// This is the hot loop; it may cost a sixth of SHA-256. It compares the fixed-width
// end of the line with what is due instead of parsing it. It compares hashes as
// digits, so that the matching digits can be copied to the prev_hash that is due
// next. A second Write for the closing brace costs less than a write into the line,
// which belongs to the caller.
func (w *walker) quick(line []byte) bool {
	tail := len(line) - seqEnd
	start := tail - len(w.due)
	if start <= len(actorMember) || len(line) > MaxLine || w.seq == 0 {
		return false
	}

	brace := len(line) - hashWidth
	time := line[len(line)-timeAt:][:timeLen]
	if string(line[start:tail]) != string(w.due) ||
		string(line[tail:][:len(timeMember)]) != timeMember ||
		string(line[brace-1:][:len(hashMember)]) != hashMember ||
		string(line[len(line)-len(lineEnd):]) != lineEnd ||
		string(line[:len(actorMember)]) != actorMember ||
		line[start-1] != '}' ||
		!timeShape(time) {
		return false
	}

	if w.opts.Strict {
		if _, ok := checkPrefix(line, start); !ok || !validTime(time) {
			return false
		}
	}

	w.digest.Reset()
	w.digest.Write(line[:brace])
	w.digest.Write(closingBrace)
	w.digest.Sum(w.sum[:0])
	digits := (*[hexLen]byte)(line[brace+len(hashMember)-1:])
	if !isHexOf(digits, (*[32]byte)(&w.sum)) {
		return false
	}

	w.accept(digits, time)
	return true
}

// slow examines a line in full. It accepts the genesis entry and finds the reason
// why any other line is refused.
func (w *walker) slow(line []byte) bool {
	head := Head{Seq: w.seq, Hash: parseHex(w.hash()[:])}
	e, reason := head.Check(line)
	if reason == "" && e.Seq == 1 {
		w.chain = ChainName(e)
		if w.opts.Chain != "" && w.opts.Chain != w.chain {
			w.chain = ""
			reason = GenesisMismatch
		}
	}

	if reason != "" {
		w.reason = reason
		return false
	}

	w.sum = e.Hash
	w.accept((*[hexLen]byte)(line[len(line)-hexLen-len(lineEnd):]), line[len(line)-timeAt:][:timeLen])
	return true
}

// accept moves the walker on to the next entry, whose hash is in sum.
func (w *walker) accept(hash *[hexLen]byte, time []byte) {
	*w.hash() = *hash
	w.seq++
	w.countDue()
	if string(time) < string(w.time[:]) {
		w.late.add(w.seq)
	}
	if w.firstTime[0] == 0 {
		copy(w.firstTime[:], time)
	}

	copy(w.time[:], time)
	if w.opts.Tree {
		w.tree.Append(w.sum)
	}
	if w.seq == w.nextAnchor || w.watched {
		w.meet(hash)
	}
}

// countDue adds one to the decimal digits at the end of due.
func (w *walker) countDue() {
	const first = len(prevMember) + hexLen + len(seqMember)
	for i := len(w.due) - 1; i >= first; i-- {
		if w.due[i] != '9' {
			w.due[i]++
			return
		}
		w.due[i] = '0'
	}

	w.due = strconv.AppendUint(w.due[:first], w.seq+1, 10)
}

// meet compares the accepted entry with the anchors for its seq and with those
// that name only a hash.
func (w *walker) meet(hash *[hexLen]byte) {
	for i := range w.opts.Anchors {
		a := &w.opts.Anchors[i]
		if a.Size != w.seq && a.Size != 0 {
			continue
		}

		match := isHexOf(hash, (*[32]byte)(&a.Hash))
		if a.Size == w.seq || match {
			w.compare(i, match)
		}
	}

	if w.seq == w.nextAnchor {
		w.findAnchor()
	}
}

// compare records the result for an anchor of this entry, whose hash matches or not.
func (w *walker) compare(anchor int, match bool) {
	a := &w.opts.Anchors[anchor]
	if a.Hash.IsZero() {
		match = true
	}

	if !a.Root.IsZero() {
		if w.tree.from > 0 {
			w.rooted = true
		}
		match = match && w.tree.Root() == a.Root
	}

	w.met = append(w.met, meeting{
		anchor: anchor,
		seq:    w.seq,
		match:  match,
	})
}

func (w *walker) findAnchor() {
	w.nextAnchor = 0
	for _, a := range w.opts.Anchors {
		if a.Size > w.seq && (w.nextAnchor == 0 || a.Size < w.nextAnchor) {
			w.nextAnchor = a.Size
		}
	}
}

// join adds the findings of next, if next began where w stands, refused no line and
// needed no root of a tree that began before it. It reports whether it did.
func (w *walker) join(next *walker) bool {
	if next.began.seq != w.seq ||
		next.began.hash != *w.hash() ||
		next.reason != "" ||
		next.rooted {
		return false
	}

	if string(next.firstTime[:]) < string(w.time[:]) {
		w.late.add(next.began.seq + 1)
	}

	w.late.count += next.late.count
	if w.late.first == 0 {
		w.late.first = next.late.first
	}
	if next.chain != "" {
		w.chain = next.chain
	}
	if w.firstTime[0] == 0 {
		w.firstTime = next.firstTime
	}

	*w.hash() = *next.hash()
	w.seq = next.seq
	w.bytes += next.bytes
	w.time = next.time
	w.due = strconv.AppendUint(w.due[:len(prevMember)+hexLen+len(seqMember)], w.seq+1, 10)
	w.met = append(w.met, next.met...)
	w.tree.join(&next.tree)
	w.findAnchor()
	return true
}

func (l *lateness) add(seq uint64) {
	l.count++
	if l.first == 0 {
		l.first = seq
	}
}
