package payments

import (
	"math"
	"slices"
	"time"
)

// Account is the sum of all payments of one payer in one asset, in atomic units. A store
// updates it in the same write as the record, so that it counts each payment exactly once.
//
// Committed rises with a reservation and falls only when a payment is released or fails. It
// includes spent amounts, so it can be compared with a balance that was read before or
// after a settlement.
type Account struct {
	Committed int64     `json:"committed"`         // of payments that are under way or settled
	Spent     int64     `json:"spent"`             // of payments that are settled
	Strikes   int       `json:"strikes,omitempty"` // settlements that failed on the chain
	Paused    time.Time `json:"paused"`            // until then nothing new is reserved; zero for no pause
}

// Open is the amount that pending payments may still take.
func (a Account) Open() int64 {
	return a.Committed - a.Spent
}

// Room is the maximum of Committed for a payer whose balance was funds after this account
// was read.
func (a Account) Room(funds int64) int64 {
	if funds > math.MaxInt64-a.Spent {
		return math.MaxInt64
	}
	return a.Spent + funds
}

// Pause is how long a payer must wait after a settlement that failed on the chain and
// burned gas.
const Pause = time.Hour

// AccountKey names an account, for stores.
func AccountKey(asset, payer string) string { return asset + "/" + payer }

// Hour names the hour of a time, by which stores sum the wasted gas.
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

// Empty reports that only the record changes.
func (c Change) Empty() bool {
	return !c.Touches() && len(c.Gas) == 0
}

// Touches says that the account changes.
func (c Change) Touches() bool {
	return c.Committed != 0 || c.Spent != 0 || c.Strikes != 0
}

// Next returns the stored form of r, which is the next version, and the change beside it.
// Both follow from r alone, so a store need not read the record that it replaces.
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

// amounts returns the contribution of the record to its payer's account.
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

// Admits checks whether a change fits an account in which at most room may be committed. It
// returns nil, ErrPaused or ErrFunds. A change that commits nothing always fits.
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

// reverted reports whether a transaction is among the reverts of the record.
func (r Record) reverted(transaction string) bool {
	return slices.ContainsFunc(r.Reverts, func(v Revert) bool {
		return v.Transaction == transaction
	})
}
