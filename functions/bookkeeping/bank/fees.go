package bank

import (
	"governance.internal/functions/bookkeeping/dialect"
)

// decideFees finds out how the fee relates to the amount: by the format, or by a column of net amounts
// that fits every row.
func (r *csvReader) decideFees() error {
	l := r.layout
	if l.format != nil {
		r.fees = l.format.Fees
		return nil
	}
	if l.fee < 0 || l.net < 0 || l.net == l.amount {
		return nil
	}

	less, more, err := r.fitNet()
	switch {
	case err != nil:
		return err
	case less:
		r.fees = dialect.FeesInNet
	case more:
		r.fees = dialect.FeesNegative
	default:
		return r.refuse(r.drafts[0].record.Line, "Is the fee a part of the amount?",
			"the column %q is not the amount with its fee", l.columns[l.net].Name)
	}
	r.Format = "payment service"
	return nil
}

// fitNet reports whether net is the amount less the fee, or with it, in every row.
func (r *csvReader) fitNet() (less, more bool, err error) {
	less, more = true, true
	for i := range r.drafts {
		d := &r.drafts[i]
		code, _, err := r.currencyOf(d)
		if err != nil {
			return false, false, err
		}

		gross := r.signed(i, code)
		fee, feeErr := r.minor(d.fee, code)
		net, netErr := r.minor(d.net, code)
		if feeErr != nil || netErr != nil {
			return false, false, r.refuse(d.record.Line, "What is the fee?", "the fee or the net amount cannot be read")
		}
		less = less && gross-fee == net
		more = more && gross+fee == net
	}
	return less, more, nil
}
