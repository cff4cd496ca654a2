package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// devWalletPath is where the payment page finds the development payer.
const devWalletPath = "/dev/wallet"

// devWalletBody is the longest request, several times a typed message.
const devWalletBody = 16 << 10

// devWallet lets the payment page pay with the development payer's play money.
// It answers the three methods of an EIP-1193 wallet that the page uses, as
// JSON-RPC 2.0, and signs nothing but a payment to this service. It exists only
// beside the development chain, and only for pages of this service: another
// page's request, a forged Host and a form cannot reach it.
type devWallet struct {
	site  catalog.Site
	token evm.Token
	payer *evm.Key
}

func newDevWallet(site catalog.Site) (http.Handler, error) {
	token, err := evm.NewToken(site.Network, site.Asset, site.AssetName, site.AssetVersion)
	if err != nil {
		return nil, err
	}
	payer, err := devPayer()
	if err != nil {
		return nil, err
	}
	return httpapi.Middleware(httpapi.Handle(devWallet{site, token, payer}.answer)), nil
}

// walletCall is a JSON-RPC request.
type walletCall struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

// Codes of JSON-RPC 2.0 section 5.1 and EIP-1193.
const (
	walletInvalidParams = -32602
	walletUnsupported   = 4200
)

func (d devWallet) answer(r *http.Request) (httpapi.Response, error) {
	if err := d.ownPage(r); err != nil {
		return httpapi.Response{}, err
	}
	body, err := httpapi.ReadJSON(r, devWalletBody)
	if err != nil {
		return httpapi.Response{}, err
	}

	var call walletCall
	if err := json.Unmarshal(body, &call); err != nil {
		return httpapi.Response{}, &httpapi.Error{
			Status: http.StatusBadRequest,
			Code:   "invalid_json",
			Detail: "The body is not a JSON-RPC request.",
		}
	}

	reply := map[string]any{"jsonrpc": "2.0", "id": call.ID}
	result, code, err := d.call(call)
	if err != nil {
		reply["error"] = map[string]any{"code": code, "message": err.Error()}
	} else {
		reply["result"] = result
	}

	answer, err := httpapi.JSON(reply)
	if err == nil {
		answer.Header.Set("Cache-Control", "no-store")
	}

	return answer, err
}

// ownPage lets in only what a page of this service sends by itself: JSON, to the
// configured host, with the Origin that a browser puts on every such request.
func (d devWallet) ownPage(r *http.Request) error {
	base, err := url.Parse(d.site.BaseURL)
	if err != nil {
		return err
	}

	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case r.Method != http.MethodPost:
		return &httpapi.Error{
			Status: http.StatusMethodNotAllowed,
			Code:   "method_not_allowed",
			Detail: "The development wallet answers POST only.",
		}
	case r.Host != base.Host, r.Header.Get("Origin") != base.Scheme+"://"+base.Host, site != "" && site != "same-origin":
		return &httpapi.Error{
			Status: http.StatusForbidden,
			Code:   "foreign_page",
			Detail: "The development wallet serves pages of " + d.site.BaseURL + " only. Open the page under that address.",
		}
	case r.Header.Get("Content-Type") == "":
		return &httpapi.Error{
			Status: http.StatusUnsupportedMediaType,
			Code:   "unsupported_media_type",
			Detail: "Send the header Content-Type: application/json.",
		}
	}

	return nil
}

// call answers one method; an error comes with its code.
func (d devWallet) call(c walletCall) (result any, code int, err error) {
	switch c.Method {
	case "eth_requestAccounts":
		return []string{d.payer.Address()}, 0, nil
	case "eth_chainId":
		return fmt.Sprintf("0x%x", d.token.ChainID), 0, nil
	case "eth_signTypedData_v4":
		payment, err := d.payment(c.Params)
		if err != nil {
			return nil, walletInvalidParams, err
		}
		signature, err := d.payer.Authorize(d.token, payment)
		return signature, walletInvalidParams, err
	}
	return nil, walletUnsupported, errors.New("the development wallet knows eth_requestAccounts, eth_chainId and eth_signTypedData_v4")
}

// typedTransfer is the typed message (EIP-712) of an EIP-3009 authorization. Its member
// types is ignored: the token's own type is always signed.
type typedTransfer struct {
	PrimaryType string `json:"primaryType"`
	Domain      struct {
		Name              string      `json:"name"`
		Version           string      `json:"version"`
		ChainID           json.Number `json:"chainId"`
		VerifyingContract string      `json:"verifyingContract"`
	} `json:"domain"`
	Message x402.Authorization `json:"message"`
}

// payment reads the parameters of eth_signTypedData_v4 (address, JSON text) and
// refuses all but payments of the development payer to this service.
func (d devWallet) payment(params []json.RawMessage) (payments.Payment, error) {
	none := payments.Payment{}
	var account, text string
	if len(params) != 2 ||
		json.Unmarshal(params[0], &account) != nil ||
		json.Unmarshal(params[1], &text) != nil {
		return none, errors.New("the parameters are an address and a typed message as JSON text")
	}

	var typed typedTransfer
	if err := json.Unmarshal([]byte(text), &typed); err != nil {
		return none, errors.New("the typed message is not an EIP-3009 authorization")
	}

	domain := typed.Domain
	m := typed.Message
	ours := typed.PrimaryType == "TransferWithAuthorization" &&
		domain.Name == d.token.Name &&
		domain.Version == d.token.Version &&
		domain.ChainID.String() == strconv.FormatUint(d.token.ChainID, 10) &&
		strings.EqualFold(domain.VerifyingContract, d.site.Asset) &&
		strings.EqualFold(m.To, d.site.PayTo) &&
		strings.EqualFold(m.From, d.payer.Address()) &&
		strings.EqualFold(account, m.From)
	if !ours {
		return none, errors.New("the development wallet signs only payments of its own account to this service")
	}

	value, wrongValue := strconv.ParseInt(m.Value, 10, 64)
	after, wrongAfter := strconv.ParseUint(m.ValidAfter, 10, 63)
	before, wrongBefore := strconv.ParseUint(m.ValidBefore, 10, 63)
	if err := errors.Join(wrongValue, wrongAfter, wrongBefore); err != nil ||
		value <= 0 ||
		value > int64(x402.MaxTip) ||
		!isBytes32(m.Nonce) {
		return none, fmt.Errorf("value must be at most %s, validAfter and validBefore seconds, nonce 32 bytes of hex", x402.MaxTip)
	}

	return payments.Payment{
		Network:     d.site.Network,
		Asset:       d.site.Asset,
		PayTo:       m.To,
		Payer:       m.From,
		Amount:      value,
		ValidAfter:  after,
		ValidBefore: before,
		Nonce:       m.Nonce,
	}, nil
}

func isBytes32(text string) bool {
	digits, ok := strings.CutPrefix(text, "0x")
	return ok &&
		len(digits) == 64 &&
		strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}
