package telemetry

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// collector decodes reports by the official messages, strictly.
type collector struct {
	t *testing.T
	*httptest.Server
	mu      sync.Mutex
	spans   []*tracepb.Span
	metrics []*metricspb.Metric
	service string
	keys    []string
}

func newCollector(t *testing.T) *collector {
	c := &collector{t: t}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// The JSON form of OTLP has ids as hex digits, where that of protobuf has base64.
var ids = regexp.MustCompile(`"(traceId|spanId|parentSpanId)":"([0-9a-f]+)"`)

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Error(err)
	}
	body = ids.ReplaceAllFunc(body, func(found []byte) []byte {
		part := ids.FindSubmatch(found)
		raw, _ := hex.DecodeString(string(part[2]))
		return []byte(`"` + string(part[1]) + `":"` + base64.StdEncoding.EncodeToString(raw) + `"`)
	})
	c.keys = append(c.keys, r.Header.Get("X-Key"))
	if r.Header.Get("Content-Type") != "application/json" {
		c.t.Errorf("content type %q", r.Header.Get("Content-Type"))
	}
	switch r.URL.Path {
	case "/v1/traces":
		var data tracepb.TracesData
		if err := protojson.Unmarshal(body, &data); err != nil {
			c.t.Errorf("%v in %s", err, body)
		}
		for _, r := range data.ResourceSpans {
			c.service = r.Resource.Attributes[0].Value.GetStringValue()
			c.spans = append(c.spans, r.ScopeSpans[0].Spans...)
		}
	case "/v1/metrics":
		var data metricspb.MetricsData
		if err := protojson.Unmarshal(body, &data); err != nil {
			c.t.Errorf("%v in %s", err, body)
		}
		for _, r := range data.ResourceMetrics {
			c.metrics = append(c.metrics, r.ScopeMetrics[0].Metrics...)
		}
	default:
		c.t.Errorf("path %s", r.URL.Path)
	}
}

func (c *collector) span(name string) *tracepb.Span {
	c.t.Helper()
	for _, s := range c.spans {
		if s.Name == name {
			return s
		}
	}
	c.t.Fatalf("no span %q among %d", name, len(c.spans))
	return nil
}

func attributeOf(s *tracepb.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			if a.Value.GetStringValue() != "" {
				return a.Value.GetStringValue()
			}
			return a.Value.String()
		}
	}
	return ""
}

// shop is a mux that calls another server, which answers with the trace that it received.
func shop(t *testing.T) (*http.ServeMux, *string) {
	told := new(string)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*told = r.Header.Get("Traceparent")
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(other.Close)
	client := &http.Client{Transport: Transport(nil)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sell/{what}", func(w http.ResponseWriter, r *http.Request) {
		ctx, span := Start(r.Context(), Internal, "work", slog.Bool("hard", true))
		defer span.End()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, other.URL+"/rpc/secret-key?token=secret", nil)
		if err != nil {
			t.Error(err)
			return
		}
		request.Header.Set("X-Amz-Target", "Table.PutItem")
		answer, err := client.Do(request)
		if err != nil {
			t.Error(err)
			return
		}
		_ = answer.Body.Close()
		span.Fail(errors.New("the secret is out"))
		w.WriteHeader(http.StatusBadGateway)
	})
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	return mux, told
}

const theirs = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func ask(r *Recorder, mux *http.ServeMux, path, traceparent string) {
	request := httptest.NewRequest("GET", path, nil)
	request.Header.Set("Traceparent", traceparent)
	Handler(mux, mux).ServeHTTP(httptest.NewRecorder(), request.WithContext(r.NewContext(context.Background())))
}

func TestARequestIsATraceThatACollectorUnderstands(t *testing.T) {
	c := newCollector(t)
	r := New(Options{Endpoint: c.URL, Headers: map[string]string{"X-Key": "k"}, Service: "shop", Version: "1", Ratio: 1})
	mux, told := shop(t)
	ask(r, mux, "/sell/lint?name=secret", theirs)
	r.Flush(context.Background())
	server, work, client := c.span("GET /sell/{what}"), c.span("work"), c.span("POST")
	if hex.EncodeToString(server.TraceId) != theirs[3:35] || hex.EncodeToString(server.ParentSpanId) != theirs[36:52] {
		t.Errorf("the caller's trace was not continued: %x %x", server.TraceId, server.ParentSpanId)
	}
	if string(work.ParentSpanId) != string(server.SpanId) || string(client.ParentSpanId) != string(work.SpanId) {
		t.Error("spans do not stand within each other")
	}
	if want := "00-" + hex.EncodeToString(client.TraceId) + "-" + hex.EncodeToString(client.SpanId) + "-01"; *told != want {
		t.Errorf("the server received %q, want %q", *told, want)
	}
	if server.Kind != tracepb.Span_SPAN_KIND_SERVER || client.Kind != tracepb.Span_SPAN_KIND_CLIENT || work.Kind != tracepb.Span_SPAN_KIND_INTERNAL {
		t.Error("kinds", server.Kind, client.Kind, work.Kind)
	}
	for _, s := range []*tracepb.Span{server, work, client} {
		if s.Status.Code != tracepb.Status_STATUS_CODE_ERROR || s.EndTimeUnixNano < s.StartTimeUnixNano || s.StartTimeUnixNano == 0 {
			t.Errorf("%s: %v from %d to %d", s.Name, s.Status, s.StartTimeUnixNano, s.EndTimeUnixNano)
		}
		if text := s.String(); strings.Contains(text, "secret") {
			t.Errorf("a secret is in %s", text)
		}
	}
	if attributeOf(server, "http.route") != "/sell/{what}" || attributeOf(client, "rpc.method") != "Table.PutItem" || attributeOf(client, "error.type") != "418" || attributeOf(work, "error.type") != "*errors.errorString" {
		t.Errorf("%v %v %v", server.Attributes, client.Attributes, work.Attributes)
	}
	if c.service != "shop" || c.keys[0] != "k" {
		t.Error(c.service, c.keys)
	}
	point := c.metrics[0].GetHistogram().DataPoints[0]
	if c.metrics[0].Name != "http.server.request.duration" || c.metrics[0].Unit != "s" || point.Count != 1 || len(point.BucketCounts) != len(point.ExplicitBounds)+1 {
		t.Errorf("%v", c.metrics[0])
	}
}

// Without a recorder a request is served as ever, and no trace is passed on.
func TestOffMeansOff(t *testing.T) {
	mux, told := shop(t)
	r := New(Options{})
	ask(r, mux, "/sell/lint", theirs)
	r.Flush(context.Background())
	r.Run(context.Background())
	r.Observe("m", time.Second)
	if *told != "" {
		t.Error("the server received", *told)
	}
	if ctx, span := Start(context.Background(), Internal, "x"); span != nil || ctx != context.Background() {
		t.Error("a span without a recorder")
	}
}

func TestWhoIsRecorded(t *testing.T) {
	for name, row := range map[string]struct {
		ratio       float64
		traceparent string
		want        bool
	}{
		"all":                        {1, "", true},
		"none":                       {0, "", false},
		"the caller does not record": {1, theirs[:53] + "00", false},
		"a caller cannot make us":    {0, theirs, false},
		"malformed is a new trace":   {1, "00-zz", true},
	} {
		c := newCollector(t)
		r := New(Options{Endpoint: c.URL, Service: "shop", Ratio: row.ratio})
		mux, _ := shop(t)
		ask(r, mux, "/", row.traceparent)
		r.Flush(context.Background())
		if (len(c.spans) > 0) != row.want || len(c.metrics) != 1 {
			t.Errorf("%s: %d spans, %d metrics", name, len(c.spans), len(c.metrics))
		}
	}
	r := New(Options{Endpoint: "http://x", Ratio: 0.25})
	var kept int
	for range 4000 {
		var id traceID
		fill(id[:])
		if r.sampled(id) {
			kept++
		}
	}
	if kept < 800 || kept > 1200 {
		t.Errorf("%d of 4000 traces at a ratio of 0.25", kept)
	}
}

// A flood of requests costs bounded memory, and a collector that fails costs no request.
func TestWhatDoesNotFitIsDropped(t *testing.T) {
	gone := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer gone.Close()
	r := New(Options{Endpoint: gone.URL, Ratio: 1})
	ctx := r.NewContext(context.Background())
	for n := range maxSpans + 10 {
		_, span := Start(ctx, Internal, "x")
		span.End()
		span.End()
		r.Observe("m", time.Millisecond, slog.Int("n", n))
	}
	if len(r.spans) != maxSpans || r.dropped != 10 || len(r.series) != maxSeries {
		t.Error(len(r.spans), r.dropped, len(r.series))
	}
	r.Flush(ctx)
	if len(r.spans) != 0 || len(r.series) != 0 {
		t.Error("what could not be sent stays in memory")
	}
}

func TestADurationFallsIntoItsBucket(t *testing.T) {
	h := &histogram{buckets: make([]uint64, len(bounds)+1)}
	for _, ms := range []int{1, 5, 6, 10_000, 10_001} {
		h.add(time.Duration(ms) * time.Millisecond)
	}
	text, err := json.Marshal(h.encode(time.Unix(0, 1), time.Unix(0, 2)))
	if err != nil || !strings.Contains(string(text), `"bucketCounts":["2","1","0","0","0","0","0","0","0","0","0","0","0","1","1"]`) {
		t.Errorf("%s %v", text, err)
	}
}

func FuzzTraceparent(f *testing.F) {
	for _, seed := range []string{theirs, "", "00-", "ff" + theirs[2:], "01" + theirs[2:] + "-more", theirs + "-", strings.ToUpper(theirs), "00-" + strings.Repeat("0", 32) + theirs[35:]} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := parseTraceparent(text)
		if !ok {
			return
		}
		if s.trace == (traceID{}) || s.id == (spanID{}) {
			t.Error("an id of zeros")
		}
		if again := s.traceparent(); again[3:52] != text[3:52] {
			t.Errorf("%q became %q", text, again)
		}
	})
}
