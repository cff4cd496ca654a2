package wiring

import (
	"context"
	"errors"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"governance.internal/shared/awsapi"
)

// awsAccount is an account for the SDK's clients and for single signed requests.
type awsAccount struct {
	awsapi.Account
	Credentials aws.CredentialsProvider
}

// account reads what Lambda puts into the environment of a function. The SDK's
// own search would read the same and carry SSO, STS and instance metadata, 1.7 MB
// that no function uses.
//
// A local engine, at an endpoint, needs none of it.
func account(endpoint string) (awsAccount, error) {
	if endpoint != "" {
		return awsAccount{Account: awsapi.Account{Endpoint: endpoint}}, nil
	}
	region, id, secret := os.Getenv("AWS_REGION"), os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if region == "" || id == "" || secret == "" {
		return awsAccount{}, errors.New("configuration: set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as Lambda does")
	}
	keys := credentials.NewStaticCredentialsProvider(id, secret, os.Getenv("AWS_SESSION_TOKEN"))
	return awsAccount{awsapi.Account{Region: region, Sign: signer(keys)}, keys}, nil
}

// signer signs with the SDK's signer. S3 alone does not escape a path twice.
func signer(keys aws.CredentialsProvider) awsapi.Signer {
	return func(ctx context.Context, req *http.Request, digest, service, region string) error {
		credentials, err := keys.Retrieve(ctx)
		if err != nil {
			return err
		}
		s := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = service == "s3" })
		return s.SignHTTP(ctx, credentials, req, digest, service, region, time.Now())
	}
}
