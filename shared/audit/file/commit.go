package file

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"governance.internal/shared/audit"
)

const (
	maxBatch      = 1024    // requests per commit
	maxBatchBytes = 4 << 20 // no further request is staged beyond
)

// request is an append, or, without drafts, a query for the head.
type request struct {
	drafts   []audit.Draft
	state    atomic.Int32
	answered chan struct{} // closed when the fields below are set

	entries []audit.Entry
	head    audit.Head
	err     error
	failed  error // of a request without drafts: why the store takes no appends
}

// The states of a request: it leaves waiting once, to one of the others.
const (
	waiting = iota
	taken
	withdrawn
)

// withdraw takes the request back, unless the writer has it.
func (r *request) withdraw() bool {
	return r.state.CompareAndSwap(waiting, withdrawn)
}

func (r *request) answer(head audit.Head, err error) {
	r.head = head
	r.err = err
	if err != nil {
		r.entries = nil
	}
	close(r.answered)
}

// serve is the writer goroutine. It ends when queue is closed and empty.
func (s *Store) serve() {
	defer close(s.done)
	for r := range s.queue {
		s.serveBatch(r)
	}
}

// serveBatch serves first and everything that waits with it. Requests are taken
// only under the lock: while another process holds it, callers can still withdraw.
func (s *Store) serveBatch(first *request) {
	if err := s.lock.Lock(); err != nil {
		if first.state.CompareAndSwap(waiting, taken) {
			first.answer(audit.Head{}, fmt.Errorf("audit/file: %w", err))
		}
		return
	}

	batch := s.gather(first)
	unreadable := s.refresh()
	err := cmp.Or(unreadable, s.failed)
	if err == nil {
		err = s.commit(batch)
	}

	head := s.tip.head
	unlocked := s.lock.Unlock()
	if unlocked != nil && s.failed == nil {
		s.failed = fmt.Errorf("audit/file: %w: %w", audit.ErrPoisoned, unlocked)
	}

	for _, r := range batch {
		switch {
		case len(r.drafts) == 0:
			r.failed = s.failed
			r.answer(head, unreadable)
		case r.err != nil:
			r.answer(head, r.err)
		default:
			r.answer(head, named(err, r.drafts[0].ID()))
		}
	}
}

// named sets the id of a request in an Unknown for a whole batch.
func named(err error, id string) error {
	if unknown, ok := errors.AsType[audit.Unknown](err); ok {
		unknown.ID = id
		return unknown
	}
	return err
}

// gather returns first and the requests that wait after it.
func (s *Store) gather(first *request) []*request {
	// Callers that were just answered may be about to send their next request.
	runtime.Gosched()
	var batch []*request
	bytes := 0
	for r := first; ; {
		if r.state.CompareAndSwap(waiting, taken) {
			batch = append(batch, r)
			for _, d := range r.drafts {
				bytes += d.Size()
			}
		}

		if len(batch) == maxBatch || bytes >= maxBatchBytes {
			return batch
		}
		select {
		case next, ok := <-s.queue:
			if !ok {
				return batch
			}
			r = next
		default:
			return batch
		}
	}
}

// stage holds the lines of a commit before they are written.
type stage struct {
	begin int64 // offset of lines in the file
	lines []byte
	tip   tip
	keys  []uint64 // added to the index
}

// commit stages the requests, writes their lines and publishes them. Its error
// concerns all requests that have none of their own.
func (s *Store) commit(batch []*request) error {
	s.beginStage()
	now := s.opts.Now()
	for _, r := range batch {
		r.entries, r.err = s.stageAll(r.drafts, now)
	}
	return s.finishStage()
}

func (s *Store) beginStage() {
	s.staged = stage{
		begin: s.tip.size,
		lines: s.staged.lines[:0],
		tip:   s.tip,
		keys:  s.staged.keys[:0],
	}
}

// finishStage writes the stage and makes it the state of the store, or drops it.
func (s *Store) finishStage() error {
	if len(s.staged.lines) == 0 {
		return nil
	}
	if err := s.write(s.staged.lines); err != nil {
		s.unstage(0, len(s.staged.keys), s.tip)
		return err
	}

	s.tip = s.staged.tip
	s.publish()
	return nil
}

// stageAll stages the events of a request, all or none.
func (s *Store) stageAll(drafts []audit.Draft, now time.Time) ([]audit.Entry, error) {
	lines := len(s.staged.lines)
	keys := len(s.staged.keys)
	before := s.staged.tip

	entries := make([]audit.Entry, 0, len(drafts))
	for _, d := range drafts {
		e, err := s.stageOne(d, now)
		if err != nil {
			s.unstage(lines, len(s.staged.keys)-keys, before)
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// stageOne returns the entry recorded for an event before, or stages a new one.
func (s *Store) stageOne(d audit.Draft, now time.Time) (audit.Entry, error) {
	key := s.index.key([]byte(d.ID()))
	for _, offset := range s.index.candidates(key) {
		line, err := s.lineAt(offset)
		if err != nil {
			return audit.Entry{}, err
		}

		found, ok := audit.SplitLine(line)
		if !ok || string(found.ID) != d.ID() {
			continue
		}
		if !d.Same(line) {
			return audit.Entry{}, audit.ReusedID(d.ID())
		}
		return audit.ParseEntry(line)
	}

	st := &s.staged
	offset := st.begin + int64(len(st.lines))
	lines, e := st.tip.head.Next(st.lines, d, now)
	end := st.begin + int64(len(lines))

	st.lines = lines
	st.tip.advance(e.Head(), offset, end)
	st.keys = append(st.keys, key)
	s.index.add(key, offset)
	return e, nil
}

// unstage drops the last n entries, whose lines begin at length, and restores the
// stage to before.
func (s *Store) unstage(length, n int, before tip) {
	st := &s.staged
	for range n {
		last := len(st.keys) - 1
		s.index.dropLast(st.keys[last])
		st.keys = st.keys[:last]
	}
	st.lines = st.lines[:length]
	st.tip = before
}

// write writes lines at the end of the file and makes them durable.
func (s *Store) write(lines []byte) error {
	_, err := s.data.Write(lines)
	if err != nil {
		return s.cutBack(err)
	}
	if err := s.data.Sync(); err != nil {
		return s.poison(err)
	}
	return nil
}

// cutBack truncates the file after a failed write.
func (s *Store) cutBack(cause error) error {
	if err := s.data.Truncate(s.tip.size); err != nil {
		return s.poison(errors.Join(cause, err))
	}
	if err := s.data.Sync(); err != nil {
		return s.poison(errors.Join(cause, err))
	}
	return fmt.Errorf("audit/file: nothing was recorded: %w", cause)
}

// poison stops appending and returns the error for callers whose append has an
// unknown outcome.
func (s *Store) poison(cause error) error {
	s.failed = fmt.Errorf("audit/file: %s: %w: %w", s.path, audit.ErrPoisoned, cause)
	return audit.Unknown{Err: s.failed}
}

// publish makes the durable state visible to readers.
func (s *Store) publish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view = view{head: s.tip.head, marks: s.tip.marks}
}

// appendOwn appends an entry of the store itself.
func (s *Store) appendOwn(d audit.Draft, now time.Time) error {
	s.beginStage()
	if _, err := s.stageAll([]audit.Draft{d}, now); err != nil {
		return err
	}
	return named(s.finishStage(), d.ID())
}

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
