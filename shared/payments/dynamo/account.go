package dynamo

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/shared/payments"
)

// account returns the update of the payer's account, if there is one. For a reservation the
// update has the condition that the payment fits.
func (w *write) account() []action {
	if !w.change.Touches() {
		return nil
	}
	update := &types.Update{
		TableName: w.table,
		Key:       accountKey(w.change.Account),
		ExpressionAttributeNames: map[string]string{
			"#committed": committed,
			"#spent":     spent,
			"#strikes":   strikes,
			"#ttl":       expires,
		},
		ExpressionAttributeValues: item{
			":committed": signed(w.change.Committed),
			":spent":     signed(w.change.Spent),
			":strikes":   signed(int64(w.change.Strikes)),
			":ttl":       w.expire(),
		},
	}

	set := []string{"#ttl = :ttl"}
	if w.change.Strikes > 0 {
		set = append(set, "#paused = :paused")
		update.ExpressionAttributeNames["#paused"] = paused
		update.ExpressionAttributeValues[":paused"] = signed(w.change.Paused.UnixMilli())
	}

	update.UpdateExpression = aws.String("SET " + strings.Join(set, ", ") + " ADD #committed :committed, #spent :spent, #strikes :strikes")

	if w.room != nil && w.change.Committed > 0 {
		update.ExpressionAttributeNames["#paused"] = paused
		update.ExpressionAttributeValues[":room"] = signed(*w.room - w.change.Committed)
		update.ExpressionAttributeValues[asOf] = signed(w.next.CreatedAt.UnixMilli())
		update.ConditionExpression = aws.String("(attribute_not_exists(#committed) OR #committed <= :room) AND " +
			"(attribute_not_exists(#paused) OR #paused <= " + asOf + ")")
		update.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}

	return []action{{types.TransactWriteItem{Update: update}, payments.ErrFunds}}
}

// asOf is the time for which the pause of an account is checked.
const asOf = ":now"

// pausedFor reports whether an account refused an update because it is paused.
func pausedFor(account item, refused action) bool {
	until, err := integerOf(account, paused)
	now, wrong := integerOf(refused.Update.ExpressionAttributeValues, asOf)
	return err == nil && wrong == nil && until > now
}

// wasted sums the wasted gas by hour.
func (w *write) wasted() []action {
	var all []action
	for hour, burned := range w.change.Gas {
		all = append(all, action{TransactWriteItem: types.TransactWriteItem{Update: &types.Update{
			TableName:                w.table,
			Key:                      hourKey(hour),
			UpdateExpression:         aws.String("SET #ttl = :ttl ADD #gas :gas"),
			ExpressionAttributeNames: map[string]string{"#gas": gas, "#ttl": expires},
			ExpressionAttributeValues: item{
				":gas": number(burned),
				":ttl": w.expire(),
			},
		}}})
	}
	return all
}

// Account implements payments.Store.
func (s *Store) Account(ctx context.Context, asset, payer string) (payments.Account, error) {
	found, err := s.get(ctx, accountKey(payments.AccountKey(asset, payer)))
	switch {
	case errors.Is(err, payments.ErrNotFound):
		return payments.Account{}, nil
	case err != nil:
		return payments.Account{}, err
	}

	var account payments.Account
	count, err := integerOf(found, strikes)
	account.Strikes = int(count)
	for name, field := range map[string]*int64{committed: &account.Committed, spent: &account.Spent} {
		var wrong error
		*field, wrong = integerOf(found, name)
		err = errors.Join(err, wrong)
	}

	if err != nil {
		return payments.Account{}, err
	}
	if until, err := integerOf(found, paused); err == nil {
		account.Paused = time.UnixMilli(until)
	}

	return account, nil
}

// WastedGas implements payments.Store.
func (s *Store) WastedGas(ctx context.Context, hour int64) (uint64, error) {
	found, err := s.get(ctx, hourKey(hour))
	if errors.Is(err, payments.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return numberOf(found, gas)
}
