package telemetry

import (
	"log/slog"
	"net/http"
	"strconv"
	"strings"
)

// Handler records each request of next by the matching pattern of a mux, which may be
// nested in next.
func Handler(mux *http.ServeMux, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := recorderOf(r.Context())
		if recorder == nil {
			next.ServeHTTP(w, r)
			return
		}

		_, pattern := mux.Handler(r)
		_, path, _ := strings.Cut(pattern, "/")
		route := "/" + path
		began := recorder.o.Now()
		ctx, span := Start(
			Continue(r.Context(), r.Header.Get("Traceparent")),
			Server,
			method(r.Method)+" "+route,
		)

		watched := &statusWriter{ResponseWriter: w}
		defer func() {
			attributes := []slog.Attr{
				slog.String("http.request.method", method(r.Method)), slog.String("http.route", route),
				slog.Int("http.response.status_code", watched.status()),
			}
			span.Set(attributes...)
			if watched.status() >= 500 {
				span.failAs(strconv.Itoa(watched.status()))
			}
			span.End()

			recorder.Observe("http.server.request.duration", recorder.o.Now().Sub(began), attributes...)
		}()

		next.ServeHTTP(watched, r.WithContext(ctx))
	})
}

// Wrap adds the recorder to all requests of a handler.
func (r *Recorder) Wrap(next http.Handler) http.Handler {
	if r == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		next.ServeHTTP(w, request.WithContext(r.NewContext(request.Context())))
	})
}

// method replaces unknown methods, as the conventions ask, because clients can invent them.
func method(name string) string {
	switch name {
	case "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE":
		return name
	}
	return "_OTHER"
}

// statusWriter records the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	code int
}

func (w *statusWriter) WriteHeader(code int) {
	if w.code == 0 && code >= 200 {
		w.code = code
	}
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher, for streams.
func (w *statusWriter) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

func (w *statusWriter) status() int {
	if w.code == 0 {
		return http.StatusOK
	}
	return w.code
}

// Transport records the requests that base sends and adds the traceparent to them.
func Transport(base http.RoundTripper) http.RoundTripper { return transport{base} }

type transport struct{ base http.RoundTripper }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.base
	if base == nil {
		base = http.DefaultTransport
	}

	ctx, span := Start(
		r.Context(),
		Client,
		r.Method,
		slog.String("http.request.method", r.Method),
		slog.String("server.address", r.URL.Hostname()),
	)
	if span == nil {
		return base.RoundTrip(r)
	}
	defer span.End()

	if operation := r.Header.Get("X-Amz-Target"); operation != "" {
		span.Set(slog.String("rpc.method", operation))
	}

	r = r.Clone(ctx)
	r.Header.Set("Traceparent", span.traceparent()) // signed requests may carry headers that are not signed
	answer, err := base.RoundTrip(r)
	span.Fail(err)

	if err == nil {
		span.Set(slog.Int("http.response.status_code", answer.StatusCode))
		if answer.StatusCode >= 400 {
			span.failAs(strconv.Itoa(answer.StatusCode))
		}
	}

	return answer, err
}
