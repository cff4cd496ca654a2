package lambdahttp

import (
	"context"
	"crypto/subtle"
	"net/http"

	"github.com/aws/aws-lambda-go/events"
)

// originHeader carries the secret of the content network; the gateway gives names in
// lower case.
const originHeader = "x-origin-secret"

// behind refuses requests that did not come through the content network, because the
// gateway's own address bypasses its firewall. Without a secret all requests pass. The
// handler does not see the header.
func behind(secret string, invoke Invoke) Invoke {
	if secret == "" {
		return invoke
	}
	return func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		if subtle.ConstantTimeCompare([]byte(event.Headers[originHeader]), []byte(secret)) != 1 {
			return reject(ctx, http.StatusForbidden, "wrong_address",
				"This is not the address of the service. Take the one that its documents name; nothing was charged."), nil
		}
		delete(event.Headers, originHeader) // the event is this invocation's own
		return invoke(ctx, event)
	}
}
