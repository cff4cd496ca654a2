// Package payments is the life of one payment: reserve, work, settle, replay.
//
// A payment is one signed authorization, of EIP-3009 or Permit2. The contract that
// counts its nonce accepts it once, so (contract, payer, nonce) is its key, and
// this package makes sure that one authorization buys one run of one request and
// that the answer survives every crash:
//
//	reserved -> ready -> settling -> settled
//	    |         |          |
//	 released   failed     failed
//
// The answer of the handler is stored (ready) before money moves and withheld
// until it has moved (settled). The transaction is signed and stored (settling)
// before it is broadcast, so a process that resumes sends the same bytes again. Each
// write is conditional on the version that was read; a lease says who works on
// a record, and only its end lets another take over.
package payments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Asset transfer methods (scheme_exact_evm). EIP-3009 is the empty one: records
// that are older than Permit2 name none.
const (
	MethodEIP3009 = ""
	MethodPermit2 = "permit2"
)

// Permit2 is the contract that counts the nonces of [MethodPermit2], at the same
// address on every EVM network.
const Permit2 = "0x000000000022d473030f116ddee9f6b43ac78ba3"

// Payment is an authorization as the payer signed it (EIP-3009 or Permit2),
// already matched against the terms of the request. Hex strings are lower case
// with 0x.
type Payment struct {
	Method      string `json:"method,omitempty"`
	Network     string `json:"network"` // CAIP-2
	Asset       string `json:"asset"`
	PayTo       string `json:"pay_to"`
	Payer       string `json:"payer"`
	Amount      int64  `json:"amount"`       // atomic units, exactly the price
	ValidAfter  uint64 `json:"valid_after"`  // Unix seconds
	ValidBefore uint64 `json:"valid_before"` // Unix seconds; the deadline of Permit2
	Nonce       string `json:"nonce"`        // 32 bytes; the uint256 of Permit2, big endian
	Signature   string `json:"signature"`    // 65 bytes of a key, or what a contract wallet takes (EIP-1271, ERC-6492)
}

// Key identifies a payment for good.
func (p Payment) Key() Key {
	contract := p.Asset
	if p.Method == MethodPermit2 {
		contract = Permit2
	}
	return Key{
		Contract: contract,
		Payer:    p.Payer,
		Nonce:    p.Nonce,
	}
}

// Key is (contract that counts the nonce, payer, nonce), lower case. The contract
// of EIP-3009 is the asset, and Asset is its stored name.
type Key struct {
	Contract     string `json:"Asset"`
	Payer, Nonce string
}

func (k Key) String() string {
	return k.Contract + "/" + k.Payer + "/" + k.Nonce
}

// State of a record.
type State string

const (
	Reserved State = "reserved" // one run owns the payment
	Released State = "released" // nothing was delivered or charged; the payment may be used again
	Ready    State = "ready"    // the answer is stored and withheld
	Settling State = "settling" // a signed transaction is stored, perhaps broadcast
	Settled  State = "settled"  // the money arrived; the reply is stored as sent
	Failed   State = "failed"   // proven that the money will not arrive
)

// finished reports that nothing is left to resume.
func (s State) finished() bool {
	return s == Settled || s == Failed || s == Released
}

// Request is what the payment is bound to.
type Request struct {
	Product     string `json:"product"`  // operation of the catalogue
	Resource    string `json:"resource"` // absolute URL of the terms
	Description string `json:"description"`
	Fingerprint string `json:"fingerprint"`  // SHA-256 over method, path, query, body digest and amount, hex
	BodyDigest  string `json:"body_digest"`  // SHA-256 of the request body, hex
	SecretBody  bool   `json:"has_body"`     // the body is hard to guess, so it proves the buyer
	X402Version int    `json:"x402_version"` // 1 or 2: the dialect of the reply
}

// Answer is a stored HTTP answer.
type Answer struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

// Attempt is an attempt to move the money: a signed transaction, stored before it is
// broadcast, or the URL of the facilitator that settles, stored before the request.
type Attempt struct {
	Chain       string    `json:"chain,omitempty"`  // id of the chain instance: hash of its block 0
	Wallet      string    `json:"wallet,omitempty"` // gas wallet that signed
	WalletNonce uint64    `json:"wallet_nonce,omitempty"`
	Raw         []byte    `json:"raw,omitempty"` // signed transaction, RLP
	Hash        string    `json:"hash,omitempty"`
	SignedAt    time.Time `json:"signed_at"`
	Replaced    []string  `json:"replaced,omitempty"`    // hashes of transactions with this nonce and lower fees; one of them may be mined instead
	Facilitator string    `json:"facilitator,omitempty"` // URL; its wallet pays, and no other facilitator is ever asked
}

// Signed reports whether a transaction of our own exists.
func (a Attempt) Signed() bool {
	return len(a.Raw) > 0
}

// Hashes of all transactions that may be mined for this attempt, the present one
// first.
func (a Attempt) Hashes() []string {
	return append([]string{a.Hash}, a.Replaced...)
}

// Replacement reports that the attempt has the wallet nonce of an earlier one of the same
// payment.
func (a Attempt) Replacement() bool {
	return len(a.Replaced) > 0
}

// Begun reports whether the money may be moving.
func (a Attempt) Begun() bool {
	return a.Signed() || a.Facilitator != ""
}

// Settlement is the proof on the chain that the money arrived.
type Settlement struct {
	Transaction string `json:"transaction"`
	Block       uint64 `json:"block"`
	BlockHash   string `json:"block_hash"`
	LogIndex    uint   `json:"log_index"` // of the Transfer event in its block
}

// Record is a payment as stored.
type Record struct {
	Version     uint64      `json:"version"` // rises by one with each write; 0 = not stored
	State       State       `json:"state"`
	Payment     Payment     `json:"payment"`
	Request     Request     `json:"request"`
	PayloadHash string      `json:"payload_hash"`         // of the exact payment payload, hex
	Identifier  string      `json:"identifier,omitempty"` // extension payment-identifier
	Owner       string      `json:"owner,omitempty"`      // who holds the lease
	LeaseUntil  time.Time   `json:"lease_until"`
	Result      *Answer     `json:"result,omitempty"` // of the handler, withheld
	Attempt     Attempt     `json:"attempt"`
	Settlement  *Settlement `json:"settlement,omitempty"`
	Reply       *Answer     `json:"reply,omitempty"` // as sent
	Reason      string      `json:"reason,omitempty"`
	Deliveries  int         `json:"deliveries,omitempty"`
	CreatedAt   time.Time   `json:"created_at"`
	SettledAt   time.Time   `json:"settled_at"`
	Watched     bool        `json:"watched,omitempty"`   // settled so recently that the chain may still drop the block
	Submitter   string      `json:"submitter,omitempty"` // who received the reply, if only one may
	Reverts     []Revert    `json:"reverts,omitempty"`   // transactions of ours that were mined and moved no money

	// What the store has counted elsewhere for this record. Only the store changes them; a
	// writer of the record passes them on as loaded.
	Committed int64 `json:"committed,omitempty"` // atomic units in the payer's [Account]
	Spent     int64 `json:"spent,omitempty"`     // atomic units in the payer's [Account]
	Counted   int   `json:"counted,omitempty"`   // of Reverts, in the payer's account and the gas of the hour
}

// Revert is a transaction of the gas wallet that was mined and reverted.
type Revert struct {
	Transaction string    `json:"transaction"`
	Gas         uint64    `json:"gas"`            // that it burned
	At          time.Time `json:"at"`             // when it was found
	Paid        bool      `json:"paid,omitempty"` // the money moved anyway, by another party's transaction
}

// Open reports that the record still needs work: it is unfinished or watched.
func (r Record) Open() bool {
	return !r.State.finished() || r.Watched
}

// Unused says that the payment bought nothing.
func (r Record) Unused() bool {
	return r.State == Released || r.State == Failed
}

// Key of the record's payment.
func (r Record) Key() Key { return r.Payment.Key() }

// Transaction is the hash of the transaction that moved or is to move the money,
// "" before there is one.
func (r Record) Transaction() string {
	if r.Settlement != nil {
		return r.Settlement.Transaction
	}
	return r.Attempt.Hash
}

// Encode gives the stored form of a record.
func (r Record) Encode() ([]byte, error) {
	return json.Marshal(r)
}

// Decode reads the stored form.
func Decode(data []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, fmt.Errorf("payment record: %w", err)
	}
	return r, nil
}

// DecodeVersion reads the version of the stored form, which stands first in it.
func DecodeVersion(data []byte) (version uint64, err error) {
	digits, ok := bytes.CutPrefix(data, []byte(`{"version":`))
	if end := bytes.IndexByte(digits, ','); ok && end > 0 {
		return strconv.ParseUint(string(digits[:end]), 10, 64)
	}
	return 0, errors.New("payment record: not the stored form")
}

// Errors of a [Store] on which a caller branches.
var (
	ErrNotFound       = errors.New("payments: no such record")
	ErrConflict       = errors.New("payments: the record changed meanwhile")
	ErrNonceTaken     = errors.New("payments: the wallet nonce is taken")
	ErrIdentifierUsed = errors.New("payments: the payment identifier belongs to another payload")
	ErrFunds          = errors.New("payments: the payer's funds do not cover this payment beside those under way")
	ErrPaused         = errors.New("payments: the payer has to wait after a settlement that failed")
)

// Invalid is a payment that cannot be accepted; it costs the payer nothing.
type Invalid struct {
	Reason  string // x402 reason code
	Message string // for a person
}

func (e *Invalid) Error() string {
	return e.Reason + ": " + e.Message
}

// Rejected is a payment whose transaction is proven to have moved no money.
type Rejected struct {
	Reason      string // x402 reason code
	Message     string
	Transaction string // "" when none was mined
}

func (e *Rejected) Error() string {
	return e.Reason + ": " + e.Message
}

// Pending is an unknown outcome: a new payment could pay twice, the same one can
// be sent again.
type Pending struct {
	Code        string // settlement_pending, payment_in_progress
	Transaction string // hash of the broadcast transaction, "" before there is one
	RetryAfter  time.Duration
}

func (e *Pending) Error() string {
	return e.Code + " " + e.Transaction
}

// Paused is a payment that is not accepted for a while. It costs the payer nothing.
type Paused struct {
	Code       string // CodePayerPaused, CodeWalletsPaused
	Message    string // for a person
	RetryAfter time.Duration
}

func (e *Paused) Error() string {
	return e.Code + ": " + e.Message
}

// Unavailable is a failure of a dependency before this request moved money. An equal
// request may move it.
type Unavailable struct{ Cause error }

func (e *Unavailable) Error() string {
	return "payment backend unavailable: " + e.Cause.Error()
}

func (e *Unavailable) Unwrap() error { return e.Cause }

// ErrDelivered refuses one more delivery of an answer without a body or an
// identifier to prove that the caller is the buyer: after settlement the
// authorization is public on the chain.
var ErrDelivered = errors.New("payments: delivered already")

// ReplayRefused is a payment that was spent on another request.
type ReplayRefused struct{ Reason, Message string }

func (e *ReplayRefused) Error() string {
	return e.Reason + ": " + e.Message
}
