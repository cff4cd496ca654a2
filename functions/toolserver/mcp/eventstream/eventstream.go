// Package eventstream writes server-sent events (WHATWG HTML, section 9.2) to a
// client that may be slow, silent or gone.
package eventstream

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Interval is the time between two comments. Load balancers and proxies close an idle
// connection, the strictest after 30 seconds.
const Interval = 15 * time.Second

// writeLimit is how long a client may take to read an event.
const writeLimit = 10 * time.Second

// Stream is the answer to one request. It opens with the first write and is safe
// for concurrent use.
type Stream struct {
	w       http.ResponseWriter
	control *http.ResponseController

	mu     sync.Mutex
	open   bool
	closed bool
}

// New prepares a stream over a response that has not been written to.
func New(w http.ResponseWriter) *Stream {
	return &Stream{w: w, control: http.NewResponseController(w)}
}

// oneLine keeps data from ending its event; JSON has line breaks between tokens only.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

// Event sends an event. Line breaks of data become spaces.
func (s *Stream) Event(name string, data []byte) error {
	return s.EventAt("", name, data)
}

// EventAt is Event with an id, after which a reconnecting client continues; "" for none.
func (s *Stream) EventAt(id, name string, data []byte) error {
	frame := make([]byte, 0, len(id)+len(name)+len(data)+24)
	if id != "" {
		frame = append(append(append(frame, "id: "...), id...), '\n')
	}
	frame = append(append(append(frame, "event: "...), name...), "\ndata: "...)
	return s.write(append(append(frame, oneLine.Replace(string(data))...), "\n\n"...))
}

// Comment sends a line that clients ignore.
func (s *Stream) Comment() error {
	return s.write([]byte(": keep-alive\n\n"))
}

// KeepAlive sends a comment at every interval until stop returns.
func (s *Stream) KeepAlive(interval time.Duration) (stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	stopped := false
	beat := func() {
		mu.Lock()
		defer mu.Unlock()
		if !stopped && s.Comment() == nil {
			timer.Reset(interval)
		}
	}

	mu.Lock()
	defer mu.Unlock()

	timer = time.AfterFunc(interval, beat)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

// Opened reports whether anything was sent.
func (s *Stream) Opened() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// End refuses all later writes, because the handler that owns the response returns.
func (s *Stream) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

var errClosed = errors.New("stream is closed")

func (s *Stream) write(frame []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.closed {
		return errClosed
	}
	if !s.open {
		s.open = true
		header := s.w.Header()
		header.Set("Content-Type", "text/event-stream")
		header.Set("Cache-Control", "no-store")
		header.Set("X-Accel-Buffering", "no") // a proxy must not wait for more
		s.w.WriteHeader(http.StatusOK)
	}

	_ = s.control.SetWriteDeadline(time.Now().Add(writeLimit)) // a recorder in a test has none
	_, err := s.w.Write(frame)
	if err == nil {
		err = s.control.Flush()
	}

	_ = s.control.SetWriteDeadline(time.Time{})
	s.closed = err != nil
	return err
}
