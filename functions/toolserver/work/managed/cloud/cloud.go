// Package cloud holds what the AWS providers of managed processes share: endpoints, retries
// and the reporting of errors.
package cloud

import (
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// The limits keep the requests of one process within the time that a halt has.
const (
	attemptLimit = 1500 * time.Millisecond // for one try of a request
	maxAttempts  = 4
	maxPause     = 200 * time.Millisecond // between two tries
)

// Account says how a service is reached.
type Account struct {
	Region      string
	Credentials aws.CredentialsProvider
	Endpoint    string // of a test double; "" for AWS
}

// BaseEndpoint is the endpoint in the form of the SDK's options: nil for AWS itself.
func (a Account) BaseEndpoint() *string {
	if a.Endpoint == "" {
		return nil
	}
	return aws.String(a.Endpoint)
}

// HTTPClient returns a client that gives up a try after 1.5 seconds.
func HTTPClient() aws.HTTPClient {
	return awshttp.NewBuildableClient().WithTimeout(attemptLimit)
}

// Retryer returns the policy for repeating a request: four tries with short pauses.
func Retryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = maxAttempts
		o.MaxBackoff = maxPause
		o.RateLimiter = ratelimit.None
	})
}

// Refused reports the failure of an operation by the service's error code, because its
// message may contain names of the account.
func Refused(service, operation string, err error) error {
	var known smithy.APIError
	if errors.As(err, &known) {
		return errors.New(service + " refuses " + operation + ": " + known.ErrorCode())
	}
	return errors.New(service + " does not answer " + operation)
}
