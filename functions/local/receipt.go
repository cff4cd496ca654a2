package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"governance.internal/shared/catalog"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// receiptFile is what a buyer keeps: the settlement response with its two signed
// artifacts, and the buyer's own account of what was asked and answered.
type receiptFile struct {
	Request  receiptRequest `json:"request"`
	Result   receiptResult  `json:"result"`
	Response settleResponse `json:"response"`
}

type receiptRequest struct {
	Method     string `json:"method"`
	URL        string `json:"url"`
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
	r := receiptFile{
		Request: receiptRequest{o.method, o.url, x402.BodyDigest(o.body)},
		Result:  receiptResult{x402.BodyDigest(a.body)},
	}
	header := a.header.Get(x402.HeaderResponse)
	if header == "" {
		return r, errors.New("the answer has no PAYMENT-RESPONSE header")
	}
	return r, x402.DecodeHeader(header, &r.Response)
}

func (r receiptFile) evidence() x402.Evidence { return r.Response.Extensions.Evidence.Info.Payload }

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
// digests are those of the request and the result.
func (r receiptFile) check(signer string) error {
	receipt, evidence := r.Response.Extensions.OfferReceipt.Info.Receipt, r.Response.Extensions.Evidence.Info
	receiptSigner, err := evm.RecoverTyped(receipt.Payload.Typed(), receipt.Signature)
	if err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	evidenceSigner, err := evm.RecoverTyped(evidence.Payload.Typed(), evidence.Signature)
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	requestDigest, err := r.requestDigest()
	if err != nil {
		return err
	}
	for _, fact := range []struct {
		what      string
		got, want string
	}{
		{"signer of the evidence", evidenceSigner, receiptSigner},
		{"signer", receiptSigner, orElse(signer, receiptSigner)},
		{"transaction of the receipt", receipt.Payload.Transaction, r.Response.Transaction},
		{"transaction of the evidence", evidence.Payload.Transaction, r.Response.Transaction},
		{"payer", receipt.Payload.Payer, r.Response.Payer},
		{"network", receipt.Payload.Network, r.Response.Network},
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

func (r receiptFile) requestDigest() (string, error) {
	u, err := url.Parse(r.Request.URL)
	if err != nil {
		return "", fmt.Errorf("request address: %w", err)
	}
	amount, err := strconv.ParseInt(r.Response.Amount, 10, 64)
	if err != nil {
		return "", fmt.Errorf("amount: %w", err)
	}
	return x402.RequestDigest(orElse(r.Request.Method, http.MethodGet), u, r.Request.BodySHA256, amount), nil
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
