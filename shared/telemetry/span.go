package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Kind is the role of a span in its trace, with the numbers of OTLP.
type Kind int

const (
	Internal Kind = 1
	Server   Kind = 2
	Client   Kind = 3
)

// Span is one operation of a trace. A nil span records nothing.
type Span struct {
	recorder   *Recorder
	trace      traceID
	id, parent spanID
	sampled    bool
	name       string
	kind       Kind
	began      time.Time

	mu         sync.Mutex
	attributes []slog.Attr
	failed     bool
	done       time.Time // zero while it lasts
}

type spanKey struct{}

func spanOf(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// Start begins a span below the one of ctx. It is nil without a recorder.
func Start(ctx context.Context, kind Kind, name string, attributes ...slog.Attr) (context.Context, *Span) {
	r := recorderOf(ctx)
	if r == nil {
		return ctx, nil
	}

	s := &Span{
		recorder:   r,
		name:       name,
		kind:       kind,
		began:      r.o.Now(),
		attributes: attributes,
	}

	if parent := spanOf(ctx); parent != nil {
		s.trace = parent.trace
		s.parent = parent.id
		s.sampled = parent.sampled
	} else {
		fill(s.trace[:])
		s.sampled = r.sampled(s.trace)
	}

	fill(s.id[:])
	return context.WithValue(ctx, spanKey{}, s), s
}

// Set adds attributes.
func (s *Span) Set(attributes ...slog.Attr) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attributes = append(s.attributes, attributes...)
}

// Fail records the kind of an error but not its text. It ignores nil.
func (s *Span) Fail(err error) {
	if s == nil || err == nil {
		return
	}
	s.failAs(fmt.Sprintf("%T", err))
}

func (s *Span) failAs(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = true
	s.attributes = append(s.attributes, slog.String("error.type", kind))
}

// End ends the span, once.
func (s *Span) End() {
	if s == nil {
		return
	}
	s.mu.Lock()
	again := !s.done.IsZero()
	if !again {
		s.done = s.recorder.o.Now()
	}

	s.mu.Unlock()
	if !again && s.sampled {
		s.recorder.ended(s)
	}
}
