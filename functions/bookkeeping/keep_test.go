package bookkeeping

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/bookkeeping/bank"
	"governance.internal/functions/bookkeeping/categorise"
	"governance.internal/functions/bookkeeping/chart"
	"governance.internal/functions/bookkeeping/ledger"
)

// csvOf makes a file of rows that are written as date, description and amount.
func csvOf(name string, rows ...string) bank.Source {
	lines := append([]string{"Date,Description,Amount"}, rows...)
	return bank.Source{
		Name: name,
		Data: []byte(strings.Replace(strings.Join(lines, ",USD\n"), ",USD", ",Currency", 1) + ",USD\n"),
	}
}

func keep(t *testing.T, o Options, sources ...bank.Source) *Answer {
	t.Helper()
	books, err := Keep(sources, o)
	if err != nil {
		t.Fatal(err)
	}
	return books.Answer
}

// entry finds the row with a text.
func entry(t *testing.T, a *Answer, text string) *ledger.Entry {
	t.Helper()
	at := slices.IndexFunc(a.Ledger, func(e *ledger.Entry) bool { return strings.Contains(e.Description, text) })
	if at < 0 {
		t.Fatalf("no row holds %q", text)
	}
	return a.Ledger[at]
}

func TestTransfersArePaired(t *testing.T) {
	a := keep(t, Options{},
		csvOf("one.csv", "2025-03-13,ONLINE TRANSFER TO SAV 4471,-500.00", "2025-03-14,KRXW 22,-70.00"),
		csvOf("two.csv", "2025-03-16,KLMN 9921,500.00", "2025-03-14,QQRS 1,70.00", "2025-03-14,RSTU 7,-1.00"))
	out, in := entry(t, a, "TO SAV"), entry(t, a, "KLMN")
	if in.Category != chart.Transfer || in.Kind != chart.Transfers || !slices.Contains(in.Links, out.ID) || !slices.Contains(out.Links, in.ID) {
		t.Errorf("%+v\n%+v", out, in)
	}
	if e := entry(t, a, "QQRS"); len(e.Links) > 0 {
		t.Errorf("rows that nothing calls a transfer are paired: %+v", e)
	}
}

func TestTransfersAreFarApartInTime(t *testing.T) {
	a := keep(t, Options{},
		csvOf("one.csv", "2025-03-13,ONLINE TRANSFER TO SAV 4471,-500.00"),
		csvOf("two.csv", "2025-03-20,KLMN 9921,500.00", "2025-03-20,RSTU 7,-1.00"))
	if e := entry(t, a, "KLMN"); e.Category != chart.Uncategorised {
		t.Errorf("%+v", e)
	}
}

func TestPayoutsAreTransfersBesideTheServicesOwnFile(t *testing.T) {
	stripe := bank.Source{Name: "stripe.csv", Data: []byte("id,Type,Source,Amount,Fee,Net,Currency,Created (UTC),Available On (UTC),Description\n" +
		"1,charge,c,100.00,3.20,96.80,usd,2025-03-13 10:00,2025-03-15 10:00,Order 1\n")}
	deposit := csvOf("bank.csv", "2025-03-17,STRIPE TRANSFER ST-1,96.80")

	alone := keep(t, Options{}, deposit)
	if e := entry(t, alone, "ST-1"); e.Category != chart.Sales {
		t.Errorf("alone: %+v", e)
	}

	both := keep(t, Options{}, deposit, stripe)
	if e := entry(t, both, "ST-1"); e.Category != chart.Transfer {
		t.Errorf("beside the file of the service: %+v", e)
	}
	if net := both.ProfitAndLoss[0].NetMinor; net != 9680 {
		t.Errorf("net %d", net)
	}
}

func TestTheCustomersRulesWin(t *testing.T) {
	options := Options{
		Rules:       []categorise.Rule{{Match: "shell oil", Category: chart.Supplies}},
		OwnAccounts: []string{"Vault 7"},
	}
	a := keep(t, options, csvOf("bank.csv", "2025-03-13,SHELL OIL 5521,-40.00", "2025-03-14,MOVED TO VAULT 7 NOW,-100.00"))
	if e := entry(t, a, "SHELL"); e.Category != chart.Supplies || e.Confidence != 1 {
		t.Errorf("%+v", e)
	}
	if e := entry(t, a, "VAULT"); e.Category != chart.Transfer {
		t.Errorf("%+v", e)
	}
}

func TestTwoEqualPurchasesStayAndAreTold(t *testing.T) {
	a := keep(t, Options{}, csvOf("bank.csv", "2025-03-13,BLUE HERON COFFEE,-4.50", "2025-03-13,BLUE HERON COFFEE,-4.50"))
	if len(a.Ledger) != 2 || a.Ledger[0].ID == a.Ledger[1].ID {
		t.Errorf("%d rows", len(a.Ledger))
	}
	if len(a.Anomalies) != 1 || a.Anomalies[0].Code != "duplicate_charge" {
		t.Errorf("%+v", a.Anomalies)
	}
}

func TestRefundsAreLinked(t *testing.T) {
	a := keep(t, Options{}, csvOf("bank.csv", "2025-03-13,ADOBE CREATIVE CLOUD,-59.99", "2025-03-20,ADOBE CREATIVE CLOUD REFUND,59.99"))
	refund := entry(t, a, "REFUND")
	if refund.Kind != chart.Refund || refund.Category != chart.Software || a.ProfitAndLoss[0].NetMinor != 0 {
		t.Errorf("%+v", refund)
	}
}

func TestOtherExpensesMovedOnTheForm(t *testing.T) {
	for year, want := range map[int]string{2024: "27a", 2025: "27b", 0: "27b"} {
		a := keep(t, Options{FormYear: year}, csvOf("bank.csv", "2025-03-13,ADOBE CREATIVE CLOUD,-59.99"))
		if line := a.Ledger[0].ScheduleC; line == nil || *line != want {
			t.Errorf("%d: %v", year, line)
		}
	}
}

func TestTheOrderOfFilesChangesOnlyTheInput(t *testing.T) {
	one, two := csvOf("one.csv", "2025-03-13,KLMN,-1.00"), csvOf("two.csv", "2025-03-12,OPQR,-2.00")
	forth, back := keep(t, Options{}, one, two), keep(t, Options{}, two, one)
	for i := range forth.Ledger {
		if forth.Ledger[i].Canonical != back.Ledger[i].Canonical {
			t.Errorf("%s\n%s", forth.Ledger[i].Canonical, back.Ledger[i].Canonical)
		}
	}
}

func TestLimits(t *testing.T) {
	var rows []string
	for range bank.MostRows + 1 {
		rows = append(rows, "2025-03-13,K,-1.00")
	}
	tests := map[string][]bank.Source{
		"nothing":       nil,
		"too many rows": {csvOf("bank.csv", rows...)},
		"too large":     {{Name: "bank.csv", Data: make([]byte, MaxBytes+1)}},
		"one name":      {csvOf("a.csv", "2025-03-13,K,-1.00"), csvOf("a.csv", "2025-03-13,K,-1.00")},
	}
	for name, sources := range tests {
		_, err := Keep(sources, Options{})
		var input *InputError
		if !errors.As(err, &input) || input.Field != "files" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
