package legalprep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

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

// readRequest reads the body. Unknown members are refused: a misspelled one would otherwise be
// answered as if it were absent.
func readRequest(body []byte) (in request, err error) {
	if !utf8.Valid(body) {
		return in, invalidJSON("it is not valid UTF-8")
	}

	reader := json.NewDecoder(bytes.NewReader(body))
	reader.DisallowUnknownFields()
	if err := reader.Decode(&in); err != nil {
		return in, invalidJSON(reasonOf(err))
	}
	if _, err := reader.Token(); !errors.Is(err, io.EOF) {
		return in, invalidJSON("something follows the object")
	}
	return in, nil
}

// reasonOf words an error of encoding/json for a caller.
func reasonOf(err error) string {
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it breaks off"
	case errors.As(err, &wrongType) && wrongType.Field == "":
		return "it is no object"
	case errors.As(err, &wrongType):
		return fmt.Sprintf("%s is a %s and must be text", wrongType.Field, wrongType.Value)
	}
	return err.Error()
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
