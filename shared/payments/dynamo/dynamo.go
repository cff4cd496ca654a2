// Package dynamo is the payment store of a deployment: one DynamoDB table. Each
// write is one request with conditions, each read is strongly consistent, and
// the answer of a write may get lost: a write that is tried again recognizes
// what it wrote before.
//
// The table has the keys pk and sk, both strings, and no index:
//
//	pk                      sk            what
//	PAY#<payment key>       record        version, state, data, bound, write
//	NONCE#<nonce>           payment key   finds the records of an authorization nonce
//	OPEN#<shard>            payment key   exists while the payment is unfinished
//	IDEM#<identifier key>   identifier    payload_hash
//	WALLET#<chain>#<wallet> wallet        next_nonce
//	WTX#<chain>#<wallet>    wallet nonce  data: the signed transaction, 20 digits
//
// The attribute ttl (Unix seconds) is a broom for what nobody needs any more; it
// protects nothing, and the table works without it.
//
// The function's role needs, on this table alone: dynamodb:GetItem,
// dynamodb:Query, dynamodb:PutItem, dynamodb:UpdateItem and dynamodb:DeleteItem.
// TransactWriteItems needs no permission beside those of its parts.
package dynamo

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"

	"governance.internal/shared/payments"
)

const (
	callLimit    = 10 * time.Second // one call of the store, all its tries included
	attemptLimit = 3 * time.Second  // one try
	mostAttempts = 16
)

// Options say which table and how it is reached. Only Table is required.
type Options struct {
	Table     string
	Endpoint  string            // of a local engine, "" for AWS
	Transport http.RoundTripper // nil: the default one
	Now       func() time.Time  // nil: time.Now; it only dates the ttl
}

// Store implements payments.Store.
type Store struct {
	client *dynamodb.Client
	table  *string
	now    func() time.Time
}

var _ payments.Store = (*Store)(nil)

// Open prepares the client; it sends nothing. Region and credentials come from
// where the AWS SDK finds them; a local engine gets neither.
func Open(ctx context.Context, o Options) (*Store, error) {
	load := []func(*config.LoadOptions) error{config.WithHTTPClient(awshttp.NewBuildableClient().WithTimeout(attemptLimit))}
	if o.Endpoint != "" {
		load = append(load, config.WithRegion("local"), config.WithBaseEndpoint(o.Endpoint),
			config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("local", "local", "")))
	}
	settings, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return nil, fmt.Errorf("payment table %s: %w", o.Table, err)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	client := dynamodb.NewFromConfig(settings, func(c *dynamodb.Options) {
		c.Retryer = newRetryer()
		c.Logger = logging.Nop{} // it calls the checksum of every refused write wrong
		if o.Transport != nil {
			c.HTTPClient = &http.Client{Transport: o.Transport, Timeout: attemptLimit}
		}
	})
	return &Store{client: client, table: aws.String(o.Table), now: o.Now}, nil
}

// newRetryer tries again what may work next time, as soon as it may: throttling,
// conflicts of transactions, lost answers. The context ends it, or the count.
func newRetryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = mostAttempts
		o.Backoff = retry.BackoffDelayerFunc(jitter)
		o.RateLimiter = ratelimit.None
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(collided)}, o.Retryables...)
	})
}
