package dynamo

import (
	"bytes"
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/shared/audit"
)

var _ audit.Notes = (*Store)(nil)

func (s *Store) noteKey(name string) item {
	return key("n#"+s.chain, name)
}

// Note implements [audit.Notes].
func (s *Store) Note(ctx context.Context, name string) ([]byte, error) {
	if err := audit.CheckNoteName(name); err != nil {
		return nil, err
	}
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName:      aws.String(s.table),
		Key:            s.noteKey(name),
		ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, s.failed(err)
	}
	return bytesOf(out.Item, lines), nil
}

// SetNote implements [audit.Notes]. A condition that failed because an earlier try
// of the same request came in is a success.
func (s *Store) SetNote(ctx context.Context, name string, old, next []byte) error {
	if err := audit.CheckNoteName(name); err != nil {
		return err
	}
	put := s.noteKey(name)
	put[lines] = binary(next)
	in := &dynamodb.PutItemInput{
		TableName:                           aws.String(s.table),
		Item:                                put,
		ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}

	if old != nil {
		in.ConditionExpression = aws.String("b = :old")
		in.ExpressionAttributeValues = item{":old": binary(old)}
	}

	_, err := s.client.PutItem(ctx, in)
	var failed *types.ConditionalCheckFailedException
	switch {
	case err == nil, errors.As(err, &failed) && bytes.Equal(bytesOf(failed.Item, lines), next):
		return nil
	case failed != nil:
		return audit.ErrNoteChanged
	}

	return s.failed(err)
}
