// Package chat is the conversation with a model, in the form that all providers share:
// the model is asked with everything that was said, and answers with text, with calls of
// tools, or with both. Every call gets exactly one result in the message that follows.
package chat

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Roles of a message. They alternate, and the user begins.
const (
	User      = "user"
	Assistant = "assistant"
)

// Message is what one side says.
type Message struct {
	Role    string
	Text    string
	Calls   []Call   // of the assistant
	Results []Result // of the user: one for each call of the message before
}

// Call is a tool that the model wants to use. Its arguments are as the model wrote them,
// perhaps no JSON.
type Call struct {
	ID, Name, Arguments string
}

// Result is what a tool answered.
type Result struct {
	ID, Text string
	Failed   bool
}

// Tool is what the model may call. Schema is the JSON Schema of its arguments.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage
}

// Request is the whole conversation so far.
type Request struct {
	System    string
	Messages  []Message
	Tools     []Tool
	MaxTokens int // of the answer
}

// Stop is why an answer ended.
type Stop string

// Reasons for the end of an answer.
const (
	Done        Stop = "done"         // the model has nothing more to say
	CallsTools  Stop = "calls_tools"  // it waits for results
	Refused     Stop = "refused"      // the model, or a filter before or behind it, declined
	TooLong     Stop = "too_long"     // the answer was cut at MaxTokens
	ContextFull Stop = "context_full" // the conversation does not fit into the model
)

// Answer is the next message of the assistant.
type Answer struct {
	Message Message
	Stop    Stop
	Input   int // tokens that the request cost
	Output  int // tokens that the answer cost
}

// Tokens is what the request and the answer cost together.
func (a Answer) Tokens() int {
	return a.Input + a.Output
}

// Model is a model of some provider. Errors: [*Busy], or what asking again does not mend.
type Model interface {
	Complete(ctx context.Context, r Request) (Answer, error)
}

// Busy says that asking again may help.
type Busy struct {
	After time.Duration // that the provider wants to be left alone, 0 if it does not say
	Err   error
}

func (b *Busy) Error() string { return b.Err.Error() }
func (b *Busy) Unwrap() error { return b.Err }

// mostTokens is more than any answer costs.
const mostTokens = 1 << 30

// Sum adds what a provider says that an answer cost; it may say anything.
func Sum(tokens ...int) (sum int) {
	for _, n := range tokens {
		sum += min(max(n, 0), mostTokens)
	}
	return sum
}

// Checked is the answer, unless no results could be matched with its calls.
func (a Answer) Checked() (Answer, error) {
	if a.Stop == CallsTools && len(a.Message.Calls) == 0 {
		return Answer{}, errors.New("the answer waits for tools and calls none")
	}
	seen := map[string]bool{}
	for _, c := range a.Message.Calls {
		if c.ID == "" || c.Name == "" || seen[c.ID] {
			return Answer{}, errors.New("the answer has a tool call without a name or an id of its own")
		}
		seen[c.ID] = true
	}
	return a, nil
}
