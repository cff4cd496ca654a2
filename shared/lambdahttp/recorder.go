package lambdahttp

import (
	"bytes"
	"net/http"
)

// recorder collects an answer with the rules of net/http: the first status counts,
// later headers are dropped, no status means 200, and 1xx is not an answer.
type recorder struct {
	header http.Header
	sent   http.Header // copy of header at the first WriteHeader
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status != 0 || status < http.StatusOK {
		return
	}
	r.status = status
	r.sent = r.header.Clone()
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(data []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(data)
}

// Flush implements http.Flusher; a Lambda answer is sent in one piece.
func (r *recorder) Flush() {}

func (r *recorder) send(w http.ResponseWriter, head bool) {
	r.WriteHeader(http.StatusOK)
	if r.sent.Get("Content-Type") == "" && r.body.Len() > 0 {
		r.sent.Set("Content-Type", http.DetectContentType(r.body.Bytes()))
	}

	header := w.Header()
	for name, values := range r.sent {
		header[name] = values
	}

	w.WriteHeader(r.status)
	if !head && r.body.Len() > 0 {
		_, _ = w.Write(r.body.Bytes()) // a buffer, cannot fail
	}
}
