package dynamo

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/shared/awsapi/dynamo"
	"governance.internal/shared/payments"
)

// errAssumption: the stored record is of the expected version, but a short write
// assumed wrongly what it says.
var errAssumption = errors.New("payment table: a short write does not suffice")

// write is one Save or Submit on its way.
type write struct {
	table  *string
	next   payments.Record // as it is to be stored
	change payments.Change // of what is added up beside it
	room   *int64          // what may be committed in the payer's account where that decides; nil: it does not
	item   item
	expire func() types.AttributeValue // ttl of what stands beside the record
	token  string
}

// Save implements payments.Store.
func (s *Store) Save(ctx context.Context, r payments.Record) (payments.Record, error) {
	return s.write(ctx, r, nil, false)
}

// Reserve implements payments.Store.
func (s *Store) Reserve(ctx context.Context, r payments.Record, room int64) (payments.Record, error) {
	return s.write(ctx, r, &room, false)
}

// Submit implements payments.Store.
func (s *Store) Submit(ctx context.Context, r payments.Record) (payments.Record, error) {
	return s.write(ctx, r, nil, true)
}

// write sends the short form if possible, otherwise the whole form.
func (s *Store) write(ctx context.Context, r payments.Record, room *int64, submit bool) (payments.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()

	w, err := s.prepare(ctx, r)
	if err != nil {
		return payments.Record{}, err
	}

	w.room = room
	if room != nil && w.change.Committed > *room {
		return payments.Record{}, payments.ErrFunds
	}

	beside := append(w.account(), w.wasted()...)
	if submit {
		nonce, err := w.claim(s)
		if err != nil {
			return payments.Record{}, err
		}
		beside = append(beside, nonce...)
	}

	whole := r.Version == 0 || r.State == payments.Reserved
	if !whole {
		err = s.commit(ctx, w.token+"s", append(w.short(), beside...))
		whole = errors.Is(err, errAssumption)
	}

	if whole {
		err = s.commit(ctx, w.token+"w", append(w.whole(), beside...))
	}
	if err != nil {
		return payments.Record{}, err
	}

	return w.next, nil
}

func (s *Store) prepare(ctx context.Context, r payments.Record) (*write, error) {
	w := &write{table: s.table, token: newToken()}
	w.next, w.change = r.Next()
	encoded, digest, err := s.encode(ctx, w.next)
	if err != nil {
		return nil, err
	}

	now := s.now()
	w.expire = func() types.AttributeValue {
		return lasting(now, r.Payment, 0)
	}

	w.item = recordKey(r.Key())
	w.item[version] = number(w.next.Version)
	w.item[open] = yes(r.Open())
	w.item[data] = binary(encoded)
	if digest != "" {
		w.item[body] = text(digest)
	}

	w.item[bound] = text(w.binding())
	w.item[written] = text(w.token)
	w.item[expires] = lasting(now, r.Payment, keep) // outlives its OPEN entry by far
	return w, nil
}

func newToken() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // crypto/rand never fails since Go 1.24
	return hex.EncodeToString(raw[:])
}

func (w *write) identifier() string {
	return payments.IdentifierKey(w.next.Payment.Payer, w.next.Request.Product, w.next.Identifier)
}

// binding names the identifier that this record needs bound, "-" for none.
func (w *write) binding() string {
	if w.next.Identifier == "" {
		return "-"
	}
	return w.identifier() + "=" + w.next.PayloadHash
}

// action is a part of a write. refused is what its failed condition means.
type action struct {
	types.TransactWriteItem
	refused error
}

// short writes a record whose identifier is bound already, and which is open already if it
// stays open.
func (w *write) short() []action {
	condition := "version = :version AND #bound = :bound"
	values := item{
		":version": number(w.next.Version - 1),
		":bound":   w.item[bound],
	}

	if w.next.Open() {
		values[":open"] = yes(true)
		record := w.record(condition+" AND #open = :open", values)
		return []action{record}
	}

	record := w.record(condition, values)
	all := []action{record, w.closes()}
	return append(all, w.lists()...)
}

// whole writes a record and assumes nothing but the version.
func (w *write) whole() []action {
	all := w.stores()
	all = append(all, w.lists()...)
	if w.next.Open() {
		all = append(all, w.opens())
	} else {
		all = append(all, w.closes())
	}

	if w.next.Identifier != "" {
		all = append(all, w.binds())
	}
	return all
}

// stores creates or replaces the record. A new one gets its place among those of its nonce.
func (w *write) stores() []action {
	if w.next.Version > 1 {
		former := item{":version": number(w.next.Version - 1)}
		return []action{w.record("version = :version", former)}
	}

	id := w.next.Key()
	place := key(noncePartition(w.next.Payment.Nonce), id.String())
	return []action{
		w.record("attribute_not_exists(pk)", nil),
		w.put(withKey(place, id)),
	}
}

// binds binds the identifier to the payload.
func (w *write) binds() action {
	entry := identifierKey(w.identifier())
	entry[hashed] = text(w.next.PayloadHash)

	bind := w.put(entry)
	bind.refused = payments.ErrIdentifierUsed
	bind.Put.ConditionExpression = aws.String("attribute_not_exists(pk) OR payload_hash = :hash")
	bind.Put.ExpressionAttributeValues = item{":hash": entry[hashed]}
	return bind
}

// claim takes the wallet nonce and stores the signed transaction. A replacement
// has its nonce.
func (w *write) claim(s *Store) ([]action, error) {
	attempt := w.next.Attempt
	encoded, err := json.Marshal(attempt)
	if err != nil {
		return nil, err
	}

	partition := attemptPartition(attempt.Chain, attempt.Wallet)
	entry := key(partition, attemptSorting(attempt.WalletNonce))
	entry[data] = binary(encoded)

	signed := w.put(entry)
	signed.refused = payments.ErrNonceTaken

	if attempt.Replacement() {
		signed.Put.ConditionExpression = aws.String("attribute_exists(pk)")
		return []action{signed}, nil
	}

	signed.Put.ConditionExpression = aws.String("attribute_not_exists(pk)")
	wallet := action{refused: payments.ErrNonceTaken}
	wallet.Update = &types.Update{
		TableName:                w.table,
		Key:                      walletKey(attempt.Chain, attempt.Wallet),
		UpdateExpression:         aws.String("SET next_nonce = :next, #ttl = :ttl"),
		ConditionExpression:      aws.String("attribute_not_exists(next_nonce) OR next_nonce <= :nonce"),
		ExpressionAttributeNames: map[string]string{"#ttl": expires},
		ExpressionAttributeValues: item{
			":next":  number(attempt.WalletNonce + 1),
			":nonce": number(attempt.WalletNonce),
			":ttl":   lasting(s.now(), w.next.Payment, walletKeep),
		},
	}
	return []action{wallet, signed}, nil
}

// record puts the record; it is always the first action.
func (w *write) record(condition string, values item) action {
	names := map[string]string{}
	for _, name := range []string{bound, open} {
		if _, used := values[":"+name]; used {
			names["#"+name] = name
		}
	}

	put := &types.Put{
		TableName:                           w.table,
		Item:                                w.item,
		ConditionExpression:                 aws.String(condition),
		ExpressionAttributeValues:           values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}

	if len(names) > 0 {
		put.ExpressionAttributeNames = names
	}

	return action{types.TransactWriteItem{Put: put}, payments.ErrConflict}
}

func (w *write) put(entry item) action {
	entry[expires] = w.expire()
	return action{TransactWriteItem: types.TransactWriteItem{Put: &types.Put{
		TableName: w.table,
		Item:      entry,
	}}}
}

// lists keeps the record's place among those of equal requests.
func (w *write) lists() []action {
	partition := requestPartition(w.next.Payment.Payer, w.next.Request.Fingerprint)
	place := key(partition, payments.RequestOrder(w.next))

	switch {
	case w.next.State == payments.Reserved:
		entry := withKey(place, w.next.Key())
		return []action{w.put(entry)}
	case w.next.Unused():
		var remove action
		remove.Delete = &types.Delete{
			TableName: w.table,
			Key:       place,
		}
		return []action{remove}
	}
	return nil
}

// opens sets no ttl: an open record stays until it is closed.
func (w *write) opens() action {
	entry := withKey(openKey(w.next.Key()), w.next.Key())
	entry[due] = signed(w.dueFirst().UnixMilli())
	return action{TransactWriteItem: types.TransactWriteItem{Put: &types.Put{
		TableName: w.table,
		Item:      entry,
	}}}
}

// dueFirst is a time that is valid until the record is closed, because the short writes of
// its later states do not update the entry.
func (w *write) dueFirst() time.Time {
	if due := w.next.Due(); due.Before(w.next.LeaseUntil) {
		return due
	}
	return w.next.LeaseUntil
}

func (w *write) closes() action {
	return action{TransactWriteItem: types.TransactWriteItem{Delete: &types.Delete{
		TableName: w.table,
		Key:       openKey(w.next.Key()),
	}}}
}

// commit sends the actions as one request. The token lets DynamoDB recognize a
// transaction that is sent again.
func (s *Store) commit(ctx context.Context, token string, actions []action) error {
	var err error
	if put := actions[0].Put; len(actions) == 1 {
		_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName:                           s.table,
			Item:                                put.Item,
			ConditionExpression:                 put.ConditionExpression,
			ExpressionAttributeNames:            put.ExpressionAttributeNames,
			ExpressionAttributeValues:           put.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: put.ReturnValuesOnConditionCheckFailure,
		})
	} else {
		all := make([]types.TransactWriteItem, len(actions))
		for i := range actions {
			all[i] = actions[i].TransactWriteItem
		}
		_, err = s.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
			TransactItems:      all,
			ClientRequestToken: aws.String(token),
		})
	}

	if err == nil {
		return nil
	}
	return outcome(actions, err)
}

// outcome returns the meaning of a refused write: success if our own earlier try caused the
// refusal, otherwise the error of the first of nonce, record and identifier.
func outcome(actions []action, err error) error {
	failed := make([]*types.CancellationReason, len(actions)) // nil: that condition held
	var single *types.ConditionalCheckFailedException
	var canceled *types.TransactionCanceledException
	switch {
	case errors.As(err, &single):
		failed[0] = &types.CancellationReason{Item: single.Item}
	case errors.As(err, &canceled):
		for i := range min(len(actions), len(canceled.CancellationReasons)) {
			reason := &canceled.CancellationReasons[i]
			if aws.ToString(reason.Code) == dynamo.ReasonCondition {
				failed[i] = reason
			}
		}
	}

	record := actions[0].Put
	if failed[0] != nil && textOf(failed[0].Item, written) == textOf(record.Item, written) {
		return nil
	}

	for _, refusal := range []error{payments.ErrNonceTaken, payments.ErrConflict, payments.ErrIdentifierUsed, payments.ErrFunds} {
		for i, action := range actions {
			if failed[i] == nil || action.refused != refusal {
				continue
			}
			if i == 0 && sameVersion(failed[0].Item, record.ExpressionAttributeValues) {
				return errAssumption
			}
			if refusal == payments.ErrFunds && pausedFor(failed[i].Item, action) {
				return payments.ErrPaused
			}
			return refusal
		}
	}

	return fmt.Errorf("payment table: %w", err)
}

// sameVersion reports whether an item has the version that a condition requires.
func sameVersion(stored, asked item) bool {
	have, err := numberOf(stored, version)
	want, wrong := numberOf(asked, ":version")
	return err == nil && wrong == nil && have == want
}
