package lambdahttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"governance.internal/shared/httpapi"
	"governance.internal/shared/telemetry"
)

// The process is frozen as soon as the answer is out, so the report must be there before.
func TestTheCollectorKnowsOfACallBeforeItsAnswerLeaves(t *testing.T) {
	var reports atomic.Value
	reports.Store("")
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		reports.Store(reports.Load().(string) + string(body))
	}))
	defer collector.Close()
	recorder := telemetry.New(telemetry.Options{Endpoint: collector.URL, Service: "shop", Ratio: 1})
	mux := httpapi.Mux([]httpapi.Route{{Method: "GET", Path: "/x402/{what}", Handler: httpapi.Static(httpapi.JSON(1))}})
	answer, err := reported(recorder, Adapt(mux))(t.Context(), event("GET", "/x402/tip", ""))
	if err != nil || answer.StatusCode != 200 {
		t.Fatal(answer, err)
	}
	for _, say := range []string{`"name":"GET /x402/{what}"`, `"intValue":"200"`, `"http.server.request.duration"`, `{"stringValue":"shop"}`} {
		if !strings.Contains(reports.Load().(string), say) {
			t.Errorf("%s is not in %s", say, reports.Load())
		}
	}
}

func TestACollectorThatIsAwayCostsNoCall(t *testing.T) {
	recorder := telemetry.New(telemetry.Options{Endpoint: "http://127.0.0.1:1", Service: "shop", Ratio: 1})
	want := errors.New("the run failed")
	run := reported(recorder, func(ctx context.Context, event string) (string, error) {
		_, span := telemetry.Start(ctx, telemetry.Internal, "run")
		span.End()
		return "answer to " + event, want
	})
	if got, err := run(t.Context(), "x"); got != "answer to x" || err != want {
		t.Error(got, err)
	}
}
