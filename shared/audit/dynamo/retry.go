package dynamo

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const mostAttempts = 16

// newRetryer tries again, as soon as it may, what the table was too busy for and
// what got no answer. The context ends it, or the count. A lost race is not tried
// again: the head has moved.
func newRetryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = mostAttempts
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) {
			return jitter(attempt, 8*time.Millisecond, 512*time.Millisecond), nil
		})
		o.RateLimiter = ratelimit.None
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(busy)}, o.Retryables...)
	})
}

// jitter is a random time in a window that doubles from first to last.
func jitter(attempt int, first, last time.Duration) time.Duration {
	return rand.N(min(first<<min(max(attempt, 0), 16), last))
}

// sleep waits, and returns early with the error of the context.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Codes of a cancellation reason.
const (
	reasonNone        = "None"
	reasonCondition   = "ConditionalCheckFailed"
	reasonThrottled   = "ThrottlingError"
	reasonProvisioned = "ProvisionedThroughputExceeded"
)

// busy says whether the same request can be sent again because a limit of the
// table, or an earlier try still on its way, stood against it, and nothing else.
func busy(err error) aws.Ternary {
	var conflict *types.TransactionConflictException
	var inProgress *types.TransactionInProgressException
	if errors.As(err, &conflict) || errors.As(err, &inProgress) {
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
		case reasonThrottled, reasonProvisioned:
			again = true
		default:
			return aws.FalseTernary
		}
	}
	return aws.BoolTernary(again)
}
