package eventstream_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"governance.internal/functions/toolserver/mcp/eventstream"
)

func TestAnEventIsOneFrame(t *testing.T) {
	w := httptest.NewRecorder()
	s := eventstream.New(w)
	if s.Opened() || len(w.Header()) > 0 {
		t.Error("open before the first event")
	}
	if err := s.Event("message", []byte("a\nb\rc")); err != nil {
		t.Fatal(err)
	}
	if err := s.Comment(); err != nil {
		t.Fatal(err)
	}
	if got := w.Body.String(); got != "event: message\ndata: a b c\n\n: keep-alive\n\n" || !s.Opened() || !w.Flushed {
		t.Errorf("%q", got)
	}
}

// The handler that owns the answer has returned: nothing may write to it any more.
func TestNothingIsWrittenAfterTheEnd(t *testing.T) {
	w := httptest.NewRecorder()
	s := eventstream.New(w)
	stop := s.KeepAlive(time.Hour)
	stop()
	s.End()
	if s.Event("message", []byte("late")) == nil || s.Comment() == nil || w.Body.Len() != 0 {
		t.Errorf("%q", w.Body)
	}
}
