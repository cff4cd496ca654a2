// Package dynamo makes clients of DynamoDB that send a request again, as soon as it
// may be, when the table was too busy for it or its answer was lost.
//
// A write whose answer was lost may have had its effect: its repetition then meets
// its own work, and the sender must recognize that.
package dynamo

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/logging"

	"governance.internal/shared/telemetry"
)

const (
	attemptLimit = 3 * time.Second // one try of a request
	mostAttempts = 16
)

// Service says how DynamoDB is reached: Endpoint, or Region and Credentials.
type Service struct {
	Region      string
	Credentials aws.CredentialsProvider
	Endpoint    string            // of a local engine, which needs neither region nor credentials; "" for AWS
	Transport   http.RoundTripper // nil: the default one
	Attempt     time.Duration     // for one try of a request; 0: three seconds
}

// Codes of a cancellation reason of a transaction.
const (
	ReasonNone        = "None"
	ReasonCondition   = "ConditionalCheckFailed"
	ReasonConflict    = "TransactionConflict"
	ReasonThrottled   = "ThrottlingError"
	ReasonProvisioned = "ProvisionedThroughputExceeded"
)

// New prepares a client; it sends nothing. A transaction that was canceled only for
// throttling, or for the further reasons, is sent again; one that was canceled for
// another reason besides is not: a failed condition is an answer.
func New(s Service, further ...string) *dynamodb.Client {
	transport := s.Transport
	if transport == nil {
		transport = awshttp.NewBuildableClient().GetTransport()
	}

	o := dynamodb.Options{
		Region:      s.Region,
		Credentials: s.Credentials,
		Retryer:     retryer(append(further, ReasonThrottled, ReasonProvisioned)),
		HTTPClient: &http.Client{
			Transport: telemetry.Transport(transport),
			Timeout:   cmp.Or(s.Attempt, attemptLimit),
		},
		Logger: logging.Nop{}, // it calls the checksum of every refused write wrong
	}

	if s.Endpoint != "" {
		o.BaseEndpoint, o.Region = aws.String(s.Endpoint), "local"
		o.Credentials = credentials.NewStaticCredentialsProvider("local", "local", "")
	}

	return dynamodb.New(o)
}

// retryer ends with the context, or after mostAttempts.
func retryer(again []string) aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = mostAttempts
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) {
			return Jitter(attempt, 8*time.Millisecond, 512*time.Millisecond), nil
		})
		o.RateLimiter = ratelimit.None
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
			return isBusy(err, again)
		})}, o.Retryables...)
	})
}

// isBusy reports whether the same request can be sent again because another one, an earlier
// try still on its way, or a limit of the table stood against it.
func isBusy(err error, again []string) aws.Ternary {
	var conflict *types.TransactionConflictException
	var inProgress *types.TransactionInProgressException
	if errors.As(err, &conflict) || errors.As(err, &inProgress) {
		return aws.TrueTernary
	}

	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return aws.UnknownTernary
	}

	busy := false
	for _, reason := range canceled.CancellationReasons {
		switch code := aws.ToString(reason.Code); {
		case code == "" || code == ReasonNone:
		case slices.Contains(again, code):
			busy = true
		default:
			return aws.FalseTernary
		}
	}

	return aws.BoolTernary(busy)
}

// Jitter is a random time in a window that doubles from first to last.
func Jitter(attempt int, first, last time.Duration) time.Duration {
	return rand.N(min(first<<min(max(attempt, 0), 16), last))
}

// Sleep waits, and returns early with the error of the context.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
