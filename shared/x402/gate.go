package x402

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/payments"
)

// Call is a request whose payment matches the terms.
type Call struct {
	Endpoint catalog.Endpoint
	Request  *http.Request
	Body     []byte // within the endpoint's limit and of a media type that it accepts; empty without a body
	Payment  payments.Payment
}

// Work makes the answer of a call. It runs after the payment is verified and
// before it is charged.
type Work func(ctx context.Context) (httpapi.Response, error)

// Prepare looks at a call and returns its work, or an error that costs the
// caller nothing. It runs before the payment is reserved, so it must be cheap.
type Prepare func(Call) (Work, error)

// Gate sells routes.
type Gate struct {
	Site      catalog.Site
	Accounts  Accounts // whose sign-ins are accepted; nil: none are
	Signer    Signer
	Machine   *payments.Machine
	Now       func() time.Time
	DevWallet string // path of the development payer's wallet for the page, "" without one

	offers offerCache
}

// Sell returns the handler of a function: all its paid rows of the catalogue.
func (g *Gate) Sell(function string, prepare Prepare) http.Handler {
	rows := map[string]catalog.Endpoint{}
	for _, e := range catalog.ByFunction(function) {
		rows[e.Path] = e
	}

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		row, ok := rows[r.URL.Path]
		if !ok {
			httpapi.WriteError(
				w,
				r,
				&httpapi.Error{
					Status: http.StatusNotFound,
					Code:   "not_found",
					Detail: "No such product.",
				},
			)

			return
		}

		terms, queryErr := TermsFor(g.Site, row, r.URL.RawQuery)
		g.serve(w, r, terms, queryErr, prepare)
	})
}

func (g *Gate) serve(w http.ResponseWriter, r *http.Request, terms Terms, queryErr error, prepare Prepare) {
	w.Header().Set("Cache-Control", "no-store")
	header, present := paymentHeader(r.Header)
	if !present || r.Method == http.MethodHead { // an answer without a body is not worth money
		g.unpaid(w, r, terms, queryErr)
		return
	}

	sale := sale{gate: g, terms: terms, r: r}
	answer, err := sale.run(header, queryErr, prepare)
	if err != nil {
		sale.refuse(w, err)
		return
	}

	httpapi.Response(answer).Write(w)
}

// sale is one paid request.
type sale struct {
	gate    *Gate
	terms   Terms
	r       *http.Request
	payload Payload
	payment payments.Payment
}

// run goes through the life of a paid request: match, validate, then the
// machine looks up, verifies, reserves, works, settles and records.
func (s *sale) run(header string, queryErr error, prepare Prepare) (payments.Answer, error) {
	order, err := s.order(header, queryErr, prepare)
	if err != nil {
		return payments.Answer{}, err
	}
	return s.gate.Machine.Pay(s.r.Context(), order)
}

func (s *sale) order(header string, queryErr error, prepare Prepare) (payments.Order, error) {
	none := payments.Order{}
	var err error
	if s.payload, err = ParsePayload(header); err != nil {
		return none, err
	}
	if queryErr != nil {
		return none, queryErr
	}
	if s.payment, err = s.match(); err != nil {
		return none, err
	}

	signedIn, err := s.signedIn()
	if err != nil {
		return none, err
	}

	identifier, err := identifier(s.payload)
	if err != nil {
		return none, err
	}

	hash, err := payloadHash(s.payment, identifier)
	if err != nil {
		return none, err
	}

	err = s.gate.Machine.Authentic(s.r.Context(), s.payment, hash)
	if err != nil {
		return none, err // without a valid payment not even the body is read
	}

	checked, err := s.gate.Machine.Check(s.r.Context(), s.payment)
	if err != nil {
		return none, err // nor does that of a payer without money
	}

	body, err := s.body()
	if err != nil {
		return none, err
	}

	work, err := prepare(Call{
		Endpoint: s.terms.Endpoint,
		Request:  s.r,
		Body:     body,
		Payment:  s.payment,
	})
	if err != nil {
		return none, err
	}

	return payments.Order{
		Payment:     s.payment,
		Request:     s.request(body),
		PayloadHash: hash,
		Identifier:  identifier,
		SignedIn:    signedIn,
		Checked:     checked,
		Work: func(ctx context.Context) (payments.Answer, error) {
			response, err := work(ctx)
			return payments.Answer(response), err
		},
	}, nil
}

// signedIn reports whether the payer signed in besides paying.
func (s *sale) signedIn() (bool, error) {
	account, err := s.gate.account(s.r, s.terms)
	var invalid *payments.Invalid
	if errors.As(err, &invalid) { // the payment may be good: not 402
		err = badRequest("invalid_sign_in", invalid.Message)
	}
	return account == s.payment.Payer, err
}

func (s *sale) body() ([]byte, error) {
	if s.terms.Endpoint.Request != "" {
		return httpapi.ReadBody(s.r, s.terms.Endpoint.MaxBody, s.terms.Endpoint.Accepts...)
	}
	stray, err := io.ReadAll(io.LimitReader(s.r.Body, 1))
	if err != nil || len(stray) > 0 {
		return nil, badRequest("unexpected_body", "This path takes no body.")
	}
	return nil, nil
}

func (s *sale) request(body []byte) payments.Request {
	digest := BodyDigest(body)
	return payments.Request{
		Product:     s.terms.Endpoint.Operation,
		Resource:    s.terms.Resource,
		Description: s.terms.Endpoint.Summary,
		Fingerprint: RequestDigest(s.r.Method, s.r.URL, digest, s.payment.Amount),
		BodyDigest:  digest,
		SecretBody:  isSecret(body),
		X402Version: s.payload.Dialect(),
	}
}

// refuse maps every way a sale can end without a sale; the one place that knows
// which of them need a new payment.
func (s *sale) refuse(w http.ResponseWriter, err error) {
	var (
		invalid  *payments.Invalid
		replay   *payments.ReplayRefused
		rejected *payments.Rejected
		pending  *payments.Pending
		paused   *payments.Paused
		down     *payments.Unavailable
		known    *httpapi.Error
	)
	switch {
	case errors.As(err, &invalid):
		s.gate.challenge(w, s.r, s.terms, invalid.Reason, invalid.Message)
	case errors.As(err, &replay):
		s.gate.challenge(w, s.r, s.terms, replay.Reason, replay.Message)
	case errors.As(err, &rejected):
		s.setResponse(w, rejected.Reason, rejected.Transaction)
		s.gate.challenge(w, s.r, s.terms, rejected.Reason, rejected.Message)
	case errors.As(err, &pending):
		if s.payment.Nonce != "" { // a payer who only signed in sent no payment
			s.setResponse(w, ReasonPending, pending.Transaction)
		}
		httpapi.WriteError(w, s.r, s.pendingProblem(pending))
	case errors.As(err, &paused):
		httpapi.WriteError(w, s.r, httpapi.NotCharged(&httpapi.Error{
			Status:     http.StatusServiceUnavailable,
			Code:       paused.Code,
			RetryAfter: paused.RetryAfter,
			Detail:     paused.Message,
		}))
	case errors.As(err, &down):
		logUnavailable(s.r, down)
		httpapi.WriteError(w, s.r, s.unavailableProblem())
	case errors.Is(err, payments.ErrIdentifierUsed):
		httpapi.WriteError(w, s.r, httpapi.NotCharged(s.conflict("payment_identifier_conflict",
			"This payment identifier was used with another payload. Nothing was charged; use a new identifier.")))
	case errors.Is(err, payments.ErrDelivered):
		httpapi.WriteError(w, s.r, s.conflict("already_delivered",
			"The answer to this payment was delivered. It is given again only for 120 seconds and three times in all, "+
				"unless the payment carries a payment identifier, the request a body that others cannot guess, or the payer signs in with SIGN-IN-WITH-X."))
	case errors.As(err, &known):
		httpapi.WriteError(w, s.r, httpapi.NotCharged(known))
	default:
		httpapi.WriteError(w, s.r, httpapi.NotCharged(httpapi.Internal(s.r, err)))
	}
}

func (s *sale) statusURL() string {
	return s.gate.Site.BaseURL + "/x402/payments/" + s.payment.Nonce
}

func (s *sale) conflict(code, detail string) *httpapi.Error {
	return &httpapi.Error{
		Status:  http.StatusConflict,
		Code:    code,
		Detail:  detail,
		Members: map[string]any{"statusUrl": s.statusURL()},
	}
}

// unavailableProblem says what this request did, and not that nothing was charged: an
// equal request may have found the backend at work and be paying.
func (s *sale) unavailableProblem() *httpapi.Error {
	problem := &httpapi.Error{
		Status:     http.StatusServiceUnavailable,
		Code:       "payment_backend_unavailable",
		RetryAfter: 2 * time.Second,
		Detail:     "Payments cannot be processed right now. This request moved no money, but an equal one may. Do not sign another payment: send the same request with the same payment again.",
	}

	if s.payment.Nonce == "" { // a payer who only signed in sent no payment
		problem.Detail = "Sign-ins cannot be checked right now. Send the same request again."
		return problem
	}

	problem.Members = map[string]any{"statusUrl": s.statusURL()}
	return problem
}

func (s *sale) pendingProblem(p *payments.Pending) *httpapi.Error {
	return &httpapi.Error{
		Status:     http.StatusServiceUnavailable,
		Code:       p.Code,
		RetryAfter: p.RetryAfter,
		Detail:     "The outcome of this payment is not known yet. Do not sign another one: send the same request with the same payment again.",
		Members:    map[string]any{"transaction": p.Transaction, "statusUrl": s.statusURL()},
	}
}

// setResponse reports the failed or pending settlement in the payer's protocol version.
func (s *sale) setResponse(w http.ResponseWriter, reason, transaction string) {
	name, value, err := responseHeader(s.payload.Dialect(), SettleResponse{
		ErrorReason: reason,
		Payer:       s.payment.Payer,
		Transaction: transaction,
		Network:     s.payment.Network,
	})
	if err == nil {
		w.Header().Set(name, value)
	}
}

func badRequest(code, detail string) *httpapi.Error {
	return &httpapi.Error{
		Status: http.StatusBadRequest,
		Code:   code,
		Detail: detail,
	}
}

func logUnavailable(r *http.Request, err error) {
	slog.ErrorContext(r.Context(), "payment backend unavailable",
		"request_id", httpapi.RequestID(r.Context()), "path", r.URL.Path, "error", err.Error())
}
