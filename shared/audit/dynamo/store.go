package dynamo

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"governance.internal/shared/audit"
	"governance.internal/shared/awsapi/dynamo"
)

// CallLimit is the time for one append or reading of the head, all tries included.
const CallLimit = 10 * time.Second

// Options name the table and its service. Table and either Endpoint or
// Region and Credentials are required.
type Options struct {
	Table       string
	Region      string
	Credentials aws.CredentialsProvider
	Endpoint    string            // of a local engine, which needs neither region nor credentials; "" for AWS
	Transport   http.RoundTripper // nil: the default one
	Origin      string            // says in the genesis entry who keeps the chain; "" is "dynamodb"
	Now         func() time.Time  // nil: time.Now
	Random      io.Reader         // makes the id of the genesis entry; nil: crypto/rand.Reader
	ReadOnly    bool              // never creates the chain; for roles that may not append
	Limit       time.Duration     // time for one append; 0 is [CallLimit]. One request gets a third of it
}

// Store is an [audit.Store] in a table.
type Store struct {
	client *dynamodb.Client
	table  string
	chain  string
	origin string
	now    func() time.Time
	random io.Reader
	limit  time.Duration

	readOnly bool // reading begins no chain

	mu           sync.Mutex
	begun        bool       // the head was there, and the last block ended with it
	seen         audit.Head // the latest
	crowdedUntil time.Time  // until then appends begin with the inbox
}

var _ audit.Store = (*Store)(nil)

// Open prepares the client; it sends nothing. The error is [audit.ErrProfile] for
// an invalid name. The first use creates a missing chain, unless the store is
// read-only.
func Open(chain string, o Options) (*Store, error) {
	if err := audit.CheckChainName(chain); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}

	return &Store{
		client: dynamo.New(dynamo.Service{
			Region:      o.Region,
			Credentials: o.Credentials,
			Endpoint:    o.Endpoint,
			Transport:   o.Transport,
			Attempt:     o.Limit / 3,
		}),
		table:    o.Table,
		chain:    chain,
		origin:   cmp.Or(o.Origin, "dynamodb"),
		now:      o.Now,
		random:   o.Random,
		limit:    cmp.Or(o.Limit, CallLimit),
		readOnly: o.ReadOnly,
	}, nil
}

// begin makes sure, once, that there is a chain and that it ends with its head.
func (s *Store) begin(ctx context.Context) error {
	s.mu.Lock()
	begun := s.begun
	s.mu.Unlock()
	if begun {
		return nil
	}

	stored, err := s.getHead(ctx)
	if err == nil && stored == nil {
		if err = s.create(ctx); err == nil {
			stored, err = s.getHead(ctx)
		}
	}

	if err != nil {
		return err
	}
	head, ok := headOf(stored)
	if !ok {
		return s.tampered("the head cannot be read")
	}
	if err := s.checkTail(ctx, head); err != nil {
		return err
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	s.begun = true
	return nil
}

// checkTail makes sure that the last entry is the one that the head names.
func (s *Store) checkTail(ctx context.Context, head audit.Head) error {
	for block, err := range s.Blocks(ctx, head.Seq, head.Seq) {
		if err != nil {
			return err
		}
		last, ok := audit.SplitLine(bytes.TrimSuffix(block.Lines, []byte("\n")))
		if ok &&
			last.Seq == head.Seq &&
			string(last.Hash) == head.Hash.String() {
			return nil
		}
	}
	return s.tampered(fmt.Sprintf("entry %d is not the one that the head names", head.Seq))
}

// create writes the genesis entry, unless another writer was faster.
func (s *Store) create(ctx context.Context) error {
	now := s.now()
	genesis, err := audit.Genesis(s.chain, s.origin, now, s.random)
	if err != nil {
		return err
	}

	b := newBatch(audit.Head{}, []group{{drafts: []audit.Draft{genesis}}}, now)
	for try := 0; ; try++ {
		commitErr := s.commit(ctx, b)
		if commitErr == nil || !isCanceled(commitErr) {
			return commitErr
		}
		if stored, err := s.getHead(ctx); stored != nil || err != nil {
			return err
		}
		if isRefused(commitErr) {
			return s.tampered("there are entries, but no head")
		}

		if err := dynamo.Sleep(ctx, dynamo.Jitter(try, 8*time.Millisecond, 512*time.Millisecond)); err != nil {
			return err
		}
	}
}

// expect reads the head that a commit is to follow.
func (s *Store) expect(ctx context.Context) (audit.Head, error) {
	s.mu.Lock()
	before := s.seen
	s.mu.Unlock()
	stored, err := s.getHead(ctx)
	if err != nil {
		return audit.Head{}, err
	}

	head, ok := headOf(stored)
	switch {
	case !ok:
		return audit.Head{}, s.tampered("the head is missing or cannot be read")
	case head.Seq < before.Seq, head.Seq == before.Seq && head.Hash != before.Hash:
		return audit.Head{}, s.tampered(fmt.Sprintf("the head went back to entry %d or was exchanged", head.Seq))
	}

	s.saw(head)
	return head, nil
}

func (s *Store) saw(head audit.Head) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if head.Seq > s.seen.Seq {
		s.seen = head
	}
}

// crowdedFor is the time after a lost race during which appends begin with the inbox.
const crowdedFor = time.Second

func (s *Store) crowd() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crowdedUntil = s.now().Add(crowdedFor)
}

func (s *Store) isCrowded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now().Before(s.crowdedUntil)
}

func (s *Store) tampered(how string) error {
	return fmt.Errorf("audit table %s, chain %s: %s: %w", s.table, s.chain, how, audit.ErrTampered)
}

func (s *Store) failed(err error) error {
	return fmt.Errorf("audit table: %w", err)
}
