package facilitator

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// maxBody is the longest request that is read, in bytes.
const maxBody = 64 << 10

// request is the body of verify and settle. Sellers pass payloads on as clients
// sent them, so unknown members are ignored.
type request struct {
	PaymentPayload      *x402.Payload `json:"paymentPayload"`
	PaymentRequirements *requirements `json:"paymentRequirements"`
}

// requirements are those of either version; the name of the amount tells which.
type requirements struct {
	x402.Requirements
	MaxAmountRequired string `json:"maxAmountRequired"`
}

func readRequest(r *http.Request) (request, error) {
	var req request
	body, err := httpapi.ReadJSON(r, maxBody)
	if err != nil {
		return req, err
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return req, badRequest("The body is not JSON of the expected shape: {x402Version, paymentPayload, paymentRequirements}.")
	}
	if req.PaymentPayload == nil || req.PaymentRequirements == nil {
		return req, badRequest("The body must be an object with paymentPayload and paymentRequirements.")
	}
	return req, nil
}

func badRequest(detail string) error {
	return &httpapi.Error{
		Status: http.StatusBadRequest,
		Code:   "invalid_request",
		Detail: detail,
	}
}

// payment matches the payload with the requirements, for any recipient and amount. Errors
// are *payments.Invalid. It compares only the scheme and the network of the accepted terms;
// the rest is up to seller and client.
func (s *service) payment(req request) (payments.Payment, error) {
	terms, err := s.terms(*req.PaymentRequirements)
	if err != nil {
		return payments.Payment{}, err
	}

	payload := *req.PaymentPayload
	payload.Resource = nil
	if payload.Accepted != nil {
		accepted := terms.Accepts()[0]
		if payload.Payload.Permit2Authorization != nil {
			accepted = terms.Accepts()[1]
		}
		accepted.Scheme, accepted.Network = payload.Accepted.Scheme, payload.Accepted.Network
		payload.Accepted = &accepted
	}

	return terms.Match(payload)
}

// terms are the requirements as the gate knows terms.
func (s *service) terms(want requirements) (x402.Terms, error) {
	none := x402.Terms{}
	network := s.token.Network
	amount := want.Amount
	if want.MaxAmountRequired != "" {
		network, amount = x402.NetworkV1(network), want.MaxAmountRequired
	}

	switch {
	case want.Scheme != "exact":
		return none, invalid(x402.ReasonScheme, "paymentRequirements.scheme must be exact.")
	case want.Network != network:
		return none, invalid(x402.ReasonNetwork, "paymentRequirements.network must be "+network+".")
	case !strings.EqualFold(want.Asset, s.token.Asset):
		return none, invalid(x402.ReasonRequirements, "paymentRequirements.asset must be "+s.token.Asset+".")
	case want.Extra["name"] != s.token.AssetName || want.Extra["version"] != s.token.AssetVersion:
		return none, invalid(x402.ReasonRequirements, "paymentRequirements.extra must have the EIP-712 domain of the asset: name "+
			strconv.Quote(s.token.AssetName)+", version "+strconv.Quote(s.token.AssetVersion)+".")
	}

	units, err := strconv.ParseInt(amount, 10, 64)
	if err != nil || units <= 0 || amount != strconv.FormatInt(units, 10) {
		return none, invalid(x402.ReasonRequirements, "paymentRequirements.amount must be a decimal number of atomic units above 0.")
	}

	site := s.token
	site.PayTo = want.PayTo
	return x402.Terms{Site: site, Price: catalog.Units(units)}, nil
}

func invalid(reason, message string) error {
	return &payments.Invalid{Reason: reason, Message: message}
}
