package bedrock

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"governance.internal/functions/toolserver/agent/chat"
	"governance.internal/functions/toolserver/agent/modeltest"
)

// answers answers every request with a body.
type answers []byte

func (a answers) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(a)), Request: req}, nil
}

// No answer of a provider causes a panic in the SDK or above it, and an accepted one can be
// sent back.
func FuzzParse(f *testing.F) {
	keys := credentials.NewStaticCredentialsProvider("id", "secret", "")
	open := func(body []byte) *Model {
		return Open(modeltest.Model, "http://127.0.0.1:1", "eu-central-1", keys, &http.Client{Transport: answers(body)})
	}
	parse := func(body []byte) (chat.Answer, error) {
		return open(body).Complete(context.Background(), chat.Request{System: "s", MaxTokens: 1})
	}
	modeltest.Fuzz(f, "bedrock", parse, func(r modeltest.Conversation) any {
		if _, err := open(nil).request(r); err != nil {
			return err
		}
		return nil
	})
}
