package devchain

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"governance.internal/shared/logtest"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

func TestAnotherFacilitatorSettlesAPermit(t *testing.T) {
	s := permitShop(t)
	e := s.elsewhere()
	s.mustPay(s.process(nil), orderOf(s.permit())) // an equal transfer that is not this payment's
	o := orderOf(s.permit())
	reply := s.mustPay(s.selling(e), o)
	if got := reply.Header.Get("Transaction"); got != s.transfers()[1].TxHash.Hex() {
		t.Errorf("settled by %s", got)
	}
	var question struct {
		PaymentPayload struct {
			Accepted x402.Requirements `json:"accepted"`
		} `json:"paymentPayload"`
		PaymentRequirements x402.Requirements `json:"paymentRequirements"`
	}
	if err := json.Unmarshal(e.body, &question); err != nil {
		t.Fatal(err)
	}
	for name, terms := range map[string]x402.Requirements{"accepted": question.PaymentPayload.Accepted, "requirements": question.PaymentRequirements} {
		if terms.Extra["assetTransferMethod"] != payments.MethodPermit2 {
			t.Errorf("%s do not name the method: %v", name, terms.Extra)
		}
	}
	s.wantReceived(10_000, 2)
}

// An equal, earlier transfer of the same payer does not prove a new permit.
func TestAnEarlierTransferIsNotBelievedToBeANewPermits(t *testing.T) {
	s := permitShop(t)
	s.mustPay(s.process(nil), s.order(5000)) // by EIP-3009
	s.mustPay(s.process(nil), orderOf(s.permit()))
	s.permitElsewhere(s.permit()) // success, and nothing for us
	for name, hash := range map[string]string{
		"by the other method": s.transfers()[0].TxHash.Hex(), "of another permit": s.transfers()[1].TxHash.Hex(),
	} {
		t.Run(name, func(t *testing.T) {
			logged := logtest.Collect(t, slog.LevelError)
			liar := s.elsewhere()
			liar.does(func(w http.ResponseWriter, _ payments.Payment) { liar.success(w, hash) })
			j := s.journal(s.permit())
			_, err := s.settles(s.remote(liar), j, 300*time.Millisecond)
			wantError[*payments.Pending](t, err)
			if logged() == "" {
				t.Error("no alarm")
			}
			liar.does(func(w http.ResponseWriter, p payments.Payment) { liar.move(p); liar.success(w, hash) })
			settlement, err := s.settles(s.remote(liar), j, time.Minute)
			if logs := s.transfers(); err != nil || settlement.Transaction != logs[len(logs)-1].TxHash.Hex() {
				t.Errorf("settled by %s, %v", settlement.Transaction, err)
			}
		})
	}
	s.wantReceived(20_000, 4)
}

func TestAPermitThatAFacilitatorNeverCarriesOutIsRejectedOnceItIsOver(t *testing.T) {
	s := permitShop(t)
	e := s.elsewhere()
	e.does(hangUp)
	for _, canceled := range []bool{false, true} {
		j := s.journal(s.permit())
		_, err := s.settles(s.remote(e), j, 200*time.Millisecond)
		wantError[*payments.Pending](t, err)
		if canceled {
			s.invalidate(j.record.Payment)
		}
		s.wait(2 * validity)
		_, err = s.settles(s.remote(e), j, time.Minute)
		wantError[*payments.Rejected](t, err)
	}
	s.wantReceived(0, 0)
}
