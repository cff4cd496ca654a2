// Package facilitator moves the money of verified payments.
//
// Onchain sends each transfer itself, from a gas wallet over JSON-RPC. Whatever
// else may submit the same authorization, the token accepts it once, so the
// events of the token decide what happened, never the fate of one transaction.
package facilitator

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// Onchain implements payments.Facilitator.
type Onchain struct {
	chain  *evm.Chain
	wallet evm.Wallet

	nonces sync.Mutex // one allocation at a time in this process; the store guards the others
}

var _ payments.Facilitator = (*Onchain)(nil)

// NewOnchain settles on chain with wallet, which pays the gas.
func NewOnchain(chain *evm.Chain, wallet evm.Wallet) *Onchain {
	return &Onchain{chain: chain, wallet: wallet}
}

// Authentic implements payments.Facilitator.
func (o *Onchain) Authentic(ctx context.Context, p payments.Payment) error {
	return o.chain.Authentic(ctx, p)
}

// Open implements payments.Facilitator.
func (o *Onchain) Open(p payments.Payment, now time.Time) error {
	return o.chain.Open(p, now)
}

// Verify implements payments.Facilitator.
func (o *Onchain) Verify(ctx context.Context, p payments.Payment) error {
	return o.chain.Verify(ctx, o.wallet, p)
}

// RunsCode implements payments.Facilitator.
func (o *Onchain) RunsCode(ctx context.Context, p payments.Payment) (bool, error) {
	return o.chain.RunsCode(ctx, p)
}

// Funds implements payments.Facilitator.
func (o *Onchain) Funds(ctx context.Context, p payments.Payment) (int64, error) {
	return o.chain.Funds(ctx, p)
}

// Settle implements payments.Facilitator. A stored transaction is looked up and
// sent again as it is; a new one is signed only when none exists or its wallet
// nonce went to another transaction.
func (o *Onchain) Settle(ctx context.Context, p payments.Payment, j payments.Journal) (payments.Settlement, error) {
	instance, err := o.chain.Instance(ctx)
	if err != nil {
		return payments.Settlement{}, err
	}

	attempt := j.Attempt()
	if attempt.Begun() && attempt.Chain != instance {
		return payments.Settlement{}, chainLost(attempt)
	}

	note := func(v payments.Revert) { j.Reverted(ctx, v) }
	for {
		if attempt.Signed() {
			settlement, err := o.chain.Resume(ctx, p, attempt.Hashes(), note)
			var rejected *payments.Rejected
			if err == nil || errors.As(err, &rejected) {
				return settlement, err
			}
			// Not mined, or the node cannot tell (a young one still indexes):
			// the same bytes may go out again either way.
			if attempt, err = o.replace(ctx, j, attempt); err != nil {
				return payments.Settlement{}, &payments.Pending{Transaction: attempt.Hash}
			}
		} else if attempt, err = o.sign(ctx, p, j, instance); err != nil {
			return o.unsigned(ctx, p, j, err)
		}

		err := o.chain.Send(ctx, attempt)
		if err == nil {
			j.Sent()
			return o.await(ctx, p, j, attempt)
		}

		if !errors.Is(err, evm.ErrNonceSpent) {
			slog.WarnContext(ctx, "transaction not sent", "transaction", attempt.Hash, "error", err.Error())
			return payments.Settlement{}, pendingUnless(err, attempt)
		}

		// Mined between our look and our send, or never: look once more.
		settlement, err := o.chain.Outcome(ctx, p, attempt.Hashes(), note)
		if !errors.Is(err, evm.ErrNotMined) {
			return settlement, pendingUnless(err, attempt)
		}

		attempt = payments.Attempt{}
	}
}

// chainLost rejects a payment that was being settled on a chain that is gone.
func chainLost(attempt payments.Attempt) error {
	return &payments.Rejected{
		Reason:      x402.ReasonTransaction,
		Transaction: attempt.Hash,
		Message:     "The chain on which this payment was being settled no longer exists.",
	}
}

// pendingUnless turns a failure after signing into an unknown outcome, except
// the proof that no money moved.
func pendingUnless(err error, attempt payments.Attempt) error {
	var rejected *payments.Rejected
	if err == nil || errors.As(err, &rejected) {
		return err
	}
	return &payments.Pending{Transaction: attempt.Hash}
}

// replace stores a replacement of a transaction whose fees have become too low,
// if there is one to make. Without one the old bytes are as good as before.
func (o *Onchain) replace(ctx context.Context, j payments.Journal, attempt payments.Attempt) (payments.Attempt, error) {
	replacement, replaced, err := o.chain.Replace(ctx, o.wallet, attempt)
	if err != nil {
		slog.WarnContext(ctx, "transaction not replaced", "transaction", attempt.Hash, "error", err.Error())
	}
	if !replaced {
		return attempt, nil
	}
	if err := j.Record(ctx, replacement); err != nil {
		return attempt, err
	}
	return replacement, nil
}

// unsigned handles a transfer that could not be signed: when the EVM refuses it, another
// party may have executed the authorization before us. Until the chain shows that, the
// outcome is unknown.
func (o *Onchain) unsigned(
	ctx context.Context,
	p payments.Payment,
	j payments.Journal,
	err error,
) (payments.Settlement, error) {
	if errors.Is(err, evm.ErrReverts) {
		settlement, err := o.chain.Reconcile(ctx, p, j.Attempt().Begun())
		return settlement, pendingUnless(err, payments.Attempt{})
	}
	return payments.Settlement{}, err
}

// sign signs the transfer with the wallet's next nonce and stores it.
func (o *Onchain) sign(
	ctx context.Context,
	p payments.Payment,
	j payments.Journal,
	instance string,
) (payments.Attempt, error) {
	fees, err := o.chain.Fees(ctx, o.wallet, p)
	if err != nil {
		return payments.Attempt{}, err
	}

	seen, err := o.chain.WalletNonce(ctx, o.wallet)
	if err != nil {
		return payments.Attempt{}, err
	}

	o.nonces.Lock()
	defer o.nonces.Unlock()

	for {
		nonce, err := o.nextNonce(ctx, j, instance, seen)
		if err != nil {
			return payments.Attempt{}, err
		}
		attempt, err := o.chain.SignTransfer(ctx, o.wallet, p, fees, nonce, instance)
		if err != nil {
			return payments.Attempt{}, err
		}
		if err := j.Record(ctx, attempt); !errors.Is(err, payments.ErrNonceTaken) {
			return attempt, err
		}
	}
}

// nextNonce is the greater of what we signed and what the chain has seen.
func (o *Onchain) nextNonce(ctx context.Context, j payments.Journal, instance string, seen uint64) (uint64, error) {
	next, known, err := j.NextNonce(ctx, instance, payments.Wallet(o.wallet.Address()))
	if err != nil || !known || next <= seen {
		return seen, err
	}
	return next, nil
}

// fillGap makes the chain's way free to a transaction that waits: earlier ones of
// ours, which the nodes lost or never got, are sent again, and nonces that no stored
// transaction has are spent. Those were used elsewhere, or a node counted too many.
func (o *Onchain) fillGap(ctx context.Context, j payments.Journal, waiting payments.Attempt) error {
	next, err := o.chain.WalletNonce(ctx, o.wallet)
	if err != nil || next > waiting.WalletNonce {
		return err
	}

	stored, err := j.Earlier(ctx, waiting.Chain, waiting.Wallet, next)
	if err != nil {
		return err
	}

	for _, attempt := range stored {
		for ; next < min(attempt.WalletNonce, waiting.WalletNonce); next++ {
			if err := o.chain.Spend(ctx, o.wallet, next); err != nil {
				return err
			}
		}

		if attempt.WalletNonce >= waiting.WalletNonce {
			break
		}
		if err := o.sendEarlier(ctx, attempt); err != nil {
			return err
		}
		next = attempt.WalletNonce + 1
	}

	return nil
}

// sendEarlier sends a stored transaction again. One that no node takes any more, its
// fee is too low perhaps, gives up its nonce: its payment signs again once that is
// spent.
func (o *Onchain) sendEarlier(ctx context.Context, attempt payments.Attempt) error {
	err := o.chain.Send(ctx, attempt)
	if err == nil || errors.Is(err, evm.ErrNonceSpent) {
		return nil
	}
	return o.chain.Spend(ctx, o.wallet, attempt.WalletNonce)
}

// fillPause is the time between two looks at the wallet's gap.
const fillPause = time.Second

// await polls for the outcome until ctx ends.
func (o *Onchain) await(
	ctx context.Context,
	p payments.Payment,
	j payments.Journal,
	attempt payments.Attempt,
) (payments.Settlement, error) {
	var looked time.Time
	for pause := 5 * time.Millisecond; ; pause = min(pause*2, 500*time.Millisecond) {
		settlement, err := o.chain.Outcome(ctx, p, attempt.Hashes(), func(v payments.Revert) {
			j.Reverted(ctx, v)
		})
		var rejected *payments.Rejected
		if err == nil || errors.As(err, &rejected) {
			return settlement, err
		}
		if errors.Is(err, evm.ErrStillValid) { // nothing comes of waiting here
			return payments.Settlement{}, &payments.Pending{Transaction: attempt.Hash}
		}

		if errors.Is(err, evm.ErrNotMined) && time.Since(looked) > fillPause {
			looked = time.Now()
			if err := o.fillGap(ctx, j, attempt); err != nil {
				slog.WarnContext(ctx, "gap of the gas wallet not filled",
					"transaction", attempt.Hash,
					"error", err.Error())
			}
		}

		select {
		case <-ctx.Done():
			return payments.Settlement{}, &payments.Pending{Transaction: attempt.Hash}
		case <-time.After(pause):
		}
	}
}
