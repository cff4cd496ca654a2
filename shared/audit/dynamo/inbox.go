package dynamo

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/shared/audit"
)

// leaseTime is how long one combiner works, and how long the others wait for one
// that died.
const leaseTime = 250 * time.Millisecond

// post writes events to the inbox, as an intent.
func (s *Store) post(ctx context.Context, drafts []audit.Draft) error {
	var content []byte
	for _, d := range drafts {
		content = append(append(content, d.Content()...), '\n')
	}

	intent := s.inboxKey(drafts[0].ID(), s.now())
	intent[lines] = binary(content)
	_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(s.table),
		Item:      intent,
	})
	if err != nil {
		return s.failed(err)
	}

	return nil
}

// parseIntent reads the events of an intent, false if they are not as post wrote them.
func parseIntent(content []byte) ([]audit.Draft, bool) {
	var drafts []audit.Draft
	for line := range bytes.Lines(content) {
		d, err := audit.ParseDraft(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			return nil, false
		}
		drafts = append(drafts, d)
	}

	groups, err := split(drafts)
	return drafts, err == nil &&
		len(groups) == 1 &&
		len(groups[0].drafts) == len(drafts)
}

// combine commits the waiting events of the inbox until it is empty or the lease ends, and
// reports false if another writer has the lease. The holder tries at least once, because
// if requests take longer than a lease, the writers would otherwise take turns without a
// commit. Conditions keep the chain valid whatever other writers do; the lease only saves
// work.
func (s *Store) combine(ctx context.Context) (bool, error) {
	me := rand.Text()
	until := s.now().Add(leaseTime)
	if leased, err := s.lease(ctx, me, until); !leased {
		return false, err
	}

	known := map[string]recorded{}
	for {
		groups, err := s.inbox(ctx, known)
		if err != nil {
			return false, err
		}
		if len(groups) == 0 {
			break
		}
		if err := s.commitAll(ctx, groups, known); err != nil {
			return false, err
		}
		if !s.now().Before(until) {
			break
		}
	}

	return true, s.release(ctx, me)
}

// commitAll tries once to commit as many groups as fit. It adds conflicting ids to
// known.
func (s *Store) commitAll(ctx context.Context, groups []group, known map[string]recorded) error {
	head, err := s.expect(ctx)
	if err != nil {
		return err
	}

	err = s.commit(ctx, newBatch(head, groups, s.now()))
	var r *refused
	if errors.As(err, &r) {
		for id, what := range r.known {
			known[id] = what
		}
		return nil
	}

	if isCanceled(err) {
		return nil // another transaction is in progress
	}
	return err
}

// inbox reads the waiting intents, the oldest first, and discards those that are done.
func (s *Store) inbox(ctx context.Context, known map[string]recorded) ([]group, error) {
	var wait sync.WaitGroup
	found := make([][]item, shards)
	failed := make([]error, shards)
	for shard := range found {
		wait.Go(func() {
			in := s.query(s.inboxPartition(uint32(shard)), "0", "9")
			in.Limit = aws.Int32(maxActions / 2)
			out, err := s.client.Query(ctx, in)
			if failed[shard] = err; err == nil {
				found[shard] = out.Items
			}
		})
	}

	wait.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, s.failed(err)
	}

	waiting := slices.Concat(found...)
	slices.SortFunc(waiting, func(a, b item) int {
		return strings.Compare(textOf(a, sorting), textOf(b, sorting))
	})
	var groups []group
	for _, i := range waiting {
		g, err := s.open(ctx, i, known)
		if err != nil {
			return nil, err
		}
		if len(g.drafts) > 0 {
			groups = append(groups, g)
		}
	}

	return groups, nil
}

// open returns the group of an intent. It discards an intent that is damaged, whose
// events are in the chain, or that has an event whose id stands for another event.
func (s *Store) open(ctx context.Context, i item, known map[string]recorded) (group, error) {
	g := group{intent: key(textOf(i, partition), textOf(i, sorting))}
	drafts, ok := parseIntent(bytesOf(i, lines))
	if ok {
		g.drafts, _ = remaining(drafts, known)
	}
	if len(g.drafts) > 0 {
		return g, nil
	}
	return g, s.discard(ctx, g.intent)
}

// lease takes the lease if it is free or if this store has it already.
func (s *Store) lease(ctx context.Context, me string, until time.Time) (bool, error) {
	return s.updateLease(ctx, until, "attribute_not_exists(#ends) OR #ends <= :now OR #owner = :me", item{
		":me":  text(me),
		":now": number(uint64(s.now().UnixMilli())),
	})
}

// release ends the lease, unless another writer took it over.
func (s *Store) release(ctx context.Context, me string) error {
	_, err := s.updateLease(ctx, time.UnixMilli(0), "#owner = :me", item{":me": text(me)})
	return err
}

func (s *Store) updateLease(ctx context.Context, until time.Time, condition string, values item) (bool, error) {
	values[":ends"] = number(uint64(until.UnixMilli()))
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           aws.String(s.table),
		Key:                 s.leaseKey(),
		UpdateExpression:    aws.String("SET #owner = :me, #ends = :ends"),
		ConditionExpression: aws.String(condition),
		ExpressionAttributeNames: map[string]string{
			"#owner": owner,
			"#ends":  ends,
		},
		ExpressionAttributeValues: values,
	})
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, new(*types.ConditionalCheckFailedException)):
		return false, nil
	}

	return false, s.failed(err)
}
