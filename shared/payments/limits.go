package payments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Limits limit the gas that payers can make the wallet waste. The zero value has none.
type Limits struct {
	NoContracts bool   // contract wallets are refused, and accounts that delegate to code
	WastedGas   uint64 // that may be burned in vain in an hour before contract wallets wait; 0: no limit
}

// Codes of [Paused].
const (
	CodePayerPaused   = "payer_paused"
	CodeWalletsPaused = "contract_wallets_paused"
)

// ReasonContract is the x402 reason code of a refused contract wallet: its kind of
// signature is not taken.
const ReasonContract = "unsupported_payload_type"

// ReasonFunds is the x402 reason code of an insufficient balance.
const ReasonFunds = "insufficient_funds"

// admit refuses payers whose code must not run now.
//
// Errors: *Invalid, *Paused, *Unavailable.
func (m *Machine) admit(ctx context.Context, p Payment) error {
	if m.Limits == (Limits{}) {
		return nil
	}
	runsCode, err := m.Facilitator.RunsCode(ctx, p)
	if err != nil {
		return &Unavailable{err}
	}
	if !runsCode {
		return nil
	}

	if m.Limits.NoContracts {
		return &Invalid{Reason: ReasonContract,
			Message: "Contract wallets, and accounts that delegate to code, cannot pay here. Pay from an account with a key alone."}
	}

	return m.withinBudget(ctx)
}

// withinBudget refuses payments when the gas budget of this hour is used up.
func (m *Machine) withinBudget(ctx context.Context) error {
	if m.Limits.WastedGas == 0 {
		return nil
	}
	now := m.Now()
	burned, err := m.Store.WastedGas(ctx, Hour(now))
	switch {
	case err != nil:
		return &Unavailable{err}
	case burned < m.Limits.WastedGas:
		return nil
	}

	return &Paused{
		Code: CodeWalletsPaused,
		Message: "Settlements of contract wallets failed too often on the chain within this hour. Nothing was charged; " +
			"send the same payment later, or pay from an account with a key alone.",
		RetryAfter: time.Unix((Hour(now)+1)*int64(time.Hour/time.Second), 0).Sub(now),
	}
}

// wasted reports a revert to the operator, and the end of the hour's budget if this revert
// used it up.
func (m *Machine) wasted(ctx context.Context, r Record, v Revert) {
	slog.WarnContext(ctx, "a settlement was mined in vain and its gas is lost",
		"payment", r.Key().String(), "transaction", v.Transaction, "gas", v.Gas, "paid_otherwise", v.Paid)
	if m.Limits.WastedGas == 0 {
		return
	}

	burned, err := m.Store.WastedGas(ctx, Hour(v.At))
	if err != nil {
		slog.WarnContext(ctx, "wasted gas of the hour not readable", "error", err.Error())
		return
	}

	before := burned - min(v.Gas, burned)
	if before < m.Limits.WastedGas && m.Limits.WastedGas <= burned {
		slog.ErrorContext(ctx, "the gas budget of this hour is used up and contract wallets wait",
			"alarm", CodeWalletsPaused, "gas", burned, "budget", m.Limits.WastedGas)
	}
}

// fundsPause is how long a payment waits in total for other payments of its payer.
const fundsPause = time.Second

// reserve takes the payment for this run, if the payer's account admits it. The account
// was read before the payment was verified against the balance, so that a payment alone
// needs no look at the balance itself.
//
// Errors: *Invalid, *Paused, *Unavailable, ErrConflict, ErrIdentifierUsed.
func (m *Machine) reserve(ctx context.Context, o Order, r Record, account Account) (Record, error) {
	funds := o.Payment.Amount
	waiting := newBackoff(fundsPause)
	for {
		saved, err := m.reserveWithin(ctx, o, r, account.Room(funds))
		if !errors.Is(err, ErrFunds) && !errors.Is(err, ErrPaused) {
			return saved, err
		}

		account, err = m.account(ctx, o.Payment)
		if err != nil {
			return Record{}, err
		}
		funds, err = m.Facilitator.Funds(ctx, o.Payment)
		if err != nil {
			return Record{}, &Unavailable{err}
		}

		price := o.Payment.Amount
		isShort := account.Open()+price > funds
		if isShort && (funds < price || !waiting.sleep(ctx)) {
			return Record{}, shortOf(funds, price, account.Open())
		}
		if ctx.Err() != nil {
			return Record{}, &Unavailable{ctx.Err()}
		}
	}
}

// shortOf refuses a payment that the payer's balance does not cover.
func shortOf(funds, price, open int64) *Invalid {
	const form = "The payer's balance of %d atomic units does not cover this payment of %d beside others of %d that are under way. " +
		"Nothing was charged; wait for their end or add funds."
	return &Invalid{
		Reason:  ReasonFunds,
		Message: fmt.Sprintf(form, funds, price, open),
	}
}

// account is the payer's, unless it is paused.
//
// Errors: *Paused, *Unavailable.
func (m *Machine) account(ctx context.Context, p Payment) (Account, error) {
	account, err := m.Store.Account(ctx, p.Asset, p.Payer)
	if err != nil {
		return Account{}, &Unavailable{err}
	}

	left := account.Paused.Sub(m.Now())
	if left <= 0 {
		return account, nil
	}

	return Account{}, &Paused{
		Code: CodePayerPaused,
		Message: "A settlement of this payer failed on the chain and burned gas, so the payer has to wait. " +
			"Nothing was charged; send the payment later.",
		RetryAfter: max(left, time.Second),
	}
}
