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

// EachExport makes one export after the other: the journals, the table and the report, and last a
// manifest with their digests that sha256sum checks. It stops at the first error of use.
func (b *Books) EachExport(use func(Export) error) error {
	a := b.Answer
	exports := []struct {
		name string
		make func() []byte
	}{
		{"journal.hledger", func() []byte { return b.Journal }},
		{"journal.beancount", func() []byte { return export.Beancount(a.Ledger, a.Reconciliation) }},
		{"ledger.csv", func() []byte { return export.CSV(a.Ledger) }},
		{"report.html", func() []byte { return b.report().HTML() }},
	}

	var made []proof.Input
	for _, e := range exports {
		data := e.make()
		made = append(made, proof.Input{
			Name:   e.name,
			SHA256: proof.DigestOf(data),
		})
		if err := use(Export{e.name, data}); err != nil {
			return err
		}
	}
	return use(Export{"manifest.sha256", []byte(proof.Manifest(made))})
}

// Exports are all exports at once.
func (b *Books) Exports() []Export {
	var all []Export
	_ = b.EachExport(func(e Export) error { // the function returns no error
		all = append(all, e)
		return nil
	})
	return all
}

// ReportBody is the report as a part of another page.
func (b *Books) ReportBody() []byte { return b.report().Body() }

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
