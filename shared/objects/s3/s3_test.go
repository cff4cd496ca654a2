package s3_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"governance.internal/shared/objects/objectstest"
	"governance.internal/shared/objects/s3"
	"governance.internal/shared/s3test"
)

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) { return t(req) }

func TestContract(t *testing.T) {
	endpoint, bucket := s3test.Bucket(t)
	objectstest.Run(t, s3.Open(s3.Options{Bucket: bucket, Endpoint: endpoint}))
	missing := s3.Open(s3.Options{Bucket: "missing", Endpoint: endpoint})
	if err := missing.Put(t.Context(), "a", nil); err == nil {
		t.Error("a missing bucket took an object")
	}
	if _, err := missing.Get(t.Context(), "a", 10); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing bucket is no missing object: %v", err)
	}
}

// A conflict, with another upload under way, is tried again; so is a lost answer,
// after which our own object is in the way.
func TestCreatingAgainAfterAConflictAndALostAnswer(t *testing.T) {
	endpoint, bucket := s3test.Bucket(t)
	calls, loses := 0, false
	b := s3.Open(s3.Options{Bucket: bucket, Endpoint: endpoint, Transport: transport(func(req *http.Request) (*http.Response, error) {
		if calls++; calls == 1 {
			return &http.Response{StatusCode: http.StatusConflict, Status: "409 Conflict", Body: http.NoBody}, nil
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if loses && err == nil {
			loses = false
			_ = resp.Body.Close()
			return nil, errors.New("connection reset")
		}
		return resp, err
	})})
	if err := b.Create(t.Context(), "a", []byte("text")); err != nil || calls != 2 {
		t.Errorf("%v after %d requests", err, calls)
	}
	loses = true
	if err := b.Create(t.Context(), "b", []byte("text")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("after a lost answer: %v", err)
	}
	if got, err := b.Get(t.Context(), "b", 10); err != nil || string(got) != "text" {
		t.Errorf("%q (%v)", got, err)
	}
}

// A Create in a locked bucket sends the retention and, as S3 requires, the checksum; a Put
// does not.
func TestALockedObjectNamesItsRetention(t *testing.T) {
	endpoint, bucket := s3test.Bucket(t)
	var seen http.Header
	b := s3.Open(s3.Options{Bucket: bucket, Endpoint: endpoint, Lock: s3.Lock{Retention: 48 * time.Hour, Mode: "compliance"}, Transport: transport(func(req *http.Request) (*http.Response, error) {
		seen = req.Header
		return http.DefaultTransport.RoundTrip(req)
	})})
	before := time.Now().Truncate(time.Second)
	if err := b.Create(t.Context(), "a", []byte("text")); err != nil {
		t.Fatal(err)
	}
	until, err := time.Parse(time.RFC3339, seen.Get("X-Amz-Object-Lock-Retain-Until-Date"))
	if err != nil || until.Before(before.Add(48*time.Hour)) || until.After(time.Now().Add(48*time.Hour)) || seen.Get("X-Amz-Object-Lock-Mode") != "COMPLIANCE" ||
		seen.Get("X-Amz-Checksum-Sha256") != "mC2ePrmW9VnmM/TRlN7zdh2Qn1o7ZH0ahR/q1nwyydE=" || seen.Get("If-None-Match") != "*" {
		t.Errorf("%v (%v)", seen, err)
	}
	if err := b.Put(t.Context(), "b", []byte("text")); err != nil || seen.Get("X-Amz-Object-Lock-Mode") != "" || seen.Get("If-None-Match") != "" {
		t.Errorf("%v (%v)", seen, err)
	}
}

func TestWhatMayWorkNextTimeIsTriedAgain(t *testing.T) {
	endpoint, bucket := s3test.Bucket(t)
	calls := 0
	b := s3.Open(s3.Options{Bucket: bucket, Endpoint: endpoint, Transport: transport(func(req *http.Request) (*http.Response, error) {
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
	b = s3.Open(s3.Options{Bucket: bucket, Endpoint: endpoint, Transport: transport(func(*http.Request) (*http.Response, error) {
		refused++
		return &http.Response{StatusCode: http.StatusForbidden, Status: "403 Forbidden", Body: http.NoBody}, nil
	})})
	if err := b.Put(t.Context(), "k", nil); err == nil || refused != 1 {
		t.Errorf("%v after %d requests", err, refused)
	}
}

// account opens a bucket on AWS whose requests go to a transport.
func account(transport http.RoundTripper) *s3.Bucket {
	return s3.Open(s3.Options{
		Bucket:      "shop",
		Region:      "eu-central-1",
		Credentials: credentials.NewStaticCredentialsProvider("EXAMPLEID", "secret", "session"),
		Transport:   transport,
	})
}

func TestRequestsAreSignedForTheBucket(t *testing.T) {
	var seen *http.Request
	b := account(transport(func(req *http.Request) (*http.Response, error) {
		seen = req
		return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Body: http.NoBody, Header: http.Header{}}, nil
	}))
	if err := b.Put(t.Context(), "payments/x", []byte("text")); err != nil {
		t.Fatal(err)
	}
	if host, path := seen.URL.Host, seen.URL.Path; host != "shop.s3.eu-central-1.amazonaws.com" || path != "/payments/x" {
		t.Errorf("sent to %s%s", host, path)
	}
	signed := seen.Header.Get("Authorization")
	if !strings.Contains(signed, "Credential=EXAMPLEID/") || !strings.Contains(signed, "/eu-central-1/s3/aws4_request") || seen.Header.Get("X-Amz-Security-Token") != "session" {
		t.Errorf("%v", seen.Header)
	}
}

// A redirect would carry the session token of the function's role to whatever host
// it names.
func TestARedirectIsNotFollowed(t *testing.T) {
	var hosts []string
	b := account(transport(func(req *http.Request) (*http.Response, error) {
		hosts = append(hosts, req.URL.Host)
		return &http.Response{
			StatusCode: http.StatusTemporaryRedirect, Status: "307 Temporary Redirect", Body: http.NoBody,
			Header: http.Header{"Location": {"https://elsewhere.example/"}},
		}, nil
	}))
	if err := b.Put(t.Context(), "k", []byte("text")); err == nil || len(hosts) != 1 {
		t.Errorf("%v after requests to %v", err, hosts)
	}
}

func TestARefusalSaysWhy(t *testing.T) {
	b := s3.Open(s3.Options{Bucket: "b", Endpoint: "http://127.0.0.1:1", Transport: transport(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusForbidden, Status: "403 Forbidden",
			Body: io.NopCloser(strings.NewReader("<Error><Code>AccessDenied</Code></Error>" + strings.Repeat(" ", 1<<20)))}, nil
	})})
	_, err := b.Get(t.Context(), "k", 10)
	for _, err := range []error{err, b.Put(t.Context(), "k", nil)} {
		if err == nil || !strings.Contains(err.Error(), "AccessDenied") || len(err.Error()) > 400 {
			t.Errorf("%v", err)
		}
	}
}
