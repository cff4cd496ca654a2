// Package telemetry follows a request through the service and reports to an
// OpenTelemetry collector, by OTLP over HTTP with JSON
// (https://opentelemetry.io/docs/specs/otlp/). It is off unless a collector is named.
//
// A [Recorder] travels in the context of a request, so there is no global state and all
// code passes it on. [Handler] starts the span of a request, [Start] one within it, and
// [Transport] one for each request to another service. Without a recorder they do
// nothing.
//
// Attributes have the names of the semantic conventions. They never hold addresses with
// their paths (those of nodes contain keys), queries, bodies, arguments of tools or the
// text of errors.
//
// The SDK of OpenTelemetry and its exporter are not used: they add 7.6 MB to each function
// (decision 54).
package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// Options configure the reports.
type Options struct {
	// Endpoint is the base address of a collector; /v1/traces and /v1/metrics are added.
	Endpoint string
	// Headers go with each report, for collectors that ask for a key.
	Headers map[string]string
	// Service and Version name this process: service.name and service.version.
	Service, Version string
	// Ratio is the share of traces that are recorded, from 0 to 1. Metrics count all.
	Ratio float64
	// Client sends the reports, by default one that follows no redirect.
	Client *http.Client
	// Now is the clock, by default time.Now.
	Now func() time.Time
}

const (
	maxSpans  = 2048            // that wait for a report; more are dropped and counted
	maxSeries = 1000            // combinations of attributes of a metric
	sendLimit = 2 * time.Second // for one report
	interval  = 5 * time.Second // between reports of [Recorder.Run]
)

// Recorder collects spans and durations until they are sent. It is safe for concurrent
// use; a nil one records nothing.
type Recorder struct {
	o     Options
	scope scope

	mu      sync.Mutex
	spans   []*Span
	dropped int
	series  map[string]*histogram
	since   time.Time // of the durations in series
}

// New returns a recorder, nil without an endpoint.
func New(o Options) *Recorder {
	if o.Endpoint == "" {
		return nil
	}
	if o.Now == nil {
		o.Now = time.Now
	}

	if o.Client == nil {
		o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
	}

	r := &Recorder{
		o:      o,
		series: map[string]*histogram{},
		since:  o.Now(),
	}
	r.scope.Name = "governance"
	r.scope.Version = o.Version
	return r
}

type recorderKey struct{}

// NewContext returns a context that carries the recorder.
func (r *Recorder) NewContext(ctx context.Context) context.Context {
	if r == nil {
		return ctx
	}
	return context.WithValue(ctx, recorderKey{}, r)
}

func recorderOf(ctx context.Context) *Recorder {
	r, _ := ctx.Value(recorderKey{}).(*Recorder)
	return r
}

// Run reports every few seconds until ctx ends, and then once more.
func (r *Recorder) Run(ctx context.Context) {
	if r == nil {
		return
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()

	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
		r.Flush(context.WithoutCancel(ctx))
	}
}

// Flush sends the recorded spans and durations. Those that a collector does not accept
// within two seconds are dropped and logged.
func (r *Recorder) Flush(ctx context.Context) {
	if r == nil {
		return
	}
	r.mu.Lock()
	spans := r.spans
	dropped := r.dropped
	series := r.series
	since := r.since
	r.spans = nil
	r.dropped = 0
	r.series = map[string]*histogram{}
	r.since = r.o.Now()
	until := r.since

	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, sendLimit)
	defer cancel()

	var errs []error
	if len(spans) > 0 {
		errs = append(errs, r.send(ctx, "/v1/traces", r.traces(spans)))
	}
	if len(series) > 0 {
		errs = append(errs, r.send(ctx, "/v1/metrics", r.metrics(series, since, until)))
	}
	if err := errors.Join(errs...); err != nil || dropped > 0 {
		slog.WarnContext(ctx, "telemetry lost", "spans", len(spans), "dropped", dropped, "cause", cause(err))
	}
}

// sampled decides by the id of a trace, so that all services with the same ratio agree.
func (r *Recorder) sampled(id traceID) bool {
	var low uint64
	for _, b := range id[8:] {
		low = low<<8 | uint64(b)
	}
	return float64(low>>1) < r.o.Ratio*(1<<63)
}

func (r *Recorder) ended(s *Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.spans) >= maxSpans {
		r.dropped++
		return
	}

	r.spans = append(r.spans, s)
}

type (
	traceID [16]byte
	spanID  [8]byte
)

// fill writes a random id; trace ids are not secret.
func fill(id []byte) {
	for i := range id {
		id[i] = byte(rand.Uint32())
	}
	id[len(id)-1] |= 1 // never all zero
}
