package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/shared/audit/sealed"
)

var _ sealed.Hot = (*Store)(nil)

func (s *Store) segmentPartition() string { return "s#" + s.chain }

// Segments implements [sealed.Index]. An item that is no manifest, or another one than
// its key says, ends the list.
func (s *Store) Segments(ctx context.Context, after uint64) ([]sealed.Segment, error) {
	from := blockSorting(after + 1)
	to := blockSorting(maxSeq)
	query := s.query(s.segmentPartition(), from, to)

	var found []sealed.Segment
	for i, err := range s.all(ctx, query) {
		if err != nil {
			return nil, err
		}

		written := textOf(i, manifest)
		segment, err := sealed.ParseSegment([]byte(written))
		if err != nil || blockSorting(segment.First) != textOf(i, sorting) {
			break
		}
		found = append(found, segment)
	}

	return found, nil
}

// AddSegment implements [sealed.Index].
func (s *Store) AddSegment(ctx context.Context, segment sealed.Segment) error {
	put := key(s.segmentPartition(), blockSorting(segment.First))
	put[manifest] = text(string(segment.Manifest()))
	_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:                           aws.String(s.table),
		Item:                                put,
		ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})

	var there *types.ConditionalCheckFailedException
	switch {
	case errors.As(err, &there) && textOf(there.Item, manifest) == textOf(put, manifest):
		return nil
	case there != nil:
		return s.tampered(fmt.Sprintf("another segment begins at entry %d", segment.First))
	case err != nil:
		return s.failed(err)
	}

	return nil
}
