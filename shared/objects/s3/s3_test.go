package s3_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"governance.internal/shared/awsapi"
	"governance.internal/shared/objects/s3"
	"governance.internal/shared/s3test"
)

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) { return t(req) }

func TestWhatIsPutComesBack(t *testing.T) {
	endpoint, bucket := s3test.Bucket(t)
	b := s3.Open(bucket, awsapi.Account{Endpoint: endpoint})
	for key, body := range map[string][]byte{"a/b-c.1": []byte("text"), "empty": {}, "large": bytes.Repeat([]byte{7}, 1<<20)} {
		for range 2 { // the same once more is no error
			if err := b.Put(t.Context(), key, body); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := b.Get(t.Context(), key, 1<<20); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s: %d bytes (%v)", key, len(got), err)
		}
	}
	if _, err := b.Get(t.Context(), "large", 1<<20-1); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("an object above the limit: %v", err)
	}
	if _, err := b.Get(t.Context(), "missing", 10); !errors.Is(err, s3.ErrNotFound) {
		t.Errorf("a missing object: %v", err)
	}
	if err := s3.Open("missing", awsapi.Account{Endpoint: endpoint}).Put(t.Context(), "a", nil); err == nil {
		t.Error("a missing bucket took an object")
	}
}

func TestWhatMayWorkNextTimeIsTriedAgain(t *testing.T) {
	endpoint, bucket := s3test.Bucket(t)
	calls := 0
	b := s3.Open(bucket, awsapi.Account{Endpoint: endpoint, Transport: transport(func(req *http.Request) (*http.Response, error) {
		switch calls++; calls % 3 {
		case 1:
			return nil, errors.New("connection reset")
		case 2:
			return &http.Response{StatusCode: http.StatusServiceUnavailable, Status: "503 Slow Down", Body: http.NoBody}, nil
		}
		return http.DefaultTransport.RoundTrip(req)
	})})
	if err := b.Put(t.Context(), "k", []byte("text")); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Get(t.Context(), "k", 10); err != nil || string(got) != "text" {
		t.Errorf("%q (%v)", got, err)
	}
	refused := 0
	b = s3.Open(bucket, awsapi.Account{Endpoint: endpoint, Transport: transport(func(*http.Request) (*http.Response, error) {
		refused++
		return &http.Response{StatusCode: http.StatusForbidden, Status: "403 Forbidden", Body: http.NoBody}, nil
	})})
	if err := b.Put(t.Context(), "k", nil); err == nil || refused != 1 {
		t.Errorf("%v after %d requests", err, refused)
	}
}

func TestRequestsAreSignedForTheBucket(t *testing.T) {
	var seen *http.Request
	b := s3.Open("shop", awsapi.Account{Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("EXAMPLEID", "secret", "session"),
		Transport: transport(func(req *http.Request) (*http.Response, error) {
			seen = req
			return nil, context.Canceled
		})})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Put(ctx, "payments/x", []byte("text")); err == nil {
		t.Fatal("no error")
	}
	if url := seen.URL.String(); url != "https://shop.s3.eu-central-1.amazonaws.com/payments/x" {
		t.Error(url)
	}
	if got := seen.Header.Get("Authorization"); !strings.Contains(got, "EXAMPLEID/") || !strings.Contains(got, "/eu-central-1/s3/aws4_request") ||
		!strings.Contains(got, "x-amz-content-sha256") || seen.Header.Get("X-Amz-Security-Token") != "session" {
		t.Errorf("%v", seen.Header)
	}
}

// A redirect would carry the session token of the function's role to whatever host
// it names.
func TestARedirectIsNotFollowed(t *testing.T) {
	var hosts []string
	b := s3.Open("b", awsapi.Account{Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("id", "secret", "session"),
		Transport: transport(func(req *http.Request) (*http.Response, error) {
			hosts = append(hosts, req.URL.Host)
			return &http.Response{StatusCode: http.StatusTemporaryRedirect, Status: "307 Temporary Redirect", Body: http.NoBody,
				Header: http.Header{"Location": {"https://elsewhere.example/"}}}, nil
		})})
	if err := b.Put(t.Context(), "k", []byte("text")); err == nil || len(hosts) != 1 {
		t.Errorf("%v after requests to %v", err, hosts)
	}
}

func TestARefusalSaysWhy(t *testing.T) {
	b := s3.Open("b", awsapi.Account{Endpoint: "http://127.0.0.1:1", Transport: transport(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusForbidden, Status: "403 Forbidden",
			Body: io.NopCloser(strings.NewReader("<Error><Code>AccessDenied</Code>" + strings.Repeat("x", 1<<20)))}, nil
	})})
	_, err := b.Get(t.Context(), "k", 10)
	for _, err := range []error{err, b.Put(t.Context(), "k", nil)} {
		if err == nil || !strings.Contains(err.Error(), "AccessDenied") || len(err.Error()) > 400 {
			t.Errorf("%v", err)
		}
	}
}
