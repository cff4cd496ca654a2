package payments

import (
	"slices"
	"time"
)

// Account is what all payments of one payer in one asset add up to. A store changes it
// in the write that changes the record, so that it counts each payment exactly while
// that is under way.
type Account struct {
	Open    int64     `json:"open"`              // atomic units of payments that are reserved, ready or settling
	Strikes int       `json:"strikes,omitempty"` // settlements that failed on the chain
	Paused  time.Time `json:"paused"`            // until then nothing new is reserved; zero for no pause
}

// Pause is how long a payer waits whose settlement failed on the chain and burned gas.
const Pause = time.Hour

// AccountKey names an account, for stores.
func AccountKey(asset, payer string) string { return asset + "/" + payer }

// Hour names the hour of a time, for the gas that is added up in it, for stores.
func Hour(at time.Time) int64 { return at.Unix() / int64(time.Hour/time.Second) }

// Change is what one write of a record changes beside the record.
type Change struct {
	Account string           // key of the account
	Held    int64            // to be added to its open amount
	Strikes int              // to be added
	Paused  time.Time        // the pause lasts at least until then
	Gas     map[int64]uint64 // hour -> burned gas to be added
}

// Empty says that nothing beside the record changes.
func (c Change) Empty() bool { return c.Held == 0 && c.Strikes == 0 && len(c.Gas) == 0 }

// Next gives the form in which a store keeps r, the next version of what it has, and
// what changes with it. Both follow from r alone, so that a store needs no look at the
// record it replaces.
func (r Record) Next() (Record, Change) {
	change := Change{Account: AccountKey(r.Payment.Asset, r.Payment.Payer)}

	held := r.underWay()
	change.Held = held - r.Held

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
	r.Held = held
	r.Counted = len(r.Reverts)
	return r, change
}

// underWay is what the record may yet take from the payer's balance.
func (r Record) underWay() int64 {
	if r.State.finished() {
		return 0
	}
	return r.Payment.Amount
}

// Apply gives the account after a change.
func (a Account) Apply(c Change) Account {
	a.Open += c.Held
	a.Strikes += c.Strikes
	if c.Paused.After(a.Paused) {
		a.Paused = c.Paused
	}
	return a
}

// Admits says whether a change fits an account whose balance is funds: nil, ErrPaused
// or ErrFunds. A change that takes nothing always fits.
func (a Account) Admits(c Change, funds int64, now time.Time) error {
	switch {
	case c.Held <= 0:
		return nil
	case now.Before(a.Paused):
		return ErrPaused
	case c.Held > funds || a.Open > funds-c.Held:
		return ErrFunds
	}
	return nil
}

// reverted says whether a transaction is among the reverts of the record.
func (r Record) reverted(transaction string) bool {
	return slices.ContainsFunc(r.Reverts, func(v Revert) bool { return v.Transaction == transaction })
}
