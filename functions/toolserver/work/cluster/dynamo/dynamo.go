// Package dynamo keeps what the tasks of the tool server share in one DynamoDB table.
// Reads are strongly consistent. The table has the keys pk and sk, both strings:
//
//	pk          sk      what
//	TASK#<task> lease   addr, expires (Unix milliseconds), ttl
//	TASKS       secret  secret
//	HALT        flag    epoch, and halt (JSON) while a halt is in force
//	SLOT#<n>    lease   fence, and owner and expires while an agent has the slot
//
// The attribute ttl (Unix seconds) lets the table forget tasks that died. The task's
// role needs dynamodb:GetItem, dynamodb:PutItem, dynamodb:UpdateItem and
// dynamodb:DeleteItem on this table alone.
package dynamo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/functions/toolserver/work/cluster"
	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/shared/awsapi/dynamo"
)

// Store implements cluster.Table and killswitch.Flag.
type Store struct {
	client *dynamodb.Client
	table  *string
}

var (
	_ cluster.Table   = (*Store)(nil)
	_ killswitch.Flag = (*Store)(nil)
)

// Open prepares the client of a table; it sends nothing.
func Open(table string, service dynamo.Service) *Store {
	return &Store{dynamo.New(service), aws.String(table)}
}

type item = map[string]types.AttributeValue

func text(value string) types.AttributeValue {
	return &types.AttributeValueMemberS{Value: value}
}

func number(value int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(value, 10)}
}

func key(pk, sk string) item {
	return item{"pk": text(pk), "sk": text(sk)}
}

func textOf(i item, name string) string {
	if value, ok := i[name].(*types.AttributeValueMemberS); ok {
		return value.Value
	}
	return ""
}

func numberOf(i item, name string) int64 {
	value, ok := i[name].(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(value.Value, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (s *Store) get(ctx context.Context, pk, sk string) (item, error) {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName:      s.table,
		Key:            key(pk, sk),
		ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, err
	}
	return out.Item, nil
}

// Secret implements cluster.Table.
func (s *Store) Secret(ctx context.Context, proposal string) (string, error) {
	first := key("TASKS", "secret")
	first["secret"] = text(proposal)
	_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:           s.table,
		Item:                first,
		ConditionExpression: aws.String("attribute_not_exists(pk)"),
	})
	if err != nil && !isCondition(err) {
		return "", err
	}

	there, err := s.get(ctx, "TASKS", "secret")
	if err != nil {
		return "", err
	}
	if secret := textOf(there, "secret"); len(secret) >= 32 {
		return secret, nil
	}

	return "", errors.New("the table holds no secret of the tasks")
}

func isCondition(err error) bool {
	var failed *types.ConditionalCheckFailedException
	return errors.As(err, &failed)
}

// Renew implements cluster.Table.
func (s *Store) Renew(ctx context.Context, l cluster.Lease) error {
	lease := key("TASK#"+l.Task, "lease")
	lease["addr"], lease["expires"] = text(l.Address), number(l.Expires.UnixMilli())
	lease["ttl"] = number(l.Expires.Add(time.Hour).Unix())
	_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: s.table,
		Item:      lease,
	})
	return err
}

// Lease implements cluster.Table.
func (s *Store) Lease(ctx context.Context, task string) (cluster.Lease, bool, error) {
	lease, err := s.get(ctx, "TASK#"+task, "lease")
	if err != nil || lease == nil {
		return cluster.Lease{}, false, err
	}
	return cluster.Lease{
		Task:    task,
		Address: textOf(lease, "addr"),
		Expires: time.UnixMilli(numberOf(lease, "expires")),
	}, true, nil
}

// Release implements cluster.Table.
func (s *Store) Release(ctx context.Context, task string) error {
	_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: s.table,
		Key:       key("TASK#"+task, "lease"),
	})
	return err
}

// Read implements killswitch.Flag.
func (s *Store) Read(ctx context.Context) (*killswitch.Halt, uint64, error) {
	flag, err := s.get(ctx, "HALT", "flag")
	if err != nil {
		return nil, 0, err
	}

	epoch := uint64(numberOf(flag, "epoch"))
	if _, raised := flag["halt"]; !raised {
		return nil, epoch, nil
	}

	halt := new(killswitch.Halt)
	if json.Unmarshal([]byte(textOf(flag, "halt")), halt) != nil {
		halt = &killswitch.Halt{Reason: "the halt in the table cannot be read"}
	}
	return halt, epoch, nil
}

// Raise implements killswitch.Flag.
func (s *Store) Raise(ctx context.Context, h killswitch.Halt) error {
	halt, err := json.Marshal(h)
	if err != nil {
		return err
	}

	_, err = s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           s.table,
		Key:                 key("HALT", "flag"),
		UpdateExpression:    aws.String("SET halt = :halt ADD epoch :one"),
		ConditionExpression: aws.String("attribute_not_exists(halt)"),
		ExpressionAttributeValues: item{
			":halt": text(string(halt)),
			":one":  number(1),
		},
	})
	if isCondition(err) { // halted already, perhaps by an earlier try of this write
		return nil
	}

	return err
}

// Lift implements killswitch.Flag.
func (s *Store) Lift(ctx context.Context, epoch uint64) error {
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           s.table,
		Key:                 key("HALT", "flag"),
		UpdateExpression:    aws.String("REMOVE halt ADD epoch :one"),
		ConditionExpression: aws.String("attribute_exists(halt) AND epoch = :epoch"),
		ExpressionAttributeValues: item{
			":epoch": number(int64(epoch)),
			":one":   number(1),
		},
	})
	if !isCondition(err) {
		return err
	}

	halt, now, err := s.Read(ctx)
	if err == nil && halt != nil {
		err = fmt.Errorf("the halt of epoch %d was lifted, and there is another one of epoch %d", epoch, now)
	}

	return err // nil: lifted by this write's lost first try, or by another task
}
