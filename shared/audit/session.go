package audit

import (
	"bytes"
	"context"
	"sync"
)

// session reads a stream and walks over it, with one goroutine or several. A single
// walking goroutine is fed by a second one that reads ahead.
//
// With several, each takes the next piece of the stream and walks over it,
// assuming that the piece follows the entry that its own first line names. The
// walks are then joined in the order of the stream: if the assumption was right and
// no line was refused, the result is kept; otherwise the piece is walked again from
// the end of the joined chain. So a report never depends on the number of
// goroutines.
//
// No goroutine waits for an earlier piece: the one that completes the earliest piece
// joins it and the completed pieces after it.
type session struct {
	ctx  context.Context
	opts *VerifyOptions

	mu     sync.Mutex
	room   sync.Cond // signalled when joined changes
	src    source
	ended  bool
	err    error  // of the source
	tasks  []task // piece n is in tasks[n%len(tasks)] until it is joined
	taken  int    // pieces
	joined int    // pieces

	walker  *walker // after the pieces joined
	entries uint64  // lines present in the pieces joined
}

// task is a piece on its way through a session.
type task struct {
	piece piece
	buf   []byte // for the source
	guess walker
	done  bool
}

// aheadOf is how many pieces a goroutine may be ahead of the earliest one.
const aheadOf = 4

func newSession(ctx context.Context, src source, at place, opts *VerifyOptions) *session {
	s := &session{
		ctx:    ctx,
		opts:   opts,
		src:    src,
		walker: new(walker),
		tasks:  make([]task, 2),
	}

	if opts.Parallelism > 1 {
		s.tasks = make([]task, aheadOf*opts.Parallelism)
	}

	if after := opts.After; after != nil {
		after.begin(s.walker, opts)
		s.entries = after.Head.Seq
	} else {
		s.walker.begin(opts, at)
	}

	s.room.L = &s.mu
	return s
}

// run walks over the whole stream. Its error is that of reading.
func (s *session) run() error {
	if s.opts.Parallelism <= 1 {
		s.walkAlone()
		return s.err
	}

	var group sync.WaitGroup
	for range s.opts.Parallelism - 1 {
		group.Go(s.work)
	}

	s.work()
	group.Wait()
	return s.err
}

// work takes and walks pieces until there are no more.
func (s *session) work() {
	for t := s.take(); t != nil; t = s.take() {
		t.walkOnGuess(s.opts)
		s.finish(t)
	}
}

// walkAlone walks over a piece while the next one is read.
func (s *session) walkAlone() {
	free := make(chan *task, len(s.tasks))
	read := make(chan *task)
	for i := range s.tasks {
		free <- &s.tasks[i]
	}

	go func() {
		defer close(read)
		for last := false; !last; {
			t := <-free
			if s.next(t); s.err != nil {
				return
			}
			last = t.piece.last
			read <- t
		}
	}()

	for t := range read {
		s.join(t)
		free <- t
	}
}

// next reads a piece.
func (s *session) next(t *task) {
	if s.err = s.ctx.Err(); s.err == nil {
		t.piece, s.err = s.src.next(&t.buf)
	}
}

// take takes the next piece, nil at the end of the stream.
func (s *session) take() *task {
	s.mu.Lock()
	defer s.mu.Unlock()

	for !s.ended && s.taken-s.joined == len(s.tasks) {
		s.room.Wait()
	}

	if s.ended {
		return nil
	}
	t := &s.tasks[s.taken%len(s.tasks)]
	s.next(t)
	s.ended = t.piece.last || s.err != nil
	if s.ended {
		s.room.Broadcast()
	}
	if s.err != nil {
		return nil
	}

	s.taken++
	t.done = false
	return t
}

// walkOnGuess walks over the piece from where its first line claims to be.
func (t *task) walkOnGuess(opts *VerifyOptions) {
	first, _, _ := bytes.Cut(t.piece.lines, []byte("\n"))
	at, ok := splitTail(first)
	if !ok {
		t.guess.reason = Malformed // joins nothing
		return
	}

	t.guess.begin(opts, place{at.seq - 1, [hexLen]byte(at.prev)})
	t.guess.walk(t.piece.lines)
}

// finish joins the pieces that are done, as far as none before them is missing.
func (s *session) finish(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()

	t.done = true
	for s.joined < s.taken {
		earliest := &s.tasks[s.joined%len(s.tasks)]
		if !earliest.done {
			return
		}

		s.join(earliest)
		s.joined++
		s.room.Signal()
	}
}

// join adds the next piece to the result.
func (s *session) join(t *task) {
	p := t.piece
	before := s.walker.seq

	if s.walker.reason == "" {
		joined := s.opts.Parallelism > 1 && s.walker.join(&t.guess)
		if !joined {
			p.lines = s.walker.walk(p.lines)
		}
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
