package audit

import (
	"bytes"
	"context"
	"sync"
)

// session reads a stream and walks over it, with one goroutine or several.
//
// With several, each takes the next piece of the stream and walks over it on
// the guess that the piece follows the entry that its own first line names. In the
// order of the stream the walks are then joined: where the guess was right and
// nothing was wrong, the result is taken over; otherwise the piece is walked again
// from where the chain really stands. So what a report says never depends on the
// number of goroutines.
type session struct {
	ctx  context.Context
	opts *VerifyOptions

	mu     sync.Mutex
	turn   sync.Cond // signalled when joined changes
	src    source
	ended  bool
	err    error // of the source
	taken  int   // pieces
	joined int   // pieces

	walker  *walker // after the pieces joined
	entries uint64  // lines present in the pieces joined
}

func newSession(ctx context.Context, src source, at place, opts *VerifyOptions) *session {
	s := &session{ctx: ctx, opts: opts, src: src, walker: newWalker(opts, at)}
	s.turn.L = &s.mu
	return s
}

// run walks over the whole stream. Its error is that of reading.
func (s *session) run() error {
	var group sync.WaitGroup
	for range max(s.opts.Parallelism, 1) - 1 {
		group.Go(s.work)
	}
	s.work()
	group.Wait()
	return s.err
}

// work takes and walks pieces until there are no more.
func (s *session) work() {
	var buf []byte
	for {
		p, number, ok := s.take(&buf)
		if !ok {
			return
		}
		var guess *walker
		if s.opts.Parallelism > 1 {
			guess = s.guess(p.lines)
		}
		s.join(p, number, guess)
	}
}

// take takes the next piece and its number, false at the end of the stream.
func (s *session) take(buf *[]byte) (p piece, number int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return p, 0, false
	}
	s.err = s.ctx.Err()
	if s.err == nil {
		p, s.err = s.src.next(buf)
	}
	s.ended = p.last || s.err != nil
	s.taken++
	return p, s.taken - 1, s.err == nil
}

// guess walks over lines from where their first one claims to be. It returns nil
// if that line cannot be read.
func (s *session) guess(lines []byte) *walker {
	first, _, _ := bytes.Cut(lines, []byte("\n"))
	t, ok := splitTail(first)
	if !ok {
		return nil
	}
	w := newWalker(s.opts, place{t.seq - 1, [hexLen]byte(t.prev)})
	w.walk(lines)
	return w
}

// join waits for the turn of p and adds it to the result.
func (s *session) join(p piece, number int, guess *walker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.joined != number {
		s.turn.Wait()
	}
	s.joined++
	s.turn.Broadcast()
	if s.err != nil {
		return
	}
	before := s.walker.seq
	if s.walker.reason == "" && !(guess != nil && s.walker.join(guess)) {
		p.lines = s.walker.walk(p.lines)
	}
	s.entries += s.walker.seq - before
	if s.walker.reason != "" {
		s.entries += uint64(bytes.Count(p.lines, []byte("\n")))
	}
	s.endPiece(p)
}

// endPiece deals with a line without its newline.
func (s *session) endPiece(p piece) {
	if len(p.rest) == 0 {
		return
	}
	if s.walker.reason == "" {
		s.walker.reason = Malformed
	}
	if p.last {
		s.entries++ // else its newline is still to come and counts then
	}
}
