package environment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// Account holds the region and credentials for the services of AWS.
type Account struct {
	Region      string
	Credentials aws.CredentialsProvider
	Endpoint    string // of a local engine, which needs neither of them; "" for AWS
}

// OpenAccount reads the region and credentials that Lambda or ECS sets in the environment
// of a process. The SDK's own search reads the same values and links SSO, STS and
// instance metadata, 1.7 MB that no function uses.
//
// A local engine at an endpoint needs neither.
func OpenAccount(endpoint string) (Account, error) {
	if endpoint != "" {
		return Account{Endpoint: endpoint}, nil
	}
	region := os.Getenv("AWS_REGION")
	id := os.Getenv("AWS_ACCESS_KEY_ID")
	secret := os.Getenv("AWS_SECRET_ACCESS_KEY")
	if path := os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); path != "" && region != "" && id == "" {
		return accountOf(region, taskRole(taskCredentials+path)), nil
	}

	if region == "" || id == "" || secret == "" {
		return Account{}, errors.New("configuration: set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as Lambda does")
	}
	return accountOf(region, credentials.NewStaticCredentialsProvider(id, secret, os.Getenv("AWS_SESSION_TOKEN"))), nil
}

func accountOf(region string, keys aws.CredentialsProvider) Account {
	return Account{Region: region, Credentials: keys}
}

// taskCredentials is where ECS hands out the keys of a task's role (task IAM role,
// Amazon ECS Developer Guide).
const taskCredentials = "http://169.254.170.2"

const (
	keysLimit   = 3 * time.Second // for that answer
	maxKeys     = 16 << 10        // bytes of it
	renewBefore = 5 * time.Minute // before the keys expire
)

// taskRole fetches keys on first use, and again before they expire.
func taskRole(address string) aws.CredentialsProvider {
	client := &http.Client{Timeout: keysLimit}
	return aws.NewCredentialsCache(aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
		keys, err := fetchKeys(ctx, client, address)
		if err != nil {
			return aws.Credentials{}, fmt.Errorf("credentials of the task's role: %w", err)
		}
		return keys, nil
	}), func(o *aws.CredentialsCacheOptions) { o.ExpiryWindow = renewBefore })
}

func fetchKeys(ctx context.Context, client *http.Client, address string) (aws.Credentials, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return aws.Credentials{}, err
	}

	resp, err := client.Do(req)
	if err != nil {
		return aws.Credentials{}, err
	}
	defer resp.Body.Close()

	if resp.StatusCode != http.StatusOK {
		return aws.Credentials{}, errors.New(resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxKeys))
	if err != nil {
		return aws.Credentials{}, err
	}

	return parseKeys(text)
}

// parseKeys reads the answer of ECS. Its errors do not quote the answer.
func parseKeys(text []byte) (aws.Credentials, error) {
	var keys struct {
		AccessKeyID     string `json:"AccessKeyId"`
		SecretAccessKey string
		Token           string
		Expiration      time.Time
	}
	if err := json.Unmarshal(text, &keys); err != nil || keys.Expiration.IsZero() {
		return aws.Credentials{}, errors.New("the answer holds no keys")
	}
	if keys.AccessKeyID == "" || keys.SecretAccessKey == "" {
		return aws.Credentials{}, errors.New("the answer holds no keys")
	}

	return aws.Credentials{
		AccessKeyID:     keys.AccessKeyID,
		SecretAccessKey: keys.SecretAccessKey,
		SessionToken:    keys.Token,
		Source:          "task role",
		CanExpire:       true,
		Expires:         keys.Expiration,
	}, nil
}
