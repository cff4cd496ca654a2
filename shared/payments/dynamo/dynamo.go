// Package dynamo is the payment store of a deployment: one DynamoDB table. Each
// write is one request with conditions, each read is strongly consistent, and
// the answer of a write may get lost: a write that is tried again recognizes
// what it wrote before.
//
// The table has the keys pk and sk, both strings, and no index:
//
//	pk                      sk            what
//	PAY#<payment key>       record        version, open, data, bound, write
//	NONCE#<nonce>           payment key   finds the records of an authorization nonce
//	OPEN#<shard>            payment key   exists while the record is open
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
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
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

// Open prepares the client; it sends nothing.
func Open(o Options) (*Store, error) {
	region, keys, err := account(o)
	if err != nil {
		return nil, err
	}
	settings := dynamodb.Options{
		Region: region, Credentials: keys, Retryer: newRetryer(),
		HTTPClient: awshttp.NewBuildableClient().WithTimeout(attemptLimit),
		Logger:     logging.Nop{}, // it calls the checksum of every refused write wrong
	}
	if o.Endpoint != "" {
		settings.BaseEndpoint = aws.String(o.Endpoint)
	}
	if o.Transport != nil {
		settings.HTTPClient = &http.Client{Transport: o.Transport, Timeout: attemptLimit}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{client: dynamodb.New(settings), table: aws.String(o.Table), now: o.Now}, nil
}

// account reads what Lambda puts into the environment of a function. The SDK's
// own search would read the same and carry SSO, STS and instance metadata, 1.7 MB
// that no function uses. A local engine needs neither region nor keys.
func account(o Options) (region string, keys aws.CredentialsProvider, err error) {
	if o.Endpoint != "" {
		return "local", credentials.NewStaticCredentialsProvider("local", "local", ""), nil
	}
	region, id, secret := os.Getenv("AWS_REGION"), os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if region == "" || id == "" || secret == "" {
		return "", nil, fmt.Errorf("payment table %s: set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as Lambda does", o.Table)
	}
	return region, credentials.NewStaticCredentialsProvider(id, secret, os.Getenv("AWS_SESSION_TOKEN")), nil
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
