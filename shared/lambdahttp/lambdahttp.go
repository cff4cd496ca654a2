// Package lambdahttp runs an http.Handler as an AWS Lambda function behind an
// API Gateway HTTP API (payload format 2.0). It and the bootstraps are the only
// importers of aws-lambda-go, and it alone imports the api-proxy.
//
// The api-proxy turns events into requests and back. Some of its
// defects would reach a paying client, so this package corrects its input and
// output: it escapes the decoded path again (a decoded ? would change the route),
// answers bad input with a 400 instead of a failed invocation, takes headers from
// the event (the proxy cuts every value at commas), and has the handler write into
// a [recorder] with the semantics of net/http.
package lambdahttp

import (
	"context"
	"encoding/base64"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/wiring/environment"
)

// Start serves the rows of one function of the catalogue until the process ends.
func Start(function string, handler http.Handler) {
	c, err := environment.Load()
	if err != nil {
		log.Fatal(err)
	}
	recorder := environment.Telemetry(c, function)
	lambda.Start(reported(recorder, behind(c.OriginSecret, Function(function, handler))))
}

// Invoke answers one event. It is safe for concurrent use.
type Invoke func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// Function routes like the local server does, restricted to the rows of one
// function.
func Function(function string, handler http.Handler) Invoke {
	var routes []httpapi.Route
	for _, e := range catalog.ByFunction(function) {
		routes = append(routes, httpapi.Route{
			Method:  e.Method,
			Path:    e.Path,
			Handler: handler,
		})
	}
	return Adapt(httpapi.Mux(routes))
}

type eventKey struct{}

// Adapt turns a handler into an event function. Its error is always nil: every
// failure is an answer.
func Adapt(handler http.Handler) Invoke {
	proxy := httpadapter.NewV2(repaired(handler))
	return func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		if err := check(event); err != nil {
			return unreadable(ctx, err), nil
		}

		decoded := url.URL{Path: path(event)}
		event.RawPath = decoded.EscapedPath()
		answer, err := proxy.ProxyWithContext(context.WithValue(ctx, eventKey{}, event), event)
		if err != nil {
			return unreadable(ctx, err), nil
		}
		return answer, nil
	}
}

func path(event events.APIGatewayV2HTTPRequest) string {
	raw := event.RawPath
	if raw == "" {
		raw = event.RequestContext.HTTP.Path
	}
	if !strings.HasPrefix(raw, "/") {
		raw = "/" + raw
	}
	return raw
}

// check finds input that the api-proxy would turn into a failed invocation.
func check(event events.APIGatewayV2HTTPRequest) error {
	if hasControl(event.RawQueryString) {
		return fmt.Errorf("query string: malformed")
	}
	method := event.RequestContext.HTTP.Method
	if method == "" || strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return fmt.Errorf("method: malformed")
	}

	if event.IsBase64Encoded {
		if _, err := base64.StdEncoding.DecodeString(event.Body); err != nil {
			return fmt.Errorf("body: not base64")
		}
	}
	return nil
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r == 0x7f
	})
}

// unreadable is the 400 as an event answer.
func unreadable(ctx context.Context, err error) events.APIGatewayV2HTTPResponse {
	return reject(
		ctx,
		http.StatusBadRequest,
		"malformed_request",
		"The request cannot be read: "+err.Error()+".",
	)
}

func reject(ctx context.Context, status int, code, detail string) events.APIGatewayV2HTTPResponse {
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, "/", nil) // constant arguments cannot fail
	problem := httpapi.Problem(r, &httpapi.Error{
		Status: status,
		Code:   code,
		Detail: detail,
	})
	return events.APIGatewayV2HTTPResponse{
		StatusCode: problem.Status,
		Headers:    flat(problem.Header),
		Body:       string(problem.Body),
	}
}

func flat(header http.Header) map[string]string {
	single := map[string]string{}
	for name, values := range header {
		single[name] = strings.Join(values, ",")
	}
	return single
}

// repaired passes the handler the request as the client sent it, and the proxy the
// answer as net/http would send it.
func repaired(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if event, ok := r.Context().Value(eventKey{}).(events.APIGatewayV2HTTPRequest); ok {
			repair(r, event)
		}

		rec := &recorder{header: http.Header{}}
		handler.ServeHTTP(rec, r)
		rec.send(w, r.Method == http.MethodHead)
	})
}

func repair(r *http.Request, event events.APIGatewayV2HTTPRequest) {
	header := http.Header{}
	for name, value := range event.Headers {
		header[textproto.CanonicalMIMEHeaderKey(name)] = []string{value}
	}

	if len(event.Cookies) > 0 {
		header.Set("Cookie", strings.Join(event.Cookies, "; "))
	}
	if host := header.Get("Host"); host != "" {
		r.Host = host
	}

	header.Del("Host")
	r.Header = header
	r.RemoteAddr = net.JoinHostPort(event.RequestContext.HTTP.SourceIP, "0")
}
