// Package s3test gives tests an S3 bucket on an engine in this process.
package s3test

import (
	"net/http/httptest"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Bucket creates a bucket that lives as long as the test.
func Bucket(t testing.TB) (endpoint, name string) {
	t.Helper()
	backend := s3mem.New()
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithoutVersioning()).Server())
	t.Cleanup(server.Close)
	if err := backend.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	return server.URL, "results"
}
