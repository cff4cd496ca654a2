package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"governance.internal/shared/catalog"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// receiptFile is what a buyer keeps: the settlement response with its two signed artifacts,
// and the request and answer as the buyer saw them.
type receiptFile struct {
	Request  receiptRequest `json:"request"`
	Result   receiptResult  `json:"result"`
	Response settleResponse `json:"response"`
}

type receiptRequest struct {
	Method     string `json:"method"`
	Target     string `json:"target"` // path and query
	BodySHA256 string `json:"bodySha256"`
}

type receiptResult struct {
	SHA256 string `json:"sha256"`
}

// settleResponse is x402.SettleResponse with our extensions typed.
type settleResponse struct {
	Success     bool   `json:"success"`
	Payer       string `json:"payer"`
	Transaction string `json:"transaction"`
	Network     string `json:"network"`
	Amount      string `json:"amount"`
	Extensions  struct {
		OfferReceipt x402.OfferReceipt      `json:"offer-receipt"`
		Evidence     x402.EvidenceExtension `json:"governance-evidence"`
	} `json:"extensions"`
}

func newReceiptFile(o order, a answer) (receiptFile, error) {
	var r receiptFile
	u, err := url.Parse(o.url)
	if err != nil {
		return r, err
	}

	r.Request = receiptRequest{o.method, u.RequestURI(), x402.BodyDigest(o.body)}
	r.Result.SHA256 = x402.BodyDigest(a.body)
	header := a.header.Get(x402.HeaderResponse)
	if header == "" {
		return r, errors.New("the answer has no PAYMENT-RESPONSE header")
	}
	return r, x402.DecodeHeader(header, &r.Response)
}

// readReceiptFile rejects unknown members.
func readReceiptFile(file string) (r receiptFile, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return r, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return r, fmt.Errorf("%s is not a receipt file: %w", file, err)
	}
	return r, nil
}

// name is the payment nonce, for a file; only after check.
func (r receiptFile) name() string {
	return strings.TrimPrefix(r.evidence().PaymentNonce, "0x")
}

func (r receiptFile) evidence() x402.Evidence {
	return r.Response.Extensions.Evidence.Info.Payload
}

func (r receiptFile) dollars() string {
	amount, err := strconv.ParseInt(r.Response.Amount, 10, 64)
	if err != nil {
		return r.Response.Amount
	}
	return catalog.Units(amount).Dollars()
}

func (r receiptFile) write(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o600)
}

// check verifies a receipt offline: both signatures are of one signer (the one
// wanted, unless that is ""), both artifacts speak of the same payment, and the
// digests are those of the request and the result. Amount, method, target and
// body are bound by the request digest.
func (r receiptFile) check(signer string) error {
	receipt := r.Response.Extensions.OfferReceipt.Info.Receipt
	evidence := r.Response.Extensions.Evidence.Info
	receiptSigner, err := evm.RecoverTyped(receipt.Payload.Typed(), receipt.Signature)
	if err != nil {
		return fmt.Errorf("receipt: %w", err)
	}

	evidenceSigner, err := evm.RecoverTyped(evidence.Payload.Typed(), evidence.Signature)
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}

	requestDigest, path, err := r.request()
	if err != nil {
		return err
	}

	resource, err := url.Parse(receipt.Payload.ResourceURL)
	if err != nil {
		return fmt.Errorf("resource: %w", err)
	}

	for _, fact := range []struct {
		what      string
		got, want string
	}{
		{"success", fmt.Sprint(r.Response.Success), "true"},
		{"format of the receipt", receipt.Format, "eip712"},
		{"format of the evidence", evidence.Format, "eip712"},
		{"signer of the evidence", evidenceSigner, receiptSigner},
		{"signer", receiptSigner, orElse(signer, receiptSigner)},
		{"transaction of the receipt", receipt.Payload.Transaction, r.Response.Transaction},
		{"transaction of the evidence", evidence.Payload.Transaction, r.Response.Transaction},
		{"payer", receipt.Payload.Payer, r.Response.Payer},
		{"network", receipt.Payload.Network, r.Response.Network},
		{"path", path, resource.Path},
		{"request digest", evidence.Payload.RequestDigest, requestDigest},
		{"result digest", evidence.Payload.ResultDigest, "0x" + r.Result.SHA256},
	} {
		if !strings.EqualFold(fact.got, fact.want) {
			return fmt.Errorf("%s is %s but must be %s", fact.what, fact.got, fact.want)
		}
	}

	return nil
}

func (r receiptFile) signer() string {
	receipt := r.Response.Extensions.OfferReceipt.Info.Receipt
	signer, err := evm.RecoverTyped(receipt.Payload.Typed(), receipt.Signature)
	if err != nil {
		return "unknown"
	}
	return signer
}

// request gives the digest and the path of the request.
func (r receiptFile) request() (digest, path string, err error) {
	u, err := url.ParseRequestURI(r.Request.Target)
	if err != nil {
		return "", "", fmt.Errorf("request: %w", err)
	}
	amount, err := strconv.ParseInt(r.Response.Amount, 10, 64)
	if err != nil || strconv.FormatInt(amount, 10) != r.Response.Amount {
		return "", "", fmt.Errorf("%q is not an amount", r.Response.Amount)
	}
	return x402.RequestDigest(r.Request.Method, u, r.Request.BodySHA256, amount), u.Path, nil
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
