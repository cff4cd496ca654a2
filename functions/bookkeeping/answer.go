// Package bookkeeping makes books of bank exports: a categorised ledger, statements, anomalies and
// open questions, with a chain of hashes that sha256sum verifies.
//
// An answer is a function of the files and the options alone. What a file does not tell for certain is
// refused with one question; nothing is guessed.
package bookkeeping

import (
	"encoding/json"
	"errors"
	"fmt"

	"governance.internal/functions/bookkeeping/anomalies"
	"governance.internal/functions/bookkeeping/bank"
	"governance.internal/functions/bookkeeping/export"
	"governance.internal/functions/bookkeeping/ledger"
	"governance.internal/functions/bookkeeping/profit"
	"governance.internal/functions/bookkeeping/proof"
	"governance.internal/functions/bookkeeping/reconcile"
)

// MaxBytes is how large all files together may be.
const MaxBytes = 5 << 20

// Disclaimer ends every answer.
const Disclaimer = "These books are assistance, not tax advice. Categories follow the words of the bank and may be wrong; answer the questions, and let a bookkeeper or tax adviser look before you file."

// Answer is the whole answer.
type Answer struct {
	Input          InputPart           `json:"input"`
	Accounts       []AccountPart       `json:"accounts"`
	Ledger         []*ledger.Entry     `json:"ledger"`
	ProfitAndLoss  []profit.Statement  `json:"profit_and_loss"`
	Quarterly      []profit.Statement  `json:"quarterly"`
	Monthly        []profit.Statement  `json:"monthly"`
	CashFlow       []profit.Flow       `json:"cash_flow"`
	Anomalies      []anomalies.Anomaly `json:"anomalies"`
	Questions      []Question          `json:"questions"`
	Reconciliation []reconcile.Account `json:"reconciliation"`
	Verification   Verification        `json:"verification"`
	FormYear       int                 `json:"form_year"`
	Disclaimer     string              `json:"disclaimer"`
}

// InputPart says what was read and how.
type InputPart struct {
	Files []FilePart `json:"files"`
	Rows  int        `json:"rows"`
}

// FilePart says how one file was read.
type FilePart struct {
	Name      string         `json:"name"`
	SHA256    string         `json:"sha256"`
	Bytes     int            `json:"bytes"`
	Format    string         `json:"format"`
	Encoding  string         `json:"encoding"`
	Delimiter string         `json:"delimiter,omitempty"`
	HeaderRow int            `json:"header_row"` // the line of the header, 0 without one
	Dates     string         `json:"dates"`
	Decimal   string         `json:"decimal"`
	Rows      int            `json:"rows"`
	Skipped   []bank.Skipped `json:"skipped"`
	Assumed   []string       `json:"assumed"`
}

// AccountPart is one account of the ledger.
type AccountPart struct {
	Account string   `json:"account"`
	Card    bool     `json:"card"`
	Files   []string `json:"files"`
}

// Verification is what the answer can be verified with.
type Verification struct {
	Algorithm     string   `json:"algorithm"`
	InputSHA256   string   `json:"input_sha256"`
	LedgerRoot    string   `json:"ledger_root"`
	JournalSHA256 string   `json:"journal_sha256"`
	ReportSHA256  string   `json:"report_sha256"` // of the answer as compact JSON without the ledger, its root and this digest
	Recipe        []string `json:"recipe"`
}

// Books are an answer with what it was made of, for exports.
type Books struct {
	Answer  *Answer
	Journal []byte // for hledger
}

// Keep makes the books of files.
func Keep(sources []bank.Source, o Options) (*Books, error) {
	if err := checkSources(sources); err != nil {
		return nil, err
	}
	if err := o.check(sources); err != nil {
		return nil, err
	}

	files, err := readAll(sources, o)
	if err != nil {
		return nil, err
	}

	entries := ledger.Build(files, ledger.Options{
		FormYear:    o.FormYear,
		Business:    o.BusinessKind,
		Rules:       o.Rules,
		OwnAccounts: o.OwnAccounts,
	})
	accounts := reconcile.Accounts(files, entries)
	inputs := inputsOf(sources)
	inputDigest := proof.InputDigest(inputs)
	root := proof.Seal(inputDigest, entries)
	journal := export.HLedger(entries, accounts)

	a := &Answer{
		Input:          inputPart(sources, files, inputs, len(entries)),
		Accounts:       accountParts(entries),
		Ledger:         entries,
		ProfitAndLoss:  profit.Statements(entries, profit.Year, o.FormYear),
		Quarterly:      profit.Statements(entries, profit.Quarter, o.FormYear),
		Monthly:        profit.Statements(entries, profit.Month, o.FormYear),
		CashFlow:       profit.Flows(entries, profit.Year),
		Anomalies:      anomalies.Find(entries, accounts),
		Reconciliation: accounts,
		FormYear:       o.FormYear,
		Disclaimer:     Disclaimer,
		Verification: Verification{
			Algorithm:     "sha256",
			InputSHA256:   inputDigest,
			LedgerRoot:    root,
			JournalSHA256: proof.DigestOf(journal),
			Recipe:        proof.Recipe(inputs),
		},
	}
	a.Questions = questionsOf(files, entries)
	a.Verification.ReportSHA256, err = a.reportDigest()
	if err != nil {
		return nil, err
	}
	return &Books{a, journal}, nil
}

// reportDigest is the digest of all that the chain of the ledger does not cover.
func (a *Answer) reportDigest() (string, error) {
	rest := *a
	rest.Ledger = nil
	rest.Verification.ReportSHA256 = ""
	rest.Verification.LedgerRoot = ""

	text, err := json.Marshal(rest)
	if err != nil {
		return "", err
	}
	return proof.DigestOf(text), nil
}

func checkSources(sources []bank.Source) error {
	if len(sources) == 0 {
		return &InputError{"files", "are missing; send at least one export of a bank"}
	}

	total := 0
	seen := map[string]bool{}
	for _, source := range sources {
		total += len(source.Data)
		if seen[source.Name] {
			return &InputError{"files", fmt.Sprintf("two files are named %q; give each its own name", source.Name)}
		}
		seen[source.Name] = true
	}
	if total > MaxBytes {
		return &InputError{"files", fmt.Sprintf("have %d bytes together, at most %d; send fewer months at once", total, MaxBytes)}
	}
	return nil
}

func readAll(sources []bank.Source, o Options) ([]*bank.File, error) {
	var files []*bank.File
	rows := 0
	for _, source := range sources {
		file, err := bank.Read(source, bank.Settings{
			Currency: o.Currency,
			Locale:   o.Locale,
			Sign:     o.Sign,
		})

		var refusal *bank.Refusal
		if errors.As(err, &refusal) {
			return nil, &InputError{"files", refusal.Error()}
		}
		if err != nil {
			return nil, &InputError{"files", fmt.Sprintf("%s: %v", source.Name, err)}
		}

		rows += len(file.Rows)
		if rows > bank.MostRows {
			return nil, &InputError{"files", fmt.Sprintf("have more than %d rows; send fewer months at once", bank.MostRows)}
		}
		applyOpening(file, o.Opening)
		files = append(files, file)
	}

	bank.Merge(files)
	return files, nil
}

func applyOpening(file *bank.File, openings []OpeningBalance) {
	for _, opening := range openings {
		if opening.File == file.Name {
			file.Opening = &bank.Balance{Minor: opening.Minor, Currency: opening.Currency}
		}
	}
}

func inputsOf(sources []bank.Source) []proof.Input {
	var inputs []proof.Input
	for _, source := range sources {
		inputs = append(inputs, proof.Input{
			Name:   source.Name,
			SHA256: proof.DigestOf(source.Data),
		})
	}
	return inputs
}

func inputPart(sources []bank.Source, files []*bank.File, inputs []proof.Input, rows int) InputPart {
	part := InputPart{Rows: rows}
	for i, file := range files {
		part.Files = append(part.Files, FilePart{
			Name:      file.Name,
			SHA256:    inputs[i].SHA256,
			Bytes:     len(sources[i].Data),
			Format:    file.Format,
			Encoding:  file.Encoding,
			Delimiter: file.Delimiter,
			HeaderRow: file.HeaderRow,
			Dates:     file.Dates,
			Decimal:   file.Decimal,
			Rows:      len(file.Rows),
			Skipped:   append([]bank.Skipped{}, file.Skipped...),
			Assumed:   append([]string{}, file.Assumed...),
		})
	}
	return part
}

func accountParts(entries []*ledger.Entry) []AccountPart {
	parts := []AccountPart{}
	at := map[string]int{}
	hasFile := map[[2]string]bool{}
	for _, e := range entries {
		i, ok := at[e.Account]
		if !ok {
			i = len(parts)
			at[e.Account] = i
			parts = append(parts, AccountPart{Account: e.Account, Card: e.Card})
		}

		key := [2]string{e.Account, e.File}
		if !hasFile[key] {
			hasFile[key] = true
			parts[i].Files = append(parts[i].Files, e.File)
		}
	}
	return parts
}
