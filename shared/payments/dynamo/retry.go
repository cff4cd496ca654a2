package dynamo

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// jitter is a random time in a window that doubles from 8 ms to 512 ms.
func jitter(attempt int, _ error) (time.Duration, error) {
	window := 8 * time.Millisecond << min(max(attempt, 0), 6)
	return rand.N(window), nil
}

// Codes of a cancellation reason.
const (
	reasonNone        = "None"
	reasonCondition   = "ConditionalCheckFailed"
	reasonConflict    = "TransactionConflict"
	reasonThrottled   = "ThrottlingError"
	reasonProvisioned = "ProvisionedThroughputExceeded"
)

// collided says whether a write lost against another one or against a limit of
// the table, so that the same write can be sent again. A failed condition is an
// answer, whatever else went wrong beside it.
func collided(err error) aws.Ternary {
	var conflict *types.TransactionConflictException
	if errors.As(err, &conflict) {
		return aws.TrueTernary
	}
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return aws.UnknownTernary
	}
	again := false
	for _, reason := range canceled.CancellationReasons {
		switch aws.ToString(reason.Code) {
		case "", reasonNone:
		case reasonConflict, reasonThrottled, reasonProvisioned:
			again = true
		default:
			return aws.FalseTernary
		}
	}
	return aws.BoolTernary(again)
}
