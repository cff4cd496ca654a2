package dynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/functions/toolserver/work/dispatch"
)

// skew is the maximum difference between the clocks of two tasks. A lease of another task
// counts as expired only after this much more time.
const skew = 5 * time.Second

// Slots implements dispatch.Slots.
type Slots struct{ *Store }

var _ dispatch.Slots = Slots{}

func slotKey(n int) item { return key(fmt.Sprintf("SLOT#%d", n), "lease") }

// Take implements dispatch.Slots. A retry after a lost response finds the slot owned by
// itself and takes it again, so Take first looks for a slot of the same owner.
func (s Slots) Take(ctx context.Context, owner string, most int, now, until time.Time) (dispatch.Lease, error) {
	for _, condition := range []string{"#owner = :owner", "attribute_not_exists(#owner) OR expires < :over OR #owner = :owner"} {
		for n := 1; n <= most; n++ {
			values := item{
				":owner": text(owner),
				":until": number(until.UnixMilli()),
				":one":   number(1),
			}

			if condition != "#owner = :owner" {
				values[":over"] = number(now.Add(-skew).UnixMilli())
			}

			out, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
				TableName:                 s.table,
				Key:                       slotKey(n),
				UpdateExpression:          aws.String("SET #owner = :owner, expires = :until ADD fence :one"),
				ConditionExpression:       &condition,
				ExpressionAttributeNames:  map[string]string{"#owner": "owner"},
				ExpressionAttributeValues: values,
				ReturnValues:              types.ReturnValueAllNew,
			})
			if isCondition(err) {
				continue
			}
			if err != nil {
				return dispatch.Lease{}, err
			}

			return leaseOf(n, out.Attributes), nil
		}
	}

	return dispatch.Lease{}, dispatch.ErrNoSlot
}

func leaseOf(n int, i item) dispatch.Lease {
	return dispatch.Lease{
		Slot:    n,
		Owner:   textOf(i, "owner"),
		Fence:   uint64(numberOf(i, "fence")),
		Expires: time.UnixMilli(numberOf(i, "expires")),
	}
}

// Renew implements dispatch.Slots.
func (s Slots) Renew(ctx context.Context, l dispatch.Lease, until time.Time) error {
	err := s.update(ctx, l, "SET expires = :until", item{":until": number(until.UnixMilli())})
	if isCondition(err) {
		return dispatch.ErrLost
	}
	return err
}

// Release implements dispatch.Slots.
func (s Slots) Release(ctx context.Context, l dispatch.Lease) error {
	err := s.update(ctx, l, "REMOVE #owner, expires", item{})
	if isCondition(err) { // it was lost, or released by an earlier try of this write
		return nil
	}
	return err
}

// update changes a slot that still has the owner and the fencing token of the lease.
func (s Slots) update(ctx context.Context, l dispatch.Lease, change string, values item) error {
	values[":owner"], values[":fence"] = text(l.Owner), number(int64(l.Fence))
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 s.table,
		Key:                       slotKey(l.Slot),
		UpdateExpression:          &change,
		ConditionExpression:       aws.String("#owner = :owner AND fence = :fence"),
		ExpressionAttributeNames:  map[string]string{"#owner": "owner"},
		ExpressionAttributeValues: values,
	})
	return err
}

// Held implements dispatch.Slots.
func (s Slots) Held(ctx context.Context, most int, now time.Time) (held []dispatch.Lease, err error) {
	for n := 1; n <= most; n++ {
		slot, err := s.get(ctx, fmt.Sprintf("SLOT#%d", n), "lease")
		if err != nil {
			return nil, err
		}
		if l := leaseOf(n, slot); l.Owner != "" && !now.After(l.Expires.Add(skew)) {
			held = append(held, l)
		}
	}
	return held, nil
}
