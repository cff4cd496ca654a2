package sealed_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/dynamo"
	"governance.internal/shared/audit/sealed"
	"governance.internal/shared/dynamotest"
	"governance.internal/shared/objects/s3"
	"governance.internal/shared/s3test"
)

// deadly is the connection of a sealer that dies at its n-th request, before the engine
// does the work or after.
type deadly struct {
	at     int64
	late   bool
	cancel context.CancelFunc
	total  atomic.Int64
}

var errDead = io.ErrUnexpectedEOF

func (d *deadly) RoundTrip(req *http.Request) (*http.Response, error) {
	n := d.total.Add(1)
	if d.at == 0 || n < d.at {
		return http.DefaultTransport.RoundTrip(req)
	}
	if n == d.at && d.late {
		if resp, err := http.DefaultTransport.RoundTrip(req.WithContext(context.WithoutCancel(req.Context()))); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
	d.cancel()
	return nil, errDead
}

// service is a chain in a table with its segments in a bucket.
type service struct{ endpoint, table, s3, bucket string }

func (v service) open(t *testing.T, transport http.RoundTripper) *sealed.Store {
	t.Helper()
	hot, err := dynamo.Open("test", dynamo.Options{Table: v.table, Endpoint: v.endpoint, Transport: transport, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return sealed.Small(sealed.Open("test", hot, s3.Open(s3.Options{Bucket: v.bucket, Endpoint: v.s3, Transport: transport})), 8, 1<<20)
}

// objects are those that the segments of the index name.
func (v service) objects(t *testing.T) map[string]string {
	t.Helper()
	segments, err := v.open(t, nil).Segments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, s := range segments {
		for _, key := range []string{s.Key(), s.ManifestKey()} {
			body, err := s3.Open(s3.Options{Bucket: v.bucket, Endpoint: v.s3}).Get(t.Context(), key, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			found[key] = string(body)
		}
	}
	return found
}

// copyChain is a new service with the same entries in its table.
func copyChain(t *testing.T, endpoint string, items []dynamotest.Item) service {
	t.Helper()
	v := service{endpoint: endpoint}
	_, v.table = dynamotest.Table(t, "pk", "sk")
	dynamotest.Put(t, endpoint, v.table, items)
	v.s3, v.bucket = s3test.Bucket(t)
	return v
}

// A sealer dies at each of its requests, before and after its effect. Another one goes
// on from there: the objects are the same as if nothing had happened, and the chain is whole.
func TestASealerThatDiesAtAnyRequestIsGoneOnFrom(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	first := service{endpoint: endpoint, table: table}
	first.s3, first.bucket = s3test.Bucket(t)
	s := first.open(t, nil)
	grow(t, s, 1, 19)
	items, plain := dynamotest.Scan(t, endpoint, table), string(audittest.Lines(t, s, 1, 20))
	if got := ranges(seal(t, s)); got != "[1-8 9-16]" {
		t.Fatal(got)
	}
	want := first.objects(t)
	n, survived := int64(0), false
	for !survived {
		n++
		for _, late := range []bool{false, true} {
			v := copyChain(t, endpoint, items)
			ctx, cancel := context.WithCancel(t.Context())
			d := &deadly{at: n, late: late, cancel: cancel}
			_, err := v.open(t, d).Seal(ctx)
			survived = d.total.Load() < n
			if err == nil != survived || err != nil && errors.Is(err, audit.ErrTampered) {
				t.Fatalf("request %d, late %v: %v", n, late, err)
			}
			cancel()
			again := v.open(t, nil)
			seal(t, again)
			if got := v.objects(t); !maps.Equal(got, want) {
				t.Fatalf("request %d, late %v: other objects", n, late)
			}
			if r := verifyFull(t, again); !r.Valid || r.Entries != 20 || string(audittest.Lines(t, again, 1, 20)) != plain {
				t.Fatalf("request %d, late %v: %+v", n, late, r)
			}
		}
	}
	// Head, index and what is not sealed; for each of two segments its run, two objects, reading
	// one again, and its place in the index.
	if n-1 != 3+2*5 {
		t.Errorf("%d requests", n-1)
	}
}

// Two sealers at once end with the same objects as one alone.
func TestTwoSealersOfATableAndABucket(t *testing.T) {
	v := service{}
	v.endpoint, v.table = dynamotest.Table(t, "pk", "sk")
	v.s3, v.bucket = s3test.Bucket(t)
	grow(t, v.open(t, nil), 1, 99)
	var group sync.WaitGroup
	for range 2 {
		s := v.open(t, nil)
		group.Go(func() {
			if _, err := s.Seal(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := len(v.objects(t)); got != 2*12 {
		t.Errorf("%d objects", got)
	}
	if r := verifyFull(t, v.open(t, nil)); !r.Valid || r.Entries != 100 {
		t.Errorf("%+v", r)
	}
}
