package bookkeeping

import (
	"governance.internal/functions/bookkeeping/export"
	"governance.internal/functions/bookkeeping/proof"
)

// Export is one file made of the books.
type Export struct {
	Name string
	Data []byte
}

// Exports are the journals, the table and the report, and last a manifest with their digests that
// sha256sum checks.
func (b *Books) Exports() []Export {
	a := b.Answer
	exports := []Export{
		{"journal.hledger", b.Journal},
		{"journal.beancount", export.Beancount(a.Ledger, a.Reconciliation)},
		{"ledger.csv", export.CSV(a.Ledger)},
		{"report.html", b.report().HTML()},
	}

	var inputs []proof.Input
	for _, e := range exports {
		inputs = append(inputs, proof.Input{
			Name:   e.Name,
			SHA256: proof.DigestOf(e.Data),
		})
	}
	return append(exports, Export{"manifest.sha256", []byte(proof.Manifest(inputs))})
}

func (b *Books) report() *export.Report {
	a := b.Answer
	r := &export.Report{
		Years:      a.ProfitAndLoss,
		Months:     a.Monthly,
		Flows:      a.CashFlow,
		Accounts:   a.Reconciliation,
		Anomalies:  a.Anomalies,
		Entries:    a.Ledger,
		Root:       a.Verification.LedgerRoot,
		Input:      a.Verification.InputSHA256,
		Disclaimer: a.Disclaimer,
	}
	for _, file := range a.Input.Files {
		r.Files = append(r.Files, file.Name)
	}
	for _, q := range a.Questions {
		r.Questions = append(r.Questions, q.Text)
	}
	return r
}
