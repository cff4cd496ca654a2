package bookkeeping

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"governance.internal/shared/httpapi"
	"governance.internal/shared/x402"
)

// LambdaAnswer is how long an answer of a Lambda function may be, in bytes, with room for what stands
// around it: Lambda itself carries 6 MB.
const LambdaAnswer = 5_500_000

// New returns the handler that sells books: POST /x402/bookkeeping. The books are made before any
// payment is reserved, so what cannot be read for certain is a 400 without a charge. longest is how many
// bytes an answer may have; 0 means any number.
func New(gate *x402.Gate, longest int) http.Handler {
	return gate.Sell("bookkeeping", func(call x402.Call) (x402.Work, error) {
		sources, options, err := readRequest(call.Request.Header.Get("Content-Type"), call.Body)
		if err != nil {
			return nil, err
		}

		books, err := Keep(sources, options)
		if err != nil {
			return nil, badField(err)
		}
		response, err := responseOf(books.Answer, longest)
		if err != nil {
			return nil, err
		}
		return func(context.Context) (httpapi.Response, error) { return response, nil }, nil
	})
}

// responseOf writes an answer, if the way back carries it.
func responseOf(a *Answer, longest int) (httpapi.Response, error) {
	var body bytes.Buffer
	if err := a.WriteJSON(&body); err != nil {
		return httpapi.Response{}, err
	}

	if longest > 0 && body.Len() > longest {
		return httpapi.Response{}, badField(&InputError{"files", fmt.Sprintf(
			"make an answer of %d bytes for %d rows, and this service can send %d; send fewer months at once, or run governance books on your machine",
			body.Len(), len(a.Ledger), longest)})
	}
	return httpapi.Response{
		Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   body.Bytes(),
	}, nil
}

// badField says which member of the request is wrong. A refused file is one.
func badField(err error) error {
	var input *InputError
	if !errors.As(err, &input) {
		return err
	}
	return &httpapi.Error{
		Status:  http.StatusBadRequest,
		Code:    "invalid_input",
		Detail:  input.Field + ": " + input.Detail + ".",
		Members: map[string]any{"field": input.Field},
	}
}
