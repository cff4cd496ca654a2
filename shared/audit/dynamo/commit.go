package dynamo

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/shared/audit"
	"governance.internal/shared/awsapi/dynamo"
)

const (
	maxActions = 100 // of a transaction
	maxBytes   = 128 << 10
	maxEvents  = 96 // of a group; the head and two blocks fit beside them
)

// group is what one transaction records wholly or not at all.
type group struct {
	intent item // key of its item in the inbox, nil if it has none
	drafts []audit.Draft
}

func (g group) size() (n int) {
	for _, d := range g.drafts {
		n += d.Size()
	}
	return n
}

// batch is what one transaction appends.
type batch struct {
	from, to audit.Head
	blocks   []audit.Block // one, or two where a bucket ends
	drafts   []audit.Draft
	entries  []audit.Entry // of the drafts
	intents  []item        // keys
}

// newBatch puts as many of the groups after head as one transaction takes, at
// least the first.
func newBatch(head audit.Head, groups []group, now time.Time) batch {
	b := batch{from: head, to: head}
	actions, size := 3, 0 // the head and two blocks
	for i, g := range groups {
		actions += len(g.drafts)
		size += g.size()
		if i > 0 && (actions > maxActions || size > maxBytes) {
			break
		}
		for _, d := range g.drafts {
			b.add(d, now)
		}
		if g.intent != nil {
			b.intents = append(b.intents, g.intent)
		}
	}

	return b
}

func (b *batch) add(d audit.Draft, now time.Time) {
	next := b.to.Seq + 1
	sameBucket := bucket(next) == bucket(b.to.Seq)
	if len(b.blocks) == 0 || !sameBucket {
		fresh := audit.Block{First: next}
		b.blocks = append(b.blocks, fresh)
	}

	last := len(b.blocks) - 1
	block := &b.blocks[last]
	lines, e := b.to.Next(block.Lines, d, now)
	block.Lines = lines
	block.Last = e.Seq

	b.to = e.Head()
	b.drafts = append(b.drafts, d)
	b.entries = append(b.entries, e)
}

// token identifies the content, so that DynamoDB recognizes a transaction that is
// sent again. The hash of the last entry covers everything that is written.
func (b *batch) token() string {
	return hex.EncodeToString(b.to.Hash[:16])
}

// refused is the error of a commit whose conditions were not met.
type refused struct {
	known map[string]recorded // ids that are in the chain already
	err   error
}

func (r *refused) Error() string {
	return "audit table: " + r.err.Error()
}

func (r *refused) Unwrap() error { return r.err }

func isRefused(err error) bool { return errors.As(err, new(*refused)) }

// isCanceled reports whether a commit was refused or collided with another one.
func isCanceled(err error) bool {
	return errors.As(err, new(*types.TransactionCanceledException))
}

// commit sends a batch as one transaction. After an error other than refused and
// [audit.ErrTampered] its outcome is unknown.
func (s *Store) commit(ctx context.Context, b batch) error {
	_, err := s.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems:      s.actions(b),
		ClientRequestToken: aws.String(b.token()),
	})
	if err == nil {
		s.saw(b.to)
		s.clear(ctx, b.intents)
		return nil
	}

	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return s.failed(err)
	}

	return s.outcome(ctx, b, canceled.CancellationReasons, err)
}

// clear deletes intents whose events are in the chain. A transaction with these deletes
// would need a role that may delete blocks, because DynamoDB may judge an action by all
// keys of its transaction. An intent that stays, after a crash or a failed request, is
// found in the chain and deleted by the next combiner.
func (s *Store) clear(ctx context.Context, intents []item) {
	var wait sync.WaitGroup
	for _, intent := range intents {
		wait.Go(func() {
			if err := s.discard(ctx, intent); err != nil {
				slog.WarnContext(ctx, "intent of the audit table not deleted", "error", err.Error())
			}
		})
	}

	wait.Wait()
}

// discard deletes one intent.
func (s *Store) discard(ctx context.Context, intent item) error {
	_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: aws.String(s.table),
		Key:       intent,
	})
	if err != nil {
		return s.failed(err)
	}
	return nil
}

// outcome returns the error of a canceled transaction. Its reasons are in the order
// of actions.
func (s *Store) outcome(ctx context.Context, b batch, reasons []types.CancellationReason, err error) error {
	known := knownIDs(b, reasons)
	moved := conditionFailed(reasons, 0)
	occupied := conditionFailed(reasons, 1) || conditionFailed(reasons, len(b.blocks))

	switch {
	case moved || len(known) > 0:
		return &refused{known, err}
	case occupied:
		if err := s.occupied(ctx, b.from); err != nil {
			return err
		}
		return &refused{known, err}
	}
	return s.failed(err)
}

// knownIDs returns the entries of a batch whose ids are in the chain already.
func knownIDs(b batch, reasons []types.CancellationReason) map[string]recorded {
	known := map[string]recorded{}
	for i, d := range b.drafts {
		at := 1 + len(b.blocks) + i
		if conditionFailed(reasons, at) {
			known[d.ID()] = recorded{reasons[at].Item}
		}
	}
	return known
}

// conditionFailed reports whether the action at an index did not meet its condition.
func conditionFailed(reasons []types.CancellationReason, i int) bool {
	return i < len(reasons) && aws.ToString(reasons[i].Code) == dynamo.ReasonCondition
}

// occupied finds out why there is a block after the head: because the head moved on
// meanwhile, or because it was moved back, which is [audit.ErrTampered].
func (s *Store) occupied(ctx context.Context, from audit.Head) error {
	head, err := s.expect(ctx)
	if err == nil && head == from {
		return s.tampered("a block follows the head")
	}
	return err
}

// actions are in this order: the head, the blocks, the ids.
func (s *Store) actions(b batch) []types.TransactWriteItem {
	all := []types.TransactWriteItem{s.moveHead(b.from, b.to)}

	for _, block := range b.blocks {
		last := b.entries[block.Last-b.from.Seq-1]
		partition := s.blockPartition(bucket(block.First))

		put := key(partition, blockSorting(block.First))
		put[lines] = binary(block.Lines)
		put[lastHash] = binary(last.Hash[:])
		all = append(all, s.putNew(put))
	}

	for i, d := range b.drafts {
		e := b.entries[i]
		put := withHead(s.idKey(d.ID()), "", e.Head())
		put[prevHash] = binary(e.PrevHash[:])

		action := s.putNew(put)
		action.Put.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
		all = append(all, action)
	}

	return all
}

func (s *Store) putNew(i item) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName:           aws.String(s.table),
		Item:                i,
		ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}}
}

// moveHead is the compare-and-swap. Before the genesis entry there is no head.
func (s *Store) moveHead(from, to audit.Head) types.TransactWriteItem {
	update := &types.Update{
		TableName:                 aws.String(s.table),
		Key:                       s.headKey(),
		UpdateExpression:          aws.String("SET #seq = :seq, #hash = :hash, #time = :time"),
		ConditionExpression:       aws.String("attribute_not_exists(pk)"),
		ExpressionAttributeNames:  map[string]string{"#seq": seq, "#hash": hash, "#time": stamp},
		ExpressionAttributeValues: withHead(item{}, ":", to),
	}

	if from.Seq > 0 {
		update.ConditionExpression = aws.String("#seq = :oldseq AND #hash = :oldhash")
		update.ExpressionAttributeValues[":oldseq"] = number(from.Seq)
		update.ExpressionAttributeValues[":oldhash"] = binary(from.Hash[:])
	}

	return types.TransactWriteItem{Update: update}
}
