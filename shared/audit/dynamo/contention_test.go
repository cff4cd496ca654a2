package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/dynamo"
	"governance.internal/shared/dynamotest"
)

const (
	writers, each = 32, 25
	everySeventh  = 7
)

func TestManyWritersWithLostAnswers(t *testing.T) {
	t.Parallel()
	manyWriters(t)
}

// BenchmarkManyWriters prints the figures of that beside those of the naive strategy,
// in one run.
func BenchmarkManyWriters(b *testing.B) {
	b.Run("ours", func(b *testing.B) { manyWriters(b) })
	b.Run("naive", func(b *testing.B) { naiveWriters(b) })
}

// manyWriters are 32, each with a store of its own as functions have, that append 25
// entries each while every seventh answer is lost.
func manyWriters(t testing.TB) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	appended(t, reopen(t, endpoint, table, nil), writers*each)
	w := &wire{lose: everySeventh}
	var unknown atomic.Int64
	took := race(func() func(n int) {
		s := reopen(t, endpoint, table, w)
		return func(n int) {
			entries, err := s.Append(t.Context(), audittest.Event(n))
			for errors.As(err, new(audit.Unknown)) {
				unknown.Add(1)
				entries, err = s.Append(t.Context(), audittest.Event(n))
			}
			if err != nil || len(entries) != 1 || entries[0].ID != audittest.Event(n).ID {
				t.Errorf("event %d: %v, %v", n, entries, err)
			}
		}
	})
	want := make([]int, writers*each+1)
	for n := range want {
		want[n] = n
	}
	if report := sound(t, reopen(t, endpoint, table, nil), want...); report.Entries != writers*each+2 {
		t.Errorf("%d entries", report.Entries)
	}
	if w.lost.Load() == 0 {
		t.Error("no answer was lost")
	}
	t.Log(figures(took, w), unknown.Load(), "unknown;", w.lost.Load(), "lost")
}

// race runs the writers and gives the times of all appends.
func race(open func() func(n int)) []time.Duration {
	took := make([]time.Duration, writers*each)
	var wait sync.WaitGroup
	for writer := range writers {
		do := open()
		wait.Go(func() {
			for i := range each {
				n := writer*each + i
				began := time.Now()
				do(n)
				took[n] = time.Since(began)
			}
		})
	}
	wait.Wait()
	slices.Sort(took)
	return took
}

func figures(took []time.Duration, w *wire) string {
	n := len(took)
	return fmt.Sprintf("p50 %v, p99 %v; per entry %.2f conditional writes, %.2f writes, %.2f requests;",
		took[n/2].Round(time.Millisecond), took[n*99/100].Round(time.Millisecond),
		float64(w.conditional.Load())/float64(n), float64(w.writes.Load())/float64(n), float64(w.total.Load())/float64(n))
}

// naiveWriters read the end and put the next item if there is none, at once again until
// they win; the SDK repeats what got no answer. It shows what a lost answer does to such
// a chain: entries that are in it twice.
func naiveWriters(t testing.TB) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	w := &wire{lose: everySeventh}
	client := dynamodb.New(dynamodb.Options{Region: "local", BaseEndpoint: &endpoint,
		Retryer:     retry.AddWithMaxBackoffDelay(retry.AddWithMaxAttempts(retry.NewStandard(func(o *retry.StandardOptions) { o.RateLimiter = ratelimit.None }), 16), 256*time.Millisecond),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""), HTTPClient: &http.Client{Transport: w}})
	last := func() uint64 {
		out, err := client.Query(t.Context(), &dynamodb.QueryInput{TableName: &table, ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(false), Limit: aws.Int32(1),
			KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: map[string]types.AttributeValue{":pk": &types.AttributeValueMemberS{Value: "chain"}}})
		if err != nil {
			t.Error(err)
		}
		if err != nil || len(out.Items) == 0 {
			return 0
		}
		seq, _ := strconv.ParseUint(out.Items[0]["sk"].(*types.AttributeValueMemberS).Value, 10, 64)
		return seq
	}
	put := func(seq uint64) error {
		_, err := client.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: &table, ConditionExpression: aws.String("attribute_not_exists(pk)"), Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "chain"}, "sk": &types.AttributeValueMemberS{Value: fmt.Sprintf("%016d", seq)}, "b": &types.AttributeValueMemberB{Value: make([]byte, 400)}}})
		return err
	}
	took := race(func() func(int) {
		return func(int) {
			for err := errors.New("begin"); err != nil && !t.Failed(); {
				if err = put(last() + 1); err != nil && !errors.As(err, new(*types.ConditionalCheckFailedException)) {
					t.Error(err)
				}
			}
		}
	})
	w.conditional.Store(w.writes.Load()) // all of them
	t.Log(figures(took, w), last()-writers*each, "entries twice in the chain")
}

// crawling is a wire on which each request takes longer than a lease lasts, by the clock
// of the store. The first transactions meet another one, so that all go to the inbox.
type crawling struct {
	now      atomic.Int64
	collided atomic.Int64
}

const toInbox = 4

func (c *crawling) RoundTrip(req *http.Request) (*http.Response, error) {
	c.now.Add(int64(time.Second))
	if req.Header.Get("X-Amz-Target") == "DynamoDB_20120810.TransactWriteItems" && c.collided.Add(1) <= toInbox {
		return refusal(req, collision), nil
	}
	return http.DefaultTransport.RoundTrip(req)
}

// Writers on a slow wire do not take the lease from each other for ever.
func TestWritersGetOnWhereARequestTakesLongerThanALease(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	appended(t, reopen(t, endpoint, table, nil), 0)
	w := &crawling{}
	w.now.Store(time.Now().UnixNano())
	var group sync.WaitGroup
	for n := range toInbox {
		s, err := dynamo.Open("test", dynamo.Options{Table: table, Endpoint: endpoint, Transport: w, Limit: time.Minute,
			Now: func() time.Time { return time.Unix(0, w.now.Load()) }})
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			if _, err := s.Append(t.Context(), audittest.Event(n+1)); err != nil {
				t.Errorf("event %d: %v", n+1, err)
			}
		})
	}
	group.Wait()
	sound(t, reopen(t, endpoint, table, nil), 0, 1, 2, 3, 4)
}
