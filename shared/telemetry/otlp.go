package telemetry

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// The types below are the JSON form of the messages of OTLP
// (opentelemetry-proto, "JSON Protobuf Encoding"): 64-bit integers are strings, ids are
// hex digits.
type (
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	resource struct {
		Attributes []attribute `json:"attributes"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	}
	traces struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	scopeSpans struct {
		Scope scope      `json:"scope"`
		Spans []spanJSON `json:"spans"`
	}
	spanJSON struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		ParentID   string      `json:"parentSpanId,omitempty"`
		Name       string      `json:"name"`
		Kind       Kind        `json:"kind"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []attribute `json:"attributes"`
		Status     status      `json:"status"`
	}
	status struct {
		Code int `json:"code,omitempty"` // 2: error
	}
	metrics struct {
		ResourceMetrics []resourceMetrics `json:"resourceMetrics"`
	}
	resourceMetrics struct {
		Resource     resource       `json:"resource"`
		ScopeMetrics []scopeMetrics `json:"scopeMetrics"`
	}
	scopeMetrics struct {
		Scope   scope    `json:"scope"`
		Metrics []metric `json:"metrics"`
	}
	metric struct {
		Name      string        `json:"name"`
		Unit      string        `json:"unit"`
		Histogram histogramJSON `json:"histogram"`
	}
	histogramJSON struct {
		Temporality int         `json:"aggregationTemporality"` // 1: delta
		DataPoints  []dataPoint `json:"dataPoints"`
	}
	dataPoint struct {
		Attributes []attribute `json:"attributes"`
		Start      string      `json:"startTimeUnixNano"`
		Time       string      `json:"timeUnixNano"`
		Count      string      `json:"count"`
		Sum        float64     `json:"sum"`
		Buckets    []string    `json:"bucketCounts"`
		Bounds     []float64   `json:"explicitBounds"`
	}
)

func (r *Recorder) resource() resource {
	attributes := []slog.Attr{slog.String("service.name", r.o.Service)}
	if r.o.Version != "" {
		attributes = append(attributes, slog.String("service.version", r.o.Version))
	}
	return resource{encode(attributes)}
}

func (r *Recorder) traces(spans []*Span) traces {
	list := make([]spanJSON, len(spans))
	for i, s := range spans {
		list[i] = s.encode()
	}
	return traces{[]resourceSpans{{r.resource(), []scopeSpans{{r.scope, list}}}}}
}

func (s *Span) encode() spanJSON {
	s.mu.Lock()
	defer s.mu.Unlock()

	j := spanJSON{
		TraceID:    hex.EncodeToString(s.trace[:]),
		SpanID:     hex.EncodeToString(s.id[:]),
		Name:       s.name,
		Kind:       s.kind,
		Start:      nanos(s.began),
		End:        nanos(s.done),
		Attributes: encode(s.attributes),
	}

	if s.parent != (spanID{}) {
		j.ParentID = hex.EncodeToString(s.parent[:])
	}
	if s.failed {
		j.Status.Code = 2
	}

	return j
}

func (r *Recorder) metrics(series map[string]*histogram, since, until time.Time) metrics {
	var list []metric
	for _, key := range slices.Sorted(maps.Keys(series)) {
		h := series[key]
		if len(list) == 0 || list[len(list)-1].Name != h.metric {
			list = append(list, metric{
				Name:      h.metric,
				Unit:      "s",
				Histogram: histogramJSON{Temporality: 1},
			})
		}

		last := &list[len(list)-1].Histogram
		last.DataPoints = append(last.DataPoints, h.encode(since, until))
	}

	return metrics{[]resourceMetrics{{r.resource(), []scopeMetrics{{r.scope, list}}}}}
}

func (h *histogram) encode(since, until time.Time) dataPoint {
	p := dataPoint{
		Attributes: encode(h.attributes),
		Start:      nanos(since),
		Time:       nanos(until),
		Count:      strconv.FormatUint(h.count, 10),
		Sum:        h.sum,
		Bounds:     bounds,
	}
	for _, n := range h.buckets {
		p.Buckets = append(p.Buckets, strconv.FormatUint(n, 10))
	}
	return p
}

func nanos(t time.Time) string {
	return strconv.FormatInt(t.UnixNano(), 10)
}

func encode(attributes []slog.Attr) []attribute {
	list := make([]attribute, len(attributes))
	for i, a := range attributes {
		list[i] = attribute{a.Key, value(a.Value)}
	}
	return list
}

func value(v slog.Value) any {
	switch v.Kind() {
	case slog.KindInt64:
		return map[string]string{"intValue": strconv.FormatInt(v.Int64(), 10)}
	case slog.KindBool:
		return map[string]bool{"boolValue": v.Bool()}
	}
	return map[string]string{"stringValue": v.String()}
}

// refused is an answer of a collector other than 200.
type refused int

func (r refused) Error() string {
	return fmt.Sprintf("the collector answered %d", int(r))
}

// send posts one report.
func (r *Recorder) send(ctx context.Context, path string, report any) error {
	body, err := json.Marshal(report)
	if err != nil {
		return err
	}

	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.o.Endpoint+path, bytes.NewReader(body))
	if err != nil {
		return err
	}

	request.Header.Set("Content-Type", "application/json")
	for name, value := range r.o.Headers {
		request.Header.Set(name, value)
	}

	answer, err := r.o.Client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()

	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // so that the connection can be used again
	if answer.StatusCode != http.StatusOK {
		return refused(answer.StatusCode)
	}

	return nil
}

// cause returns the reason of a loss without addresses, which may hold a key.
func cause(err error) string {
	var answered refused
	switch {
	case err == nil:
		return "too many spans"
	case errors.As(err, &answered):
		return answered.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "the collector is too slow"
	}
	return "the collector does not answer"
}
