package telemetry

import (
	"context"
	"encoding/hex"
	"fmt"
)

// Continue returns a context that continues the trace of a traceparent
// (https://www.w3.org/TR/trace-context/, version 00). A malformed one is ignored, as the
// specification asks. A caller can turn recording off but not on.
func Continue(ctx context.Context, traceparent string) context.Context {
	r := recorderOf(ctx)
	if r == nil {
		return ctx
	}
	remote, ok := parseTraceparent(traceparent)
	if !ok {
		return ctx
	}

	remote.sampled = remote.sampled && r.sampled(remote.trace)
	return context.WithValue(ctx, spanKey{}, remote)
}

const traceparentLen = len("00-0123456789abcdef0123456789abcdef-0123456789abcdef-01")

// parseTraceparent returns the remote span, which never ends here.
func parseTraceparent(text string) (*Span, bool) {
	if len(text) < traceparentLen ||
		text[2] != '-' ||
		text[35] != '-' ||
		text[52] != '-' {
		return nil, false
	}

	version := text[:2]
	later := len(text) > traceparentLen
	if version == "ff" ||
		version == "00" && later ||
		later && text[traceparentLen] != '-' {
		return nil, false
	}

	var first, flags [1]byte
	s := &Span{}
	for _, field := range []struct {
		to   []byte
		from string
	}{{first[:], version}, {s.trace[:], text[3:35]}, {s.id[:], text[36:52]}, {flags[:], text[53:55]}} {
		if !isLowerHex(field.from) {
			return nil, false
		}
		_, _ = hex.Decode(field.to, []byte(field.from)) // digits only
	}

	s.sampled = flags[0]&1 == 1
	return s, s.trace != traceID{} && s.id != spanID{}
}

func isLowerHex(text string) bool {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// traceparent returns the header that names the span.
func (s *Span) traceparent() string {
	flags := 0
	if s.sampled {
		flags = 1
	}
	return fmt.Sprintf("00-%x-%x-%02x", s.trace, s.id, flags)
}
