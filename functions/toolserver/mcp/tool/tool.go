// Package tool says what a tool of the server is: a typed function with a name,
// schemas that are derived from its types, hints for the client and a toolset.
//
// The input type is the single source of the schema, of the validation and of the
// defaults. Its exported fields carry json names and these struct tags:
//
//	doc        one sentence for the model
//	required   "true": the argument must be there
//	default    the value of an absent argument
//	enum       the allowed texts, separated by commas
//	min, max   bounds of an integer, of the length of a text in characters, or of
//	           the length of a list
//	pattern    a regular expression (RE2) for a text
//	each       the longest length of a text in a list; enum counts for its items, too
//
// Every input schema is an object without additional properties.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"time"
)

// Hints are the four annotations of a tool (specification, ToolAnnotations).
type Hints struct {
	ReadOnly    bool `json:"readOnlyHint"`    // changes nothing but our own record of what it saw
	Destructive bool `json:"destructiveHint"` // may end or overwrite something
	Idempotent  bool `json:"idempotentHint"`  // twice is once
	OpenWorld   bool `json:"openWorldHint"`   // talks to others than this server
}

// Tool is everything that the server knows about one tool. Only the list of tools refers to
// it.
type Tool struct {
	Name, Title, Description string
	Toolset                  string
	Hints                    Hints
	Input, Output            json.RawMessage // JSON Schemas (dialect 2020-12)

	// Needs lists what the tool requires; the server reports the unmet ones.
	Needs []Need

	// Product is what of the catalogue the tool sells, the zero value if it is free.
	Product Product

	// Forwarded marks a tool whose calls go to a product of the HTTP API. It costs money, so
	// only a client gets it that chooses its toolset; its answer is the product's, unchanged.
	Forwarded bool

	// ExemptFromHalt marks a destructive tool that the kill switch does not refuse: the
	// switch itself, and tools that check the halt themselves. Every other destructive tool
	// is refused while everything is halted.
	ExemptFromHalt bool

	// Run validates the arguments and does the work. An error of the work is part of the
	// result, as the specification requires.
	Run func(context.Context, *Call) Result
}

// Need is something that a tool requires.
type Need string

// The needs of tools.
const (
	NeedKillSecret    Need = "kill_secret"    // the setting KILL_SECRET
	NeedHeaders       Need = "headers"        // a transport that carries HTTP headers
	NeedWorkspaceFile Need = "workspace_file" // a file that can be read and says what is governed
	NeedAgent         Need = "agent"          // dispatch is on, and an agent is there
	NeedProcessTable  Need = "process_table"  // the processes of the machine can be read
)

// Product names an endpoint of the catalogue, at whose price a tool is sold.
type Product struct {
	Method string
	Path   string
}

// Call is one use of a tool.
type Call struct {
	Arguments json.RawMessage // an object, or nothing
	Header    http.Header     // of the HTTP request that carries the call; nil over stdio
	Payment   json.RawMessage // what _meta carries as a payment (x402), nil without one
	Transport string          // "mcp", "sse" or "stdio"

	// Traceparent names the trace that the call is a part of (MCP, _meta), "" without one.
	Traceparent string

	// Progress reports the progress to a client that asked for it: done must grow, total is
	// 0 if unknown.
	Progress func(done, total int, message string)
}

// progressInterval is the least time between two messages of progress.
const progressInterval = 500 * time.Millisecond

// FileProgress returns a function that tells the client now and then how many files were looked
// at; nil if the client did not ask for progress.
func (c *Call) FileProgress() func(done int) {
	if c.Progress == nil {
		return nil
	}

	told := time.Now()
	return func(done int) {
		if time.Since(told) < progressInterval {
			return
		}
		told = time.Now()
		c.Progress(done, 0, "files looked at")
	}
}

// Result is the outcome of a call (specification, CallToolResult).
type Result struct {
	Content    []any           `json:"content"`
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	IsError    bool            `json:"isError,omitempty"`

	Err  *Error         `json:"-"` // what the text tells, if it is an error
	Meta map[string]any `json:"-"` // members of _meta
}

// AppendJSON appends the result. It copies the structured content, which is JSON
// already, where encoding/json would read all of it again.
func (r Result) AppendJSON(to []byte) ([]byte, error) {
	content, err := json.Marshal(r.Content)
	if err != nil {
		return nil, err
	}

	to = slices.Grow(to, len(content)+len(r.Structured)+64)
	to = append(append(to, `{"content":`...), content...)
	if r.Structured != nil {
		to = append(append(to, `,"structuredContent":`...), r.Structured...)
	}
	if r.IsError {
		to = append(to, `,"isError":true`...)
	}
	return append(to, '}'), nil
}

// ResultMeta returns the members of _meta.
func (r Result) ResultMeta() map[string]any { return r.Meta }

// Text is the content block of a text.
type Text struct {
	Type string `json:"type"` // "text"
	Text string `json:"text"`
}

// Error is a failure that the caller may read.
type Error struct {
	Code    string `json:"code"` // such as invalid_argument, unauthorized, unavailable
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`  // what to do about it
	Field   string `json:"field,omitempty"` // JSON pointer (RFC 6901) to the argument at fault
	Allowed any    `json:"allowed,omitempty"`
}

func (e *Error) Error() string {
	return e.Code + ": " + e.Message
}

// Define completes a tool from its function. It panics if the types cannot be
// described by a schema, which is a defect of the build.
func Define[In, Out any](t Tool, run func(context.Context, *Call, In) (Out, error)) *Tool {
	input := describe(reflect.TypeFor[In](), "")
	t.Input, t.Output = input.render(), describe(reflect.TypeFor[Out](), "").ofResult().render()
	t.Run = func(ctx context.Context, call *Call) Result {
		var in In
		if err := input.decode(call.Arguments, &in); err != nil {
			return Failure(err)
		}

		out, err := run(ctx, call, in)
		if err != nil {
			return Failure(known(ctx, t.Name, err))
		}

		text, err := json.Marshal(out)
		if err != nil {
			return Failure(known(ctx, t.Name, fmt.Errorf("result: %w", err)))
		}

		return Result{Content: []any{Text{"text", string(text)}}, Structured: text}
	}
	return &t
}

// known hides every error that was not made for the caller.
func known(ctx context.Context, name string, err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}

	if ctx.Err() != nil {
		return &Error{
			Code:    "timeout",
			Message: "The call was cancelled or took too long.",
			Hint:    "Try again.",
		}
	}

	slog.ErrorContext(ctx, "tool failed", "tool", name, "error", err.Error())
	return &Error{
		Code:    "internal",
		Message: "Something failed on our side.",
		Hint:    "Try again; if it fails again, look into the log of the server.",
	}
}

// Failure is the result for an error.
func Failure(e *Error) Result {
	text, err := json.Marshal(map[string]*Error{"error": e})
	if err != nil { // an Error of ours always marshals
		text = []byte(`{"error":{"code":"internal","message":"Something failed on our side."}}`)
	}
	return Result{
		Content: []any{Text{"text", string(text)}},
		IsError: true,
		Err:     e,
	}
}
