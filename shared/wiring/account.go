package wiring

import (
	"errors"
	"os"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"governance.internal/shared/awsapi"
)

// account reads what Lambda puts into the environment of a function. The SDK's
// own search would read the same and carry SSO, STS and instance metadata, 1.7 MB
// that no function uses.
//
// A local engine, at an endpoint, needs none of it.
func account(endpoint string) (awsapi.Account, error) {
	if endpoint != "" {
		return awsapi.Account{Endpoint: endpoint}, nil
	}
	region, id, secret := os.Getenv("AWS_REGION"), os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if region == "" || id == "" || secret == "" {
		return awsapi.Account{}, errors.New("configuration: set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as Lambda does")
	}
	return awsapi.Account{Region: region, Credentials: credentials.NewStaticCredentialsProvider(id, secret, os.Getenv("AWS_SESSION_TOKEN"))}, nil
}
