package ledger

import (
	"sort"

	"governance.internal/functions/bookkeeping/chart"
)

// transferDays is how long a transfer between banks may take.
const transferDays = 5

// amountKey finds the other side of a transfer.
type amountKey struct {
	minor    int64
	currency string
}

// linkTransfers pairs money that left one account with money that came into another. One side at least
// must speak of a transfer, and the nearest day wins.
func (b *builder) linkTransfers() {
	incoming := map[amountKey][]*Entry{}
	for _, e := range b.entries {
		if e.Minor > 0 && mayBeTransfer(e) {
			key := amountKey{e.Minor, e.Currency}
			incoming[key] = append(incoming[key], e)
		}
	}

	for _, out := range b.entries {
		if out.Minor >= 0 || !mayBeTransfer(out) {
			continue
		}
		candidates := incoming[amountKey{-out.Minor, out.Currency}]
		if in := nearest(out, candidates); in != nil {
			pair(out, in)
		}
	}
}

// mayBeTransfer leaves out rows that surely are something else.
func mayBeTransfer(e *Entry) bool {
	if e.Confidence == 1 || e.Fee {
		return false
	}
	switch e.Category {
	case chart.Transfer, chart.CardPayment, chart.Uncategorised, chart.Sales, chart.OwnerIn, chart.OwnerOut:
		return true
	}
	return false
}

func speaksOfTransfer(e *Entry) bool {
	return e.Category == chart.Transfer || e.Category == chart.CardPayment
}

func nearest(out *Entry, candidates []*Entry) *Entry {
	var best *Entry
	bestDays := transferDays + 1
	from := sort.Search(len(candidates), func(i int) bool {
		return candidates[i].Day.Number() >= out.Day.Number()-transferDays
	})
	const mostLooked = 500 // rows of one amount within days are no transfers any more
	for _, in := range candidates[from:min(len(candidates), from+mostLooked)] {
		if len(in.Links) > 0 || in.Account == out.Account {
			continue
		}
		if !speaksOfTransfer(out) && !speaksOfTransfer(in) {
			continue
		}

		days := in.Day.Number() - out.Day.Number()
		if days < 0 {
			days = -days + 1 // money that arrives before it leaves is a little less likely
		}
		if days < bestDays {
			best, bestDays = in, days
		}
	}
	return best
}

// pair links both sides of a transfer. A payment to a card stays one.
func pair(out, in *Entry) {
	category := chart.Transfer
	if out.Category == chart.CardPayment || in.Category == chart.CardPayment || in.Card {
		category = chart.CardPayment
	}

	for _, e := range []*Entry{out, in} {
		e.Category = category
		e.Confidence = 0.98
		e.Question = ""
	}
	out.Reason = "the same amount came into " + in.Account
	in.Reason = "the same amount left " + out.Account
	out.Links = append(out.Links, in.ID)
	in.Links = append(in.Links, out.ID)
}

// useHistory gives open rows the category that the same seller has elsewhere in these books, if it
// always has the same.
func (b *builder) useHistory() {
	type memory struct {
		category chart.Category
		mixed    bool
	}
	known := map[string]*memory{}

	for _, e := range b.entries {
		if e.Category == chart.Uncategorised || e.Confidence < 0.7 || len(e.Links) > 0 || e.Merchant == "" {
			continue
		}
		key := historyKey(e)
		m, ok := known[key]
		if !ok {
			known[key] = &memory{category: e.Category}
			continue
		}
		m.mixed = m.mixed || m.category != e.Category
	}

	for _, e := range b.entries {
		if e.Category != chart.Uncategorised {
			continue
		}
		if m, ok := known[historyKey(e)]; ok && !m.mixed {
			e.Category = m.category
			e.Confidence = 0.7
			e.Reason = "other rows of " + e.Merchant + " are " + string(m.category)
			e.Question = ""
		}
	}
}

// historyKey is the seller and the direction.
func historyKey(e *Entry) string {
	if e.Minor > 0 {
		return "in " + e.Merchant
	}
	return "out " + e.Merchant
}

// refundDays is how long after a purchase its refund is looked for.
const refundDays = 120

// mostPurchases is how many purchases at the seller are looked at.
const mostPurchases = 500

// linkRefunds links money that came back with the purchase of the same amount at the same seller.
func (b *builder) linkRefunds() {
	purchases := map[string][]*Entry{}
	for _, e := range b.entries {
		key := e.Merchant + "\x1f" + e.Currency
		isOpen := e.Category == chart.Uncategorised && e.Minor > 0
		isRefund := isOpen || e.Minor > 0 && chart.KindOf(e.Category, e.Minor) == chart.Refund
		if !isRefund {
			purchases[key] = append(purchases[key], e)
			continue
		}

		bought := purchases[key]
		for i := len(bought) - 1; i >= 0; i-- {
			purchase := bought[i]
			if e.Day.Number()-purchase.Day.Number() > refundDays || len(bought)-i > mostPurchases {
				break
			}
			if purchase.Minor == -e.Minor && len(purchase.Links) == 0 {
				purchase.Links = append(purchase.Links, e.ID)
				e.Links = append(e.Links, purchase.ID)
				break
			}
		}
	}
}
