package x402

import (
	"strings"

	"governance.internal/shared/catalog"
	"governance.internal/shared/payments"
)

// match matches the payment against the terms. If it was begun when they were
// others, it is matched against those: a price or an address that changed while a
// buyer waited must not make him pay again.
func (s *sale) match() (payments.Payment, error) {
	payment, refused := s.terms.Match(s.payload)
	if refused == nil {
		return payment, nil
	}

	key, readable := s.terms.keyOf(s.payload)
	if !readable {
		return payment, refused
	}

	record, begun, err := s.gate.Machine.Begun(s.r.Context(), key)
	switch {
	case err != nil:
		return payment, err
	case !begun || record.Request.Product != s.terms.Endpoint.Operation:
		return payment, refused
	}

	then := s.terms
	then.Price = catalog.Units(record.Payment.Amount)
	then.Site.PayTo = record.Payment.PayTo
	if payment, err = then.Match(s.payload); err != nil {
		return payment, refused
	}

	return payment, nil
}

// keyOf reads of a payload only what names its payment.
func (t Terms) keyOf(p Payload) (payments.Key, bool) {
	named := payments.Payment{Asset: strings.ToLower(t.Site.Asset)}
	switch a, permit := p.Payload.Authorization, p.Payload.Permit2Authorization; {
	case p.method() == payments.MethodPermit2 && permit != nil:
		nonce, ok := permitNonce(permit.Nonce)
		if !ok {
			return payments.Key{}, false
		}
		named.Method = payments.MethodPermit2
		named.Payer = permit.From
		named.Nonce = nonce
	case a != nil:
		named.Payer = a.From
		named.Nonce = a.Nonce
	}

	named.Payer, named.Nonce = strings.ToLower(named.Payer), strings.ToLower(named.Nonce)
	return named.Key(), isAddress(named.Payer) && isBytes32(named.Nonce)
}
