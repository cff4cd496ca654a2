package dynamo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"governance.internal/shared/payments"
)

// get reads one item; none is ErrNotFound.
func (s *Store) get(ctx context.Context, key item) (item, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()

	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName:      s.table,
		Key:            key,
		ConsistentRead: aws.Bool(true),
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("payment table: %w", err)
	case len(out.Item) == 0:
		return nil, payments.ErrNotFound
	}

	return out.Item, nil
}

// query reads a partition in the order of sk, from a value on.
func (s *Store) query(ctx context.Context, pk, from string) ([]item, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()

	in := &dynamodb.QueryInput{
		TableName:                 s.table,
		ConsistentRead:            aws.Bool(true),
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: item{":pk": text(pk)},
	}

	if from != "" {
		in.KeyConditionExpression = aws.String("pk = :pk AND sk >= :from")
		in.ExpressionAttributeValues[":from"] = text(from)
	}

	var found []item
	for {
		out, err := s.client.Query(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("payment table: %w", err)
		}
		found = append(found, out.Items...)
		if len(out.LastEvaluatedKey) == 0 {
			return found, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// Load implements payments.Store.
func (s *Store) Load(ctx context.Context, key payments.Key) (payments.Record, error) {
	found, err := s.get(ctx, recordKey(key))
	if err != nil {
		return payments.Record{}, err
	}
	r, err := payments.Decode(bytesOf(found, data))
	if digest := textOf(found, body); err == nil && digest != "" {
		err = s.fetch(ctx, &r, digest)
	}
	return r, err
}

// NextNonce implements payments.Store.
func (s *Store) NextNonce(ctx context.Context, chain, wallet string) (uint64, bool, error) {
	found, err := s.get(ctx, walletKey(chain, wallet))
	switch {
	case errors.Is(err, payments.ErrNotFound):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}

	next, err := numberOf(found, nextNonce)
	return next, err == nil, err
}

// Attempts implements payments.Store.
func (s *Store) Attempts(ctx context.Context, chain, wallet string, from uint64) ([]payments.Attempt, error) {
	found, err := s.query(ctx, attemptPartition(chain, wallet), attemptSorting(from))
	if err != nil {
		return nil, err
	}
	attempts := make([]payments.Attempt, len(found))
	for i := range found {
		if err := json.Unmarshal(bytesOf(found[i], data), &attempts[i]); err != nil {
			return nil, fmt.Errorf("signed transaction: %w", err)
		}
	}
	return attempts, nil
}

// Identified implements payments.Store.
func (s *Store) Identified(ctx context.Context, payer, product, identifier string) (string, error) {
	found, err := s.get(ctx, identifierKey(payments.IdentifierKey(payer, product, identifier)))
	if err != nil {
		return "", err
	}
	return textOf(found, hashed), nil
}

// ByNonce implements payments.Store.
func (s *Store) ByNonce(ctx context.Context, nonce string) ([]payments.Record, error) {
	found, err := s.query(ctx, noncePartition(nonce), "")
	if err != nil {
		return nil, err
	}
	return s.named(ctx, found, func(item, payments.Record) bool { return true })
}

// ByRequest implements payments.Store.
func (s *Store) ByRequest(ctx context.Context, payer, fingerprint string) ([]payments.Record, error) {
	found, err := s.newest(ctx, requestPartition(payer, fingerprint), payments.RecentRequests)
	if err != nil {
		return nil, err
	}
	return s.named(ctx, found, func(entry item, r payments.Record) bool { // not reserved again since
		return r.Request.Fingerprint == fingerprint &&
			textOf(entry, sorting) == payments.RequestOrder(r)
	})
}

// named loads the records that entries of an index name, as far as they are wanted.
func (s *Store) named(
	ctx context.Context,
	entries []item,
	wanted func(item, payments.Record) bool,
) ([]payments.Record, error) {
	var all []payments.Record
	for _, entry := range entries {
		r, err := s.Load(ctx, keyOf(entry))
		switch {
		case errors.Is(err, payments.ErrNotFound): // swept
		case err != nil:
			return nil, err
		case wanted(entry, r):
			all = append(all, r)
		}
	}
	return all, nil
}

// newest reads the end of a partition, the last first.
func (s *Store) newest(ctx context.Context, pk string, most int32) ([]item, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()

	out, err := s.client.Query(ctx, &dynamodb.QueryInput{
		TableName:                 s.table,
		ConsistentRead:            aws.Bool(true),
		ScanIndexForward:          aws.Bool(false),
		Limit:                     aws.Int32(most),
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: item{":pk": text(pk)},
	})
	if err != nil {
		return nil, fmt.Errorf("payment table: %w", err)
	}

	return out.Items, nil
}

// Unfinished implements payments.Store.
func (s *Store) Unfinished(ctx context.Context) ([]payments.Key, error) {
	return s.openBy(ctx, math.MaxInt64)
}

// Due implements payments.Store.
func (s *Store) Due(ctx context.Context, by time.Time) ([]payments.Key, error) {
	return s.openBy(ctx, by.UnixMilli())
}

// openBy lists open records whose entry is due. An older entry has no time and is due.
func (s *Store) openBy(ctx context.Context, milliseconds int64) ([]payments.Key, error) {
	var wait sync.WaitGroup
	found := make([][]item, shards)
	failed := make([]error, shards)
	for shard := range found {
		wait.Go(func() {
			found[shard], failed[shard] = s.query(ctx, openPartition(uint32(shard)), "")
		})
	}

	wait.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}

	var keys []payments.Key
	for _, entry := range slices.Concat(found...) {
		if at, err := integerOf(entry, due); err == nil && at > milliseconds {
			continue
		}
		keys = append(keys, keyOf(entry))
	}

	slices.SortFunc(keys, func(a, b payments.Key) int {
		return strings.Compare(a.String(), b.String())
	})
	return keys, nil
}
