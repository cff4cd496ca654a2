package legalprep

import (
	"context"
	"errors"
	"net/http"

	"governance.internal/shared/httpapi"
	"governance.internal/shared/x402"
)

// New returns the handler that sells the answers: POST /x402/legal-prep. A request that cannot be answered is a 400
// before any payment is reserved. certification names the certified agent in the answers; it
// may be empty.
func New(gate *x402.Gate, certification string) http.Handler {
	return gate.Sell("legal-prep", func(call x402.Call) (x402.Work, error) {
		in, err := readRequest(call.Body)
		if err != nil {
			return nil, err
		}
		if err := check(in.Mode, in.Text); err != nil {
			return nil, badField(err)
		}

		return func(context.Context) (httpapi.Response, error) {
			answer, err := Prepare(in.Mode, in.Text)
			if err != nil {
				return httpapi.Response{}, err
			}
			answer.CertificationID = certification
			return httpapi.JSON(answer)
		}, nil
	})
}

// request is the body (specification, 2.3).
type request struct {
	Mode string `json:"mode"`
	Text string `json:"text"`
}

// readRequest reads the body.
func readRequest(body []byte) (in request, err error) {
	if err := httpapi.DecodeStrict(body, &in); err != nil {
		return in, invalidJSON(err.Error())
	}
	return in, nil
}

func invalidJSON(reason string) error {
	return &httpapi.Error{
		Status: http.StatusBadRequest,
		Code:   "invalid_json",
		Detail: `The body cannot be read: ` + reason + `. Send {"mode":"doc_review","text":"..."}.`,
	}
}

// badField says which member of the body is wrong.
func badField(err error) error {
	var input *InputError
	if !errors.As(err, &input) {
		return err
	}
	return &httpapi.Error{
		Status:  http.StatusBadRequest,
		Code:    "invalid_" + input.Field,
		Detail:  "The member " + input.Field + " " + input.Detail + ".",
		Members: map[string]any{"field": input.Field},
	}
}
