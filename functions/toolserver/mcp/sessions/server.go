package sessions

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"governance.internal/functions/toolserver/mcp/stateless"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/x402"
)

// Server makes the SDK's server for a table: the same tools and texts that POST
// /mcp serves.
func Server(about stateless.Server, instructions string, table stateless.Table, transport string) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{
		Name:    about.Name,
		Title:   about.Title,
		Version: about.Version,
	}, &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{
			Tools:     &mcp.ToolCapabilities{},
			Resources: &mcp.ResourceCapabilities{},
		},
		PageSize: 1000,
	})
	server.AddReceivingMiddleware(negotiate)

	for _, each := range table.Tools {
		server.AddTool(describe(each), call(each, transport))
	}

	for _, each := range table.Resources {
		server.AddResource(&mcp.Resource{
			URI:         each.URI,
			Name:        each.Name,
			Title:       each.Title,
			Description: each.Description,
			MIMEType:    each.MIMEType,
		}, read(each))
	}

	return server
}

// negotiate answers an unknown version with that of the contract, where the SDK would
// answer with the newest.
func negotiate(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if params, ok := request.GetParams().(*mcp.InitializeParams); ok && params != nil {
			params.ProtocolVersion = stateless.Negotiate(params.ProtocolVersion)
		}
		return next(ctx, method, request)
	}
}

func describe(t *tool.Tool) *mcp.Tool {
	destructive := t.Hints.Destructive
	open := t.Hints.OpenWorld
	described := &mcp.Tool{
		Name:        t.Name,
		Title:       t.Title,
		Description: t.Description,
		InputSchema: t.Input,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:    t.Hints.ReadOnly,
			DestructiveHint: &destructive,
			IdempotentHint:  t.Hints.Idempotent,
			OpenWorldHint:   &open,
		},
	}

	if t.Output != nil {
		described.OutputSchema = t.Output
	}

	return described
}

func call(t *tool.Tool, transport string) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var header http.Header
		if request.Extra != nil {
			header = request.Extra.Header
		}

		traceparent, _ := request.Params.Meta["traceparent"].(string)
		result := t.Run(ctx, &tool.Call{
			Arguments:   request.Params.Arguments,
			Header:      header,
			Payment:     payment(request),
			Transport:   transport,
			Traceparent: traceparent,
			Progress:    progress(ctx, request),
		})
		text, err := result.AppendJSON(nil)
		if err != nil {
			return nil, err
		}

		answer := &mcp.CallToolResult{}
		err = json.Unmarshal(text, answer)
		answer.Meta = result.Meta
		return answer, err
	}
}

// payment is what _meta carries as a payment, nil without one.
func payment(request *mcp.CallToolRequest) json.RawMessage {
	value, there := request.Params.Meta[x402.MetaPayment]
	if !there {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil { // it was decoded from JSON
		return json.RawMessage("null")
	}
	return text
}

// progress notifies a client that gave a token. It skips values that do not grow.
func progress(ctx context.Context, request *mcp.CallToolRequest) func(done, total int, text string) {
	token := request.Params.GetProgressToken()
	last := -1
	return func(done, total int, text string) {
		if token == nil || done <= last {
			return
		}
		last = done
		_ = request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // a client that is gone ends the context
			ProgressToken: token,
			Progress:      float64(done),
			Total:         float64(total),
			Message:       text,
		})
	}
}

func read(r stateless.Resource) mcp.ResourceHandler {
	return func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		text, err := r.Read(ctx)
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.URI, MIMEType: r.MIMEType, Text: text}}}, nil
	}
}
