package payments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Lease is how long a run may hold a record: longer than the longest run (the
// gateway cuts at 30 s).
const Lease = 35 * time.Second

const (
	settleLimit = 20 * time.Second // a request waits this long for its receipt
	waitLimit   = 8 * time.Second  // a duplicate waits this long for the run it duplicates

	reserveLimit = 2 * time.Second // limit for writing a reservation

	replayWindow    = 120 * time.Second // for a request without body and identifier
	replayMost      = 3                 // deliveries in that window, the first included
	replayBurst     = time.Second       // so long a surplus request may be one of many sent at once
	retryInProgress = time.Second
	retryPending    = 2 * time.Second
)

// Order is one paid request.
type Order struct {
	Payment     Payment // found authentic by [Machine.Authentic]
	Request     Request
	PayloadHash string
	Identifier  string
	SignedIn    bool                                  // the payer proved to be the one who asks
	Checked     Checked                               // what [Machine.Check] found, to be used once
	Submitter   string                                // if set, only one submitter gets the reply, any number of times
	Work        func(context.Context) (Answer, error) // runs at most once at a time
}

// Machine runs orders. All fields but Step and Limits are required; it is safe for
// concurrent use.
type Machine struct {
	Store       Store
	Facilitator Facilitator
	Ledger      Ledger
	Now         func() time.Time
	Owner       string            // unique for this process
	Lease       time.Duration     // [Lease] but in tests
	Limits      Limits            // for the gas that payers can waste; zero for none
	Step        func(name string) // called after each durable step; tests crash there
}

func (m *Machine) step(name string) {
	if m.Step != nil {
		m.Step(name)
	}
}

// Authentic checks that the payer signed a payment; only such a payment makes an order. A
// payload that is bound to a record was authentic when it was bound and remains so, even if
// a wallet changes its owner or the chain is unavailable.
//
// Errors: *Invalid, *Unavailable, and *Pending when the store does not tell.
func (m *Machine) Authentic(ctx context.Context, p Payment, payloadHash string) error {
	cause := m.Facilitator.Authentic(ctx, p)
	if cause == nil {
		return nil
	}

	r, err := m.load(ctx, p.Key())
	switch {
	case err != nil:
		return err
	case r.Version > 0 && r.PayloadHash == payloadHash:
		return nil
	}
	return unlessInvalid(cause)
}

// Begun returns the record of a payment whose money may have moved or may still move.
//
// Errors: *Pending when the store does not tell.
func (m *Machine) Begun(ctx context.Context, key Key) (r Record, begun bool, err error) {
	r, err = m.load(ctx, key)
	isStored := r.Version > 0
	return r, isStored && !r.Unused(), err
}

// Pay runs one order to its end and returns the reply to send.
//
// Errors: *Invalid, *Rejected and *ReplayRefused need a new payment; after *Pending,
// *Paused and *Unavailable the same payment can be sent again later; neither helps after
// ErrDelivered and ErrIdentifierUsed; any other error is the handler's own and nothing was
// charged.
func (m *Machine) Pay(ctx context.Context, o Order) (Answer, error) {
	waiting := newBackoff(waitLimit)
	for {
		r, err := m.load(ctx, o.Payment.Key())
		if err == nil && r.Version == 0 {
			err = m.identifierFree(ctx, o)
		}
		if err != nil {
			return Answer{}, err
		}

		reply, err := m.advance(ctx, o, r)
		switch {
		case errors.Is(err, errRecount):
		case errors.Is(err, ErrConflict): // someone works on the same payment right now
		case errors.Is(err, errBusy):
			if !waiting.sleep(ctx) {
				return Answer{}, &Pending{
					Code:        "payment_in_progress",
					Transaction: r.Transaction(),
					RetryAfter:  retryInProgress,
				}
			}
		case err == nil && o.Submitter != "":
			return m.claim(ctx, o)
		default:
			return reply, err
		}
	}
}

var errBusy = errors.New("payments: another run holds the lease")

// load returns the record of a payment; a new one has version 0.
func (m *Machine) load(ctx context.Context, key Key) (Record, error) {
	r, err := m.Store.Load(ctx, key)
	switch {
	case errors.Is(err, ErrNotFound):
		return Record{}, nil
	case err != nil: // this payment may be settled for all we know
		slog.ErrorContext(ctx, "payment not readable", "payment", key.String(), "error", err.Error())
		return Record{}, &Pending{
			Code:       "payment_state_unknown",
			RetryAfter: retryPending,
		}
	}
	return r, nil
}

// identifierFree refuses an identifier that is bound to another payload before
// that payload is even verified.
func (m *Machine) identifierFree(ctx context.Context, o Order) error {
	if o.Identifier == "" {
		return nil
	}
	hash, err := m.Store.Identified(ctx, o.Payment.Payer, o.Request.Product, o.Identifier)
	switch {
	case errors.Is(err, ErrNotFound) || err == nil && hash == o.PayloadHash:
		return nil
	case err != nil:
		return &Unavailable{err}
	}
	return ErrIdentifierUsed
}

// advance does what the stored state asks for.
func (m *Machine) advance(ctx context.Context, o Order, r Record) (Answer, error) {
	if r.Version == 0 || r.State == Released {
		return m.begin(ctx, o, r)
	}
	if err := m.sameOrder(ctx, o, r); err != nil {
		return Answer{}, err
	}

	switch r.State {
	case Settled:
		return m.replay(ctx, o, r)
	case Failed:
		return Answer{}, &Rejected{
			Reason:      r.Reason,
			Message:     "This payment failed.",
			Transaction: r.Attempt.Hash,
		}
	}

	if m.isLeased(r) {
		return Answer{}, errBusy
	}
	return m.resume(ctx, o, r)
}

// isLeased reports whether another run holds the record.
func (m *Machine) isLeased(r Record) bool {
	return r.Owner != "" && m.Now().Before(r.LeaseUntil)
}

// sameOrder refuses a payment that is bound to another request. A payload that
// differs only in its identifier or in the spelling of its signature is the same
// order.
func (m *Machine) sameOrder(ctx context.Context, o Order, r Record) error {
	if r.Request.Fingerprint == o.Request.Fingerprint {
		return nil
	}
	if r.State == Settling || r.State == Settled {
		m.refused(ctx, r, "other_request")
	}
	return &ReplayRefused{Reason: ReasonNonceUsed,
		Message: "This authorization is bound to another request. Sign a new one."}
}

// ReasonNonceUsed is the x402 reason code of a spent authorization.
const ReasonNonceUsed = "invalid_exact_evm_nonce_already_used"

// ReasonExpired is the x402 reason code of an expired authorization.
const ReasonExpired = "invalid_exact_evm_payload_authorization_valid_before"

func (m *Machine) refused(ctx context.Context, r Record, reason string) {
	if err := m.Ledger.Refused(ctx, r, reason); err != nil {
		slog.ErrorContext(ctx, "refused replay not recorded",
			"payment", r.Key().String(),
			"error", err.Error())
	}
}

// begin verifies and reserves the payment and runs the order. It stores nothing before the
// verification, so that garbage cannot fill the store.
func (m *Machine) begin(ctx context.Context, o Order, r Record) (Answer, error) {
	key := o.Payment.Key()
	account, fresh := o.Checked.fresh(r, m.Now())
	if !fresh {
		var err error
		if account, err = m.funded(ctx, r, o.Payment); err != nil {
			return Answer{}, err
		}
	}

	m.step("verified")
	saved, err := m.reserve(ctx, o, r, account)
	var invalid *Invalid
	if errors.As(err, &invalid) {
		err = m.unlessChanged(ctx, r, key, err)
	}
	if err != nil {
		return Answer{}, err
	}

	m.step("reserved")
	return m.run(ctx, o, saved)
}

// funded verifies a payment without a pending record, and returns the payer's account as it
// was before.
func (m *Machine) funded(ctx context.Context, r Record, p Payment) (Account, error) {
	account, err := m.account(ctx, p)
	if err == nil {
		err = m.verify(ctx, p)
	}
	if err != nil {
		return Account{}, m.unlessChanged(ctx, r, p.Key(), err)
	}
	return account, nil
}

// Checked is a payment that was verified a moment ago. The zero value is none.
type Checked struct {
	at      time.Time
	version uint64 // of the record, 0 for none
	account Account
}

// checkedLife is how long a check is valid.
const checkedLife = 2 * time.Second

// fresh returns the account of a check that is still valid for a record.
func (c Checked) fresh(r Record, now time.Time) (Account, bool) {
	age := now.Sub(c.at)
	return c.account, !c.at.IsZero() &&
		c.version == r.Version &&
		age >= 0 &&
		age < checkedLife
}

// Check verifies a payment before any other work, even before its request is validated, so
// that a payer without funds causes no work. A pending or finished payment was verified
// when it was reserved.
//
// Errors: those of [Machine.Pay] that need no handler.
func (m *Machine) Check(ctx context.Context, p Payment) (Checked, error) {
	r, err := m.load(ctx, p.Key())
	if err != nil {
		return Checked{}, err
	}
	if r.Version > 0 && r.State != Released {
		return Checked{}, nil
	}

	at := m.Now()
	account, err := m.funded(ctx, r, p)
	switch {
	case errors.Is(err, ErrConflict): // an equal request has just reserved it
		return Checked{}, nil
	case err != nil:
		return Checked{}, err
	}

	return Checked{
		at:      at,
		version: r.Version,
		account: account,
	}, nil
}

// reserveWithin writes the reservation within a limit. It must end before an equal request
// can get the answer that the payment has expired and a new one is needed.
func (m *Machine) reserveWithin(ctx context.Context, o Order, r Record, room int64) (Record, error) {
	now := m.Now()
	err := m.Facilitator.Open(o.Payment, now.Add(reserveLimit))
	if err != nil {
		return Record{}, &Unavailable{errors.New("too late to begin: " + err.Error())} // no verdict: not to be unwrapped
	}

	ctx, cancel := context.WithTimeout(ctx, reserveLimit)
	defer cancel()

	saved, err := m.Store.Reserve(ctx, Record{
		Version:     r.Version,
		State:       Reserved,
		Payment:     o.Payment,
		Request:     o.Request,
		PayloadHash: o.PayloadHash,
		Identifier:  o.Identifier,
		Owner:       m.Owner,
		LeaseUntil:  now.Add(m.Lease),
		CreatedAt:   now,
		Reverts:     r.Reverts,
		Committed:   r.Committed,
		Spent:       r.Spent,
		Counted:     r.Counted,
	}, room)
	if err == nil || isRefusal(err) {
		return saved, err
	}

	return Record{}, &Unavailable{err}
}

// isRefusal reports that a store refused a write, and that it is certainly not stored.
func isRefusal(err error) bool {
	for _, refusal := range []error{ErrConflict, ErrIdentifierUsed, ErrFunds, ErrPaused} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

// run works and settles. Any failure before the answer is stored releases the payment.
func (m *Machine) run(ctx context.Context, o Order, r Record) (Answer, error) {
	result, err := work(ctx, o.Work)
	if err != nil || result.Status >= http.StatusBadRequest {
		m.release(ctx, r)
		return result, err
	}

	m.step("worked")
	// The answer exists: from here on a disconnect of the client cancels nothing.
	ctx = context.WithoutCancel(ctx)
	r.State = Ready
	r.Result = &result
	r.LeaseUntil = m.Now().Add(m.Lease)
	saved, err := m.save(ctx, r)
	if err != nil {
		return Answer{}, err
	}

	m.step("ready")
	return m.settle(ctx, saved)
}

// unlessChanged gives cause, unless an equal request reserved the payment since r
// was loaded: then the chain may have refused because that one has settled it.
func (m *Machine) unlessChanged(ctx context.Context, r Record, key Key, cause error) error {
	now, err := m.Store.Load(ctx, key)
	switch {
	case errors.Is(err, ErrNotFound) || err == nil && now.Version == r.Version:
		return cause
	case err == nil:
		return ErrConflict
	}
	return &Pending{Code: "payment_state_unknown", RetryAfter: retryPending}
}

// verify checks the window and asks the chain.
func (m *Machine) verify(ctx context.Context, p Payment) error {
	if err := m.Facilitator.Open(p, m.Now()); err != nil {
		return err
	}
	if err := m.admit(ctx, p); err != nil {
		return err
	}
	return unlessInvalid(m.Facilitator.Verify(ctx, p))
}

// unlessInvalid turns a failure to ask the chain into *Unavailable.
func unlessInvalid(err error) error {
	var invalid *Invalid
	if err == nil || errors.As(err, &invalid) {
		return err
	}
	return &Unavailable{err}
}

// work turns a panic of the handler into an error so that the payment is
// released like after any other failure.
func work(ctx context.Context, run func(context.Context) (Answer, error)) (answer Answer, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("handler panic: %v", cause)
		}
	}()
	return run(ctx)
}

func (m *Machine) release(ctx context.Context, r Record) {
	r.State = Released
	r.Owner = ""
	r.Result = nil
	_, err := m.Store.Save(context.WithoutCancel(ctx), r)
	if err != nil {
		// The lease expires and the next request takes the record over.
		slog.WarnContext(ctx, "payment not released", "payment", r.Key().String(), "error", err.Error())
	}
}

// save maps the store's failures: conflicts go back to the caller's loop; others are
// harmless only before the money moves.
func (m *Machine) save(ctx context.Context, r Record) (Record, error) {
	saved, err := m.Store.Save(ctx, r)
	switch {
	case err == nil ||
		errors.Is(err, ErrConflict) ||
		errors.Is(err, ErrIdentifierUsed):
		return saved, err
	case r.Attempt.Begun() || r.Settlement != nil:
		slog.ErrorContext(ctx, "payment not saved", "payment", r.Key().String(), "error", err.Error())
		return Record{}, &Pending{
			Code:        "settlement_pending",
			Transaction: r.Transaction(),
			RetryAfter:  retryPending,
		}
	}

	return Record{}, &Unavailable{err}
}
