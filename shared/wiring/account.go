package wiring

import (
	"errors"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// account reads what Lambda puts into the environment of a function. The SDK's
// own search would read the same and carry SSO, STS and instance metadata, 1.7 MB
// that no function uses.
func account() (region string, keys aws.CredentialsProvider, err error) {
	region, id, secret := os.Getenv("AWS_REGION"), os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if region == "" || id == "" || secret == "" {
		return "", nil, errors.New("configuration: set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as Lambda does")
	}
	return region, credentials.NewStaticCredentialsProvider(id, secret, os.Getenv("AWS_SESSION_TOKEN")), nil
}
