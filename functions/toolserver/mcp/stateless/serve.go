package stateless

import (
	"context"
	"encoding/json"
	"slices"

	"governance.internal/functions/toolserver/mcp/rpc"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/x402"
)

// listTTL is how long a client may keep a list, in milliseconds: the lists change
// with a new version of the server only.
const listTTL = 300_000

// Resource is a text that clients can read (specification, Resource).
type Resource struct {
	URI, Name, Title, Description, MIMEType string
	// Read gives the text as it is now.
	Read func(context.Context) (string, error)
}

// Table is what a server offers.
type Table struct {
	Tools     []*tool.Tool
	Resources []Resource
	// Filter narrows the tools for one call. Its error is sent to the caller.
	Filter func(Call) (func(*tool.Tool) bool, error)
}

// Serve makes the methods for a table. The lists never change while the process
// runs, so no change of theirs is announced.
func Serve(t Table) (capabilities map[string]any, methods map[string]Method) {
	capabilities = map[string]any{"tools": struct{}{}, "resources": struct{}{}}
	return capabilities, map[string]Method{
		"tools/list":               {Run: t.listTools, Cached: listTTL},
		"tools/call":               {Run: t.callTool, Name: "name", InSession: t.offers, Cached: NotCached},
		"resources/list":           {Run: t.listResources, Cached: listTTL},
		"resources/templates/list": {Run: listNoTemplates, Cached: listTTL},
		"resources/read":           {Run: t.readResource, Name: "uri", Cached: 0},
	}
}

// Listed is a tool as tools/list shows it.
type Listed struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Annotations tool.Hints      `json:"annotations"`
}

// List is the row of a tool.
func List(t *tool.Tool) Listed {
	return Listed{t.Name, t.Title, t.Description, t.Input, t.Output, t.Hints}
}

func (t Table) listTools(_ context.Context, r *Request) (any, error) {
	if err := onePage(r); err != nil {
		return nil, err
	}
	allowed, err := t.Filter(r.Call)
	if err != nil {
		return nil, rpc.InvalidParams(err.Error())
	}

	list := []Listed{}
	for _, each := range t.Tools {
		if allowed(each) {
			list = append(list, List(each))
		}
	}

	return map[string]any{"tools": list}, nil
}

// onePage refuses cursors: every list is one page, so no valid cursor exists.
func onePage(r *Request) error {
	if !isNull(r.Param("cursor")) {
		return rpc.InvalidParams("There is no such cursor; the list has one page.")
	}
	return nil
}

// find gives the tool that a call names.
func (t Table) find(r *Request) (*tool.Tool, error) {
	name, ok := r.Text("name")
	if !ok {
		return nil, rpc.InvalidParams("params.name must be the name of a tool.")
	}

	allowed, err := t.Filter(r.Call)
	if err != nil {
		return nil, rpc.InvalidParams(err.Error())
	}

	i := slices.IndexFunc(t.Tools, func(each *tool.Tool) bool {
		return each.Name == name &&
			allowed(each)
	})
	if i < 0 {
		return nil, rpc.InvalidParams("There is no tool of this name; tools/list shows what there is.")
	}

	return t.Tools[i], nil
}

// offers reports whether a call names a tool that there is.
func (t Table) offers(r *Request) bool {
	_, err := t.find(r)
	return err == nil
}

func (t Table) callTool(ctx context.Context, r *Request) (any, error) {
	called, err := t.find(r)
	if err != nil {
		return nil, err
	}

	traceparent, _ := stringOf(r.Meta("traceparent"))
	return called.Run(ctx, &tool.Call{
		Arguments:   r.Param("arguments"),
		Header:      r.Call.Header,
		Payment:     r.Meta(x402.MetaPayment),
		Transport:   r.Call.Transport,
		Traceparent: traceparent,
		Progress:    r.Progress,
	}), nil
}

func (t Table) listResources(_ context.Context, r *Request) (any, error) {
	type listed struct {
		URI         string `json:"uri"`
		Name        string `json:"name"`
		Title       string `json:"title,omitempty"`
		Description string `json:"description,omitempty"`
		MIMEType    string `json:"mimeType"`
	}

	if err := onePage(r); err != nil {
		return nil, err
	}
	list := []listed{}
	for _, each := range t.Resources {
		list = append(list, listed{each.URI, each.Name, each.Title, each.Description, each.MIMEType})
	}

	return map[string]any{"resources": list}, nil
}

func listNoTemplates(_ context.Context, r *Request) (any, error) {
	return map[string]any{"resourceTemplates": []struct{}{}}, onePage(r)
}

func (t Table) readResource(ctx context.Context, r *Request) (any, error) {
	type contents struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
	}

	uri, ok := r.Text("uri")
	if !ok {
		return nil, rpc.InvalidParams("params.uri must be the address of a resource.")
	}

	for _, each := range t.Resources {
		if each.URI == uri {
			text, err := each.Read(ctx)
			if err != nil {
				return nil, err
			}
			return map[string]any{"contents": []contents{{each.URI, each.MIMEType, text}}}, nil
		}
	}

	problem := rpc.InvalidParams("There is no resource of this address; resources/list shows what there is.")
	problem.Data = map[string]any{"uri": bounded(uri)}
	return nil, problem
}
