package file

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"governance.internal/shared/audit"
)

// Options are the dependencies of a store. The zero value is usable.
type Options struct {
	// Origin says in the genesis entry who keeps the chain; by default "file".
	Origin string
	// Now is the clock, by default time.Now.
	Now func() time.Time
	// Random makes the ids of entries the store writes for itself, by default
	// crypto/rand.Reader.
	Random io.Reader
	// FS is the file system, by default that of the operating system.
	FS FS
}

func (o Options) withDefaults() Options {
	o.Origin = cmp.Or(o.Origin, "file")
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.FS == nil {
		o.FS = osFS{}
	}
	return o
}

// Store is an [audit.Store] in a file. Close it.
type Store struct {
	chain, dir, path string
	opts             Options
	lock, data       File

	gate   sync.RWMutex // held by those who send to queue
	closed bool
	queue  chan *request
	done   chan struct{} // closed when the writer goroutine ended

	// The fields below belong to the writer goroutine, and to Open before it starts.
	index  *index
	tip    tip
	failed error // why the store takes no more appends
	staged stage // reused from commit to commit

	notes    sync.Mutex
	noteLock File // opened with the first note

	mu   sync.Mutex // guards view
	view view
}

// view is the state for readers: everything in it is durable.
type view struct {
	head  audit.Head
	marks []int64
}

// Open opens the chain with the given name in a directory for appending. It creates
// both if missing, with the genesis entry. Errors wrap [audit.ErrTampered],
// [audit.ErrProfile] for an invalid name, or those of the file system. [OpenReader]
// works on a directory that is not writable.
func Open(dir, chain string, o Options) (*Store, error) {
	if err := audit.CheckChainName(chain); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	s := &Store{
		chain: chain,
		dir:   dir,
		path:  Path(dir, chain),
		opts:  o,
		queue: make(chan *request, maxBatch),
		done:  make(chan struct{}),
	}
	if err := s.open(); err != nil {
		return nil, errors.Join(s.explain(err), s.closeFiles())
	}

	go s.serve()
	return s, nil
}

// Path returns the name of the file of a chain.
func Path(dir, chain string) string {
	return filepath.Join(dir, chain+".jsonl")
}

// open opens the files and reads the chain, under the lock.
func (s *Store) open() (err error) {
	if err = s.opts.FS.MkdirAll(s.dir); err != nil {
		return err
	}

	s.lock, err = s.opts.FS.Open(filepath.Join(s.dir, s.chain+".lock"), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	if err = s.lock.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.lock.Unlock()) }()

	s.data, err = s.opts.FS.Open(s.path, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	size, err := s.data.Size()
	if err != nil {
		return err
	}

	if size == 0 { // perhaps just made
		if err = s.opts.FS.SyncDir(s.dir); err != nil {
			return err
		}
	}

	s.index = newIndex(int(size / typicalLine))
	s.tip = newTip()
	if err = s.catchUp(size); err != nil {
		return err
	}
	if s.tip.head.Seq > 0 {
		return nil
	}

	return s.begin(s.opts.Now())
}

// explain adds the remedy to an error that the caller can resolve.
func (s *Store) explain(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), isReadOnly(err):
		return fmt.Errorf("audit/file: %s cannot be appended to; to verify it, open it with OpenReader: %w",
			s.path, err)
	case errors.Is(err, audit.ErrTampered):
		return err
	}
	return fmt.Errorf("audit/file: opening %s: %w", s.path, err)
}

func (s *Store) closeFiles() error {
	var errs []error
	for _, f := range []File{s.data, s.lock, s.noteLock} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// Append implements [audit.Store].
func (s *Store) Append(ctx context.Context, events ...audit.Event) ([]audit.Entry, error) {
	drafts, err := audit.NewDrafts(events)
	if err != nil {
		return nil, err
	}
	r, err := s.ask(ctx, drafts)
	if err != nil {
		return nil, err
	}
	return r.entries, cmp.Or(r.err, r.failed)
}

// Head implements [audit.Store]. It reads what other processes appended.
func (s *Store) Head(ctx context.Context) (audit.Head, error) {
	r, err := s.ask(ctx, nil)
	if err != nil {
		return audit.Head{}, err
	}
	return r.head, r.err
}

// ask sends a request to the writer goroutine. Its error means that nothing was
// written, unless it is Unknown.
func (s *Store) ask(ctx context.Context, drafts []audit.Draft) (*request, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &request{drafts: drafts, answered: make(chan struct{})}
	if err := s.send(ctx, r); err != nil {
		return nil, err
	}

	select {
	case <-r.answered:
		return r, nil
	case <-ctx.Done():
	}

	if r.withdraw() {
		return nil, ctx.Err()
	}
	select {
	case <-r.answered: // at the same moment: the answer is better than the error
		return r, nil
	default:
	}

	if len(drafts) == 0 {
		return nil, ctx.Err()
	}
	return nil, audit.Unknown{ID: drafts[0].ID(), Err: ctx.Err()}
}

func (s *Store) send(ctx context.Context, r *request) error {
	s.gate.RLock()
	defer s.gate.RUnlock()

	if s.closed {
		return fmt.Errorf("audit/file: %s: %w", s.path, fs.ErrClosed)
	}
	select {
	case s.queue <- r:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close serves the appends that wait and closes the files. If another process
// holds the lock it waits for that too. Later calls return [fs.ErrClosed].
func (s *Store) Close() error {
	s.gate.Lock()
	if s.closed {
		s.gate.Unlock()
		return fs.ErrClosed
	}

	s.closed = true
	close(s.queue)
	s.gate.Unlock()
	<-s.done
	return s.closeFiles()
}
