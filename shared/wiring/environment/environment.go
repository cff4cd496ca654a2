// Package environment reads the settings of a deployed process. Any of them may be a
// reference to its place:
//
//	arn:aws:secretsmanager:…   the text of a secret
//	arn:aws:ssm:…:parameter/…  the text of a parameter whose name begins with a slash
//
// So no secret is in the environment, where a console shows it, and a function can read a
// base URL that is known only after its creation. References are read once, at the start;
// after changing a secret, restart the processes that use it.
//
// The role needs, on these alone: secretsmanager:GetSecretValue and ssm:GetParameter.
package environment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/smithy-go"

	"governance.internal/shared/catalog"
	"governance.internal/shared/config"
	"governance.internal/shared/telemetry"
)

const readLimit = 5 * time.Second // for one reference

// Load reads the environment of this process, once. It also switches the process to JSON
// logs.
var Load = sync.OnceValues(func() (config.Config, error) {
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	return load(os.LookupEnv, OpenAccount)
})

// load opens the account only if a setting is a reference.
func load(lookup config.Lookup, account func(endpoint string) (Account, error)) (config.Config, error) {
	var failed []error
	c, err := config.Load(func(name string) (string, bool) {
		value, ok := lookup(name)
		if !isReference(value) {
			return value, ok
		}
		value, err := read(value, account)
		if err != nil {
			failed = append(failed, fmt.Errorf("configuration: %s: %w", name, err))
		}
		return value, err == nil
	})

	if len(failed) > 0 {
		return c, errors.Join(failed...)
	}
	return c, err
}

// Telemetry opens the recorder for the collector of the settings; nil without one.
func Telemetry(c config.Config, service string) *telemetry.Recorder {
	return telemetry.New(telemetry.Options{
		Endpoint: c.Telemetry.Endpoint,
		Headers:  c.Telemetry.Headers,
		Ratio:    c.Telemetry.Ratio,
		Service:  cmp.Or(c.Telemetry.Name, service),
		Version:  catalog.APIVersion,
	})
}

const (
	secretPrefix    = "arn:aws:secretsmanager:"
	parameterPrefix = "arn:aws:ssm:"
)

func isReference(value string) bool {
	return strings.HasPrefix(value, secretPrefix) || strings.HasPrefix(value, parameterPrefix)
}

// read fetches the value of a reference. Its errors quote only the reference.
func read(arn string, account func(string) (Account, error)) (string, error) {
	a, err := account("")
	if err != nil {
		return "", err
	}

	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()

	if strings.HasPrefix(arn, secretPrefix) {
		return readSecret(ctx, a, arn)
	}
	_, name, _ := strings.Cut(arn, ":parameter")
	return readParameter(ctx, a, name)
}

// endpoint returns the address of a test server, nil for AWS.
func (a Account) endpoint() *string {
	if a.Endpoint == "" {
		return nil
	}
	return aws.String(a.Endpoint)
}

// keys returns the credentials of the account, or dummy ones for a test server.
func (a Account) keys() aws.CredentialsProvider {
	if a.Credentials == nil {
		return credentials.NewStaticCredentialsProvider("local", "local", "")
	}
	return a.Credentials
}

func readSecret(ctx context.Context, a Account, arn string) (string, error) {
	client := secretsmanager.New(secretsmanager.Options{
		Region:       cmp.Or(a.Region, "local"),
		Credentials:  a.keys(),
		BaseEndpoint: a.endpoint(),
		HTTPClient:   httpClient(),
	})
	out, err := client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: aws.String(arn)})
	if err != nil {
		return "", unquoted(err)
	}
	return value(aws.ToString(out.SecretString))
}

func readParameter(ctx context.Context, a Account, name string) (string, error) {
	client := ssm.New(ssm.Options{
		Region:       cmp.Or(a.Region, "local"),
		Credentials:  a.keys(),
		BaseEndpoint: a.endpoint(),
		HTTPClient:   httpClient(),
	})
	out, err := client.GetParameter(ctx, &ssm.GetParameterInput{Name: aws.String(name)})
	if err != nil {
		return "", unquoted(err)
	}
	if out.Parameter == nil {
		return value("")
	}
	return value(aws.ToString(out.Parameter.Value))
}

func httpClient() *http.Client {
	transport := awshttp.NewBuildableClient().GetTransport()
	return &http.Client{
		Transport: telemetry.Transport(transport),
		Timeout:   readLimit,
		// A redirect would carry the session token elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// unquoted keeps the reason of a refusal and drops the text of an unreadable answer, which
// may hold the secret.
func unquoted(err error) error {
	var refused smithy.APIError
	if errors.As(err, &refused) {
		return err
	}
	var unreadable *smithy.DeserializationError
	if errors.As(err, &unreadable) {
		return errors.New("the answer cannot be read")
	}
	return err
}

// value refuses an empty text.
func value(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", errors.New("the reference leads to nothing")
	}
	return text, nil
}
