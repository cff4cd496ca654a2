package devchain

import (
	"errors"
	"math/big"
	"testing"
	"time"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
	"governance.internal/shared/x402/facilitator"
)

// Somebody carried the authorization out while the service was away, and so many blocks
// ago that a usual look at the newest ones does not find it.
func TestMoneyThatArrivedLongAgoIsFound(t *testing.T) {
	for name, happened := range map[string]func(*shop, payments.Payment){
		"paid":     func(s *shop, p payments.Payment) { s.frontRun(p) },
		"canceled": func(s *shop, p payments.Payment) { s.cancel(p) },
	} {
		s := openShop(t)
		o := s.order(5000)
		s.diesAt("signed", o)
		happened(s, o.Payment)
		for range 12 {
			s.wait(20 * time.Minute)
			s.frontRun(s.payment(1)) // a block
		}
		chain, err := evm.Dial(s.token, []string{s.chain.URL()})
		if err != nil {
			t.Fatal(err)
		}
		chain.LookBack = 4
		wallet, err := evm.ParseKey(s.wallet)
		if err != nil {
			t.Fatal(err)
		}
		m := s.process(nil)
		m.Facilitator = facilitator.NewOnchain(chain, wallet)
		_, err = m.Pay(t.Context(), o)
		var rejected *payments.Rejected
		switch name {
		case "paid":
			if err != nil {
				t.Errorf("the money that arrived is not found: %v", err)
			}
		case "canceled":
			if !errors.As(err, &rejected) {
				t.Errorf("the cancellation is not found: %v", err)
			}
		}
	}
}

// A settlement that failed is over an hour later, and not in ten years.
func TestAFailedSettlementIsDecidedWithinTheHour(t *testing.T) {
	s := openShop(t)
	far := orderOf(s.paymentOf("", PayerKey, Payer, func(p *payments.Payment) { p.ValidBefore = uint64(s.now().AddDate(10, 0, 0).Unix()) }))
	_, err := s.buy(s.process(nil), far)
	if got := wantError[*payments.Invalid](t, err); got.Reason != x402.ReasonValidBefore {
		t.Errorf("valid for ten years: %v", got)
	}
	o := orderOf(s.paymentOf("", PayerKey, Payer, func(p *payments.Payment) { p.ValidBefore = uint64(s.now().Add(time.Hour).Unix()) }))
	poor := map[string]func(){"signed": func() { s.must(PayerKey, TokenAddress, pack(t, "Token", "transfer", GasWallet, s.all())) }}
	_, err = s.buy(s.process(poor), o)
	wantError[*payments.Pending](t, err)
	s.wait(61 * time.Minute)
	if _, err := s.process(nil).Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	if r := s.record(o); r.State != payments.Failed {
		t.Errorf("an hour later it is %s", r.State)
	}
}

// all is the payer's whole balance.
func (s *shop) all() *big.Int { return big.NewInt(balance(s.T, s.client, Payer)) }
