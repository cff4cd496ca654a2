package x402

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"governance.internal/shared/payments"
)

// EncodeHeader is standard base64 with padding over JSON.
func EncodeHeader(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(data), nil
}

// DecodeHeader reads base64 over JSON, in either alphabet, padded or not.
func DecodeHeader(text string, v any) error {
	text = strings.TrimRight(strings.TrimSpace(text), "=")
	alphabet := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		alphabet = base64.RawURLEncoding
	}

	data, err := alphabet.DecodeString(text)
	if err != nil {
		return fmt.Errorf("not base64")
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("not the expected JSON")
	}
	return nil
}

// paymentHeader finds the payment of a request; PAYMENT-SIGNATURE wins. Several
// values were joined or split on the way and are no valid payment.
func paymentHeader(h http.Header) (value string, present bool) {
	for _, name := range []string{HeaderSignature, HeaderPaymentV1} {
		if values := h.Values(name); len(values) > 0 {
			return strings.Join(values, ","), true
		}
	}
	return "", false
}

// ParsePayload reads a payment header. Errors are *payments.Invalid.
func ParsePayload(header string) (Payload, error) {
	if len(header) > MaxHeader {
		return Payload{}, invalid(ReasonPayload, "The payment header is longer than %d characters.", MaxHeader)
	}
	var p Payload
	if err := DecodeHeader(header, &p); err != nil {
		return Payload{}, invalid(ReasonPayload, "The payment header is %s; it must be base64 of a PaymentPayload object.",
			err)
	}

	if p.Accepted == nil && (p.Scheme == "" || p.Network == "") {
		return Payload{}, invalid(ReasonPayload, "The payment payload has neither accepted (version 2) nor scheme and network (version 1).")
	}
	if p.X402Version != 1 && p.X402Version != 2 {
		return Payload{}, invalid(ReasonVersion, "x402Version must be 1 or 2.")
	}

	return p, nil
}

func invalid(reason, format string, args ...any) error {
	return &payments.Invalid{Reason: reason, Message: fmt.Sprintf(format, args...)}
}
