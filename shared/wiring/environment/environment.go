// Package environment reads the settings of a deployed process. Any of them may be a
// reference to where it is kept:
//
//	arn:aws:secretsmanager:…   the text of a secret
//	arn:aws:ssm:…:parameter/…  the text of a parameter whose name begins with a slash
//
// So no secret stands in the environment, where a console shows it, and the functions
// learn a base URL that is known only after they are made. References are read once, at
// the start: whoever changes a secret restarts what uses it.
//
// The role needs, on these alone: secretsmanager:GetSecretValue and ssm:GetParameter.
package environment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"governance.internal/shared/awsapi"
	"governance.internal/shared/catalog"
	"governance.internal/shared/config"
	"governance.internal/shared/telemetry"
)

const (
	readLimit  = 5 * time.Second // for one reference
	mostAnswer = 128 << 10       // a secret has at most 64 KB
)

// Load reads the environment of this process, once. From then on the process logs
// JSON, for machines.
var Load = sync.OnceValues(func() (config.Config, error) {
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	return load(os.LookupEnv, OpenAccount)
})

// load has the account's search as an argument, since only references need one.
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

// Telemetry opens what the settings say about a collector; nil if they name none.
func Telemetry(c config.Config, service string) *telemetry.Recorder {
	return telemetry.New(telemetry.Options{
		Endpoint: c.Telemetry.Endpoint, Headers: c.Telemetry.Headers, Ratio: c.Telemetry.Ratio,
		Service: cmp.Or(c.Telemetry.Name, service), Version: catalog.APIVersion,
	})
}

const (
	secretPrefix    = "arn:aws:secretsmanager:"
	parameterPrefix = "arn:aws:ssm:"
)

func isReference(value string) bool {
	return strings.HasPrefix(value, secretPrefix) || strings.HasPrefix(value, parameterPrefix)
}

// read fetches what a reference stands for. Its errors quote the reference at most.
func read(arn string, account func(string) (Account, error)) (string, error) {
	a, err := account("")
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()
	if strings.HasPrefix(arn, secretPrefix) {
		var answer struct{ SecretString string }
		err := call(ctx, a.Account, "secretsmanager", "secretsmanager.GetSecretValue", map[string]string{"SecretId": arn}, &answer)
		return value(answer.SecretString, err)
	}
	_, name, _ := strings.Cut(arn, ":parameter")
	var answer struct{ Parameter struct{ Value string } }
	err = call(ctx, a.Account, "ssm", "AmazonSSM.GetParameter", map[string]string{"Name": name}, &answer)
	return value(answer.Parameter.Value, err)
}

func value(text string, err error) (string, error) {
	if err == nil && strings.TrimSpace(text) == "" {
		err = errors.New("the reference leads to nothing")
	}
	return text, err
}

// call does one operation of a service that speaks JSON 1.1.
func call(ctx context.Context, a awsapi.Account, service, operation string, input, output any) error {
	body, err := json.Marshal(input)
	if err != nil {
		return err
	}
	url := a.Endpoint
	if url == "" {
		url = "https://" + service + "." + a.Region + ".amazonaws.com/"
	}
	header := http.Header{"Content-Type": {"application/x-amz-json-1.1"}, "X-Amz-Target": {operation}}
	answer, err := awsapi.New(service, a).Do(ctx, http.MethodPost, url, header, body, mostAnswer)
	if err != nil {
		return err
	}
	if json.Unmarshal(answer, output) != nil {
		return errors.New("the answer is not JSON") // the cause could quote it
	}
	return nil
}
