package payments

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"
)

// Facilitator verifies payments and moves their money.
type Facilitator interface {
	// Authentic checks that the payer signed the payment, at any time. A key's signature
	// needs no network; that of a contract wallet is verified by the wallet on the chain.
	// It returns nil, *Invalid, or any other error when the chain cannot be asked.
	Authentic(ctx context.Context, p Payment) error

	// Open checks that the validity window is open and stays open long enough. It returns
	// nil or *Invalid.
	Open(p Payment, now time.Time) error

	// RunsCode reports whether settling the payment runs code of the payer with our gas: a
	// contract wallet, or an account that delegates to one.
	RunsCode(ctx context.Context, p Payment) (bool, error)

	// Funds is the payer's balance of the asset in atomic units.
	Funds(ctx context.Context, p Payment) (int64, error)

	// Verify asks the chain: balance, nonce unused, simulation. It returns nil,
	// *Invalid, or any other error when the chain cannot be asked.
	Verify(ctx context.Context, p Payment) error

	// Settle moves the money or finds that it has moved, and can be called again after any
	// crash. It stores each attempt in j before it sends it. Errors: *Pending while the
	// outcome is unknown, *Rejected when it is proven that no money moved; any other error
	// when nothing was broadcast.
	Settle(ctx context.Context, p Payment, j Journal) (Settlement, error)
}

// Journal stores the attempts of a facilitator for one payment.
type Journal interface {
	// Attempt returns the stored attempt, the zero value if there is none.
	Attempt() Attempt
	// NextNonce is the wallet's next nonce as far as this service knows.
	NextNonce(ctx context.Context, chain, wallet string) (next uint64, known bool, err error)
	// Record stores an attempt. With a wallet of ours it claims the wallet nonce;
	// ErrNonceTaken: sign with another one.
	Record(ctx context.Context, a Attempt) error
	// Earlier lists the stored transactions of the wallet from a nonce on, up to the
	// first that may still be on its way to a node.
	Earlier(ctx context.Context, chain, wallet string, from uint64) ([]Attempt, error)
	// Reverted notes that a transaction of our wallet was mined and moved no money. It is
	// noted once, however often it is seen.
	Reverted(ctx context.Context, v Revert)
	// Sent notes that the transaction was handed to a node.
	Sent()
}

// Ledger records payments in the audit trail.
type Ledger interface {
	// Ready fails if the ledger cannot record now. It is called before money moves: a sale
	// that cannot be recorded is refused.
	Ready(ctx context.Context) error
	// Settled appends the settlement and gives the reply as it is to be sent: the
	// result with payment response, receipt and evidence. However often it is
	// called for a payment, there is one entry.
	Settled(ctx context.Context, r Record) (Answer, error)
	// Refused appends a refused replay, once for a record and reason.
	Refused(ctx context.Context, r Record, reason string) error
	// Reversed appends, once for a record, that the chain dropped its settlement and
	// the money is back with the payer.
	Reversed(ctx context.Context, r Record) error
}

// journal ties a facilitator to one record of a machine.
type journal struct {
	machine *Machine
	record  *Record
}

func (j journal) Attempt() Attempt { return j.record.Attempt }

func (j journal) NextNonce(ctx context.Context, chain, wallet string) (uint64, bool, error) {
	return j.machine.Store.NextNonce(ctx, chain, wallet)
}

func (j journal) Earlier(ctx context.Context, chain, wallet string, from uint64) ([]Attempt, error) {
	attempts, err := j.machine.Store.Attempts(ctx, chain, wallet, from)
	since := j.machine.Now().Add(-sendLimit)

	for i, a := range attempts {
		if a.SignedAt.After(since) {
			return attempts[:i], err
		}
	}
	return attempts, err
}

// sendLimit is how long a signed transaction takes to reach a node. Resending a slow one is
// harmless.
const sendLimit = time.Second

func (j journal) Record(ctx context.Context, a Attempt) error {
	next := *j.record
	a.SignedAt = j.machine.Now()
	next.Attempt = a
	if next.State != Settled { // else it is a repetition after the chain dropped a block
		next.State = Settling
	}

	next.LeaseUntil = j.machine.Now().Add(j.machine.Lease)
	write := j.machine.Store.Submit
	if a.Wallet == "" { // the facilitator pays the gas
		write = j.machine.Store.Save
	}

	saved, err := write(ctx, next)
	switch {
	case errors.Is(err, ErrNonceTaken) || errors.Is(err, ErrConflict):
		return err
	case err != nil: // perhaps stored nevertheless, and may be sent
		return &Pending{Transaction: a.Hash}
	}

	*j.record = saved
	j.machine.step("signed")
	return nil
}

func (j journal) Reverted(ctx context.Context, v Revert) {
	if j.record.reverted(v.Transaction) {
		return
	}
	v.At = j.machine.Now()
	next := *j.record
	next.Reverts = append(slices.Clone(next.Reverts), v)
	saved, err := j.machine.Store.Save(ctx, next)
	if err != nil { // the next look at the transaction notes it
		slog.WarnContext(ctx, "wasted gas not noted",
			"payment", next.Key().String(),
			"transaction", v.Transaction,
			"error", err.Error())
		return
	}

	*j.record = saved
	j.machine.wasted(ctx, saved, v)
}

func (j journal) Sent() { j.machine.step("sent") }
