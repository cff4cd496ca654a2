package agenttherapy

import (
	"context"
	"errors"
	"mime"
	"net/http"

	"governance.internal/shared/httpapi"
	"governance.internal/shared/x402"
)

// New returns the handler that sells diagnoses: POST /x402/agent-therapy. The body is an object with
// text or files, or the text itself. An input that cannot be diagnosed is a 400 before any payment is
// reserved.
func New(gate *x402.Gate) http.Handler {
	return gate.Sell("agent-therapy", func(call x402.Call) (x402.Work, error) {
		in, err := readBody(call)
		if err != nil {
			return nil, err
		}
		if err := check(in); err != nil {
			return nil, badField(err)
		}

		return func(context.Context) (httpapi.Response, error) {
			answer, err := Diagnose(in)
			if err != nil {
				return httpapi.Response{}, err
			}
			return httpapi.JSON(answer)
		}, nil
	})
}

// readBody reads the body by its media type: a text as it is, JSON as an object of the contract or,
// if it has other members, as the text of a list of tools or of a conversation.
func readBody(call x402.Call) (Input, error) {
	mediaType, _, err := mime.ParseMediaType(call.Request.Header.Get("Content-Type"))
	if err == nil && mediaType != "application/json" {
		return Input{Text: string(call.Body)}, nil
	}

	in, err := ReadInput(call.Body)
	if err != nil {
		return in, &httpapi.Error{
			Status: http.StatusBadRequest,
			Code:   "invalid_json",
			Detail: `The body cannot be read: ` + err.Error() + `. Send {"text":"..."}, {"files":[{"name":"AGENTS.md","text":"..."}]}, or the text itself as text/plain.`,
		}
	}
	return in, nil
}

// check refuses what [Diagnose] would refuse.
func check(in Input) error {
	files, err := in.files()
	if err != nil {
		return err
	}
	return readFiles(files, in.kind()).refusal()
}

// badField says which member of the body is wrong.
func badField(err error) error {
	var input *InputError
	if !errors.As(err, &input) {
		return err
	}
	return &httpapi.Error{
		Status:  http.StatusBadRequest,
		Code:    "invalid_" + input.member(),
		Detail:  "The member " + input.Field + " " + input.Detail + ".",
		Members: map[string]any{"field": input.Field},
	}
}
