package dynamo

import (
	"bytes"
	"context"
	"iter"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/shared/audit"
	"governance.internal/shared/awsapi/dynamo"
)

// patience is how often a block that should be there is looked for again: the parts
// of a transaction may become visible one after the other.
const patience = 3

// Head implements [audit.Store].
func (s *Store) Head(ctx context.Context) (audit.Head, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()

	stored, err := s.getHead(ctx)
	if err != nil {
		return audit.Head{}, err
	}

	s.mu.Lock()
	fresh := stored == nil && !s.begun && !s.readOnly
	s.mu.Unlock()

	if fresh {
		if err := s.create(ctx); err != nil && !isTampered(err) {
			return audit.Head{}, err
		}
		if stored, err = s.getHead(ctx); err != nil {
			return audit.Head{}, err
		}
	}

	head, _ := headOf(stored)
	return head, nil
}

// getHead reads the head item, nil if there is none.
func (s *Store) getHead(ctx context.Context) (item, error) {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName:      aws.String(s.table),
		Key:            s.headKey(),
		ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, s.failed(err)
	}
	return out.Item, nil
}

// Blocks implements [audit.Store]. It ends at a bucket that has no block.
func (s *Store) Blocks(ctx context.Context, from, to uint64) iter.Seq2[audit.Block, error] {
	return func(yield func(audit.Block, error) bool) {
		next := max(from, 1)
		to := min(to, maxSeq)
		for try := 0; next <= to; try++ {
			isLast := try == patience

			for block, err := range s.scan(ctx, next, to) {
				if err != nil {
					yield(audit.Block{}, err)
					return
				}
				if block.First > next && !isLast {
					break // a gap, which another read may fill
				}
				if !yield(block, nil) {
					return
				}
				next = block.Last + 1
			}

			if next > to || isLast {
				return
			}
			if err := dynamo.Sleep(ctx, 10*time.Millisecond<<try); err != nil {
				yield(audit.Block{}, err)
				return
			}
		}
	}
}

// scan yields the blocks that are there, cut to the range.
func (s *Store) scan(ctx context.Context, from, to uint64) iter.Seq2[audit.Block, error] {
	return func(yield func(audit.Block, error) bool) {
		for at := bucket(from); at <= bucket(to); at++ {
			first := at*bucketSize + 1
			last := (at + 1) * bucketSize
			if from > maxEvents {
				first = max(first, from-maxEvents+1) // the block that holds from begins there at the earliest
			}

			found := false
			in := s.query(s.blockPartition(at), blockSorting(first), blockSorting(min(last, to)))
			for block, err := range s.all(ctx, in) {
				if err != nil {
					yield(audit.Block{}, err)
					return
				}

				found = true
				if b := cut(block, from, to); len(b.Lines) > 0 && !yield(b, nil) {
					return
				}
			}

			if !found {
				return
			}
		}
	}
}

// cut makes a block of an item: the lines from from to to. Its numbers are those of
// its key and of the lines that are there.
func cut(i item, from, to uint64) audit.Block {
	first, err := strconv.ParseUint(textOf(i, sorting), 10, 64)
	if err != nil {
		return audit.Block{}
	}

	rest := bytesOf(i, lines)
	for ; first < from && len(rest) > 0; first++ {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}

	b := audit.Block{First: first, Last: first - 1}
	for end := 0; end < len(rest) && b.Last < to; b.Last++ {
		n := bytes.IndexByte(rest[end:], '\n') + 1
		if n == 0 {
			n = len(rest) - end
		}
		end += n
		b.Lines = rest[:end]
	}

	return b
}

// query asks for a range of a partition.
func (s *Store) query(pk, from, to string) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName:              aws.String(s.table),
		ConsistentRead:         aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :from AND :to"),
		ExpressionAttributeValues: item{
			":pk":   text(pk),
			":from": text(from),
			":to":   text(to),
		},
	}
}

// all yields the items of a query, page after page.
func (s *Store) all(ctx context.Context, in *dynamodb.QueryInput) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		for {
			out, err := s.client.Query(ctx, in)
			if err != nil {
				yield(nil, s.failed(err))
				return
			}

			for _, i := range out.Items {
				if !yield(i, nil) {
					return
				}
			}

			if len(out.LastEvaluatedKey) == 0 {
				return
			}
			in.ExclusiveStartKey = out.LastEvaluatedKey
		}
	}
}

// look reads the id items of events, by id, and when the lease ends.
func (s *Store) look(ctx context.Context, drafts []audit.Draft) (map[string]recorded, time.Time, error) {
	keys := []item{s.leaseKey()}
	for _, d := range drafts {
		keys = append(keys, s.idKey(d.ID()))
	}

	byKey := map[string]item{}
	for try := 0; len(keys) > 0; try++ {
		if try > 0 {
			err := dynamo.Sleep(ctx, dynamo.Jitter(try, 8*time.Millisecond, 512*time.Millisecond))
			if err != nil {
				return nil, time.Time{}, err
			}
		}

		out, err := s.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{
				s.table: {
					Keys:           keys,
					ConsistentRead: aws.Bool(true),
				},
			},
		})
		if err != nil {
			return nil, time.Time{}, s.failed(err)
		}

		for _, i := range out.Responses[s.table] {
			byKey[textOf(i, partition)] = i
		}

		keys = out.UnprocessedKeys[s.table].Keys
	}

	found := map[string]recorded{}
	for _, d := range drafts {
		id := d.ID()
		name := textOf(s.idKey(id), partition)
		if i, ok := byKey[name]; ok {
			found[id] = recorded{i}
		}
	}

	lease := byKey[textOf(s.leaseKey(), partition)]
	end := min(numberOf(lease, ends), 1<<50)
	return found, time.UnixMilli(int64(end)), nil
}
