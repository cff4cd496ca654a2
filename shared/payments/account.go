package payments

import (
	"math"
	"slices"
	"time"
)

// Account is what all payments of one payer in one asset add up to, in atomic units. A
// store changes it in the write that changes the record, so that it counts each payment
// exactly once.
//
// Committed rises with a reservation and falls only when a payment comes to nothing, so
// that it does not matter whether a balance that was read a moment ago has a settlement
// in it or not: what was spent since is committed, too.
type Account struct {
	Committed int64     `json:"committed"`         // of payments that are under way or settled
	Spent     int64     `json:"spent"`             // of payments that are settled
	Strikes   int       `json:"strikes,omitempty"` // settlements that failed on the chain
	Paused    time.Time `json:"paused"`            // until then nothing new is reserved; zero for no pause
}

// Open is what payments under way may yet take.
func (a Account) Open() int64 {
	return a.Committed - a.Spent
}

// Room is how much may be committed when the payer had a balance of funds after this
// account was read.
func (a Account) Room(funds int64) int64 {
	if funds > math.MaxInt64-a.Spent {
		return math.MaxInt64
	}
	return a.Spent + funds
}

// Pause is how long a payer waits whose settlement failed on the chain and burned gas.
const Pause = time.Hour

// AccountKey names an account, for stores.
func AccountKey(asset, payer string) string { return asset + "/" + payer }

// Hour names the hour of a time, for the gas that is added up in it, for stores.
func Hour(at time.Time) int64 {
	return at.Unix() / int64(time.Hour/time.Second)
}

// Change is what one write of a record changes beside the record.
type Change struct {
	Account   string           // key of the account
	Committed int64            // to be added
	Spent     int64            // to be added
	Strikes   int              // to be added
	Paused    time.Time        // the pause lasts at least until then
	Gas       map[int64]uint64 // hour -> burned gas to be added
}

// Empty says that nothing beside the record changes.
func (c Change) Empty() bool {
	return !c.Touches() && len(c.Gas) == 0
}

// Touches says that the account changes.
func (c Change) Touches() bool {
	return c.Committed != 0 || c.Spent != 0 || c.Strikes != 0
}

// Next gives the form in which a store keeps r, the next version of what it has, and
// what changes with it. Both follow from r alone, so that a store needs no look at the
// record it replaces.
func (r Record) Next() (Record, Change) {
	change := Change{Account: AccountKey(r.Payment.Asset, r.Payment.Payer)}

	committed, spent := r.amounts()
	change.Committed = committed - r.Committed
	change.Spent = spent - r.Spent

	for _, revert := range r.Reverts[min(r.Counted, len(r.Reverts)):] {
		if change.Gas == nil {
			change.Gas = map[int64]uint64{}
		}

		change.Gas[Hour(revert.At)] += revert.Gas
		if revert.Paid {
			continue
		}

		change.Strikes++
		if end := revert.At.Add(Pause); end.After(change.Paused) {
			change.Paused = end
		}
	}

	r.Version++
	r.Committed = committed
	r.Spent = spent
	r.Counted = len(r.Reverts)
	return r, change
}

// amounts are what the record adds to its payer's account.
func (r Record) amounts() (committed, spent int64) {
	switch r.State {
	case Released, Failed:
		return 0, 0
	case Settled:
		return r.Payment.Amount, r.Payment.Amount
	}
	return r.Payment.Amount, 0
}

// Apply gives the account after a change.
func (a Account) Apply(c Change) Account {
	a.Committed += c.Committed
	a.Spent += c.Spent
	a.Strikes += c.Strikes
	if c.Paused.After(a.Paused) {
		a.Paused = c.Paused
	}
	return a
}

// Admits says whether a change fits an account in which at most room may be committed:
// nil, ErrPaused or ErrFunds. A change that commits nothing always fits.
func (a Account) Admits(c Change, room int64, now time.Time) error {
	switch {
	case c.Committed <= 0:
		return nil
	case now.Before(a.Paused):
		return ErrPaused
	case a.Committed > room-c.Committed:
		return ErrFunds
	}
	return nil
}

// reverted says whether a transaction is among the reverts of the record.
func (r Record) reverted(transaction string) bool {
	return slices.ContainsFunc(r.Reverts, func(v Revert) bool {
		return v.Transaction == transaction
	})
}
