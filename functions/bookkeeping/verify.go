package bookkeeping

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"governance.internal/functions/bookkeeping/bank"
	"governance.internal/functions/bookkeeping/chart"
	"governance.internal/functions/bookkeeping/day"
	"governance.internal/functions/bookkeeping/export"
	"governance.internal/functions/bookkeeping/ledger"
	"governance.internal/functions/bookkeeping/profit"
	"governance.internal/functions/bookkeeping/proof"
)

// Fault is a difference that a verification found.
type Fault struct {
	Row  int    `json:"row"`            // of the ledger, from 1; 0 for what is no row
	File string `json:"file,omitempty"` // and the line of the row, or of a record of an input
	Line int    `json:"line,omitempty"`
	What string `json:"what"`
}

// Check is the result of a verification.
type Check struct {
	Rows        int      `json:"rows"`
	LedgerRoot  string   `json:"ledger_root"`
	InputSHA256 string   `json:"input_sha256"`
	Checked     []string `json:"checked"`
	Faults      []Fault  `json:"faults"`
}

// Valid reports whether no fault was found.
func (c *Check) Valid() bool { return len(c.Faults) == 0 }

func (c *Check) fault(row int, e *ledger.Entry, what string, args ...any) {
	f := Fault{
		Row:  row,
		What: fmt.Sprintf(what, args...),
	}
	if e != nil {
		f.File, f.Line = e.File, e.Line
	}
	c.Faults = append(c.Faults, f)
}

// VerifyAnswer checks the rows, the chain and the statements of an answer as JSON. With the inputs it
// finds the records that differ from those that the answer was made of.
func VerifyAnswer(text []byte, inputs []bank.Source) (*Check, error) {
	if !bytes.Contains(text, []byte("ledger")) {
		return nil, errors.New("the file is no answer of bookkeeping: it holds no ledger")
	}

	c := &Check{
		Checked: []string{"rows", "chain", "statements", "input digest", "bytes"},
		Faults:  []Fault{},
	}
	a, ok := c.decode(text)
	if !ok {
		return c, nil
	}

	c.Rows = len(a.Ledger)
	c.LedgerRoot = a.Verification.LedgerRoot
	c.InputSHA256 = a.Verification.InputSHA256
	c.rows(a.Ledger, a.Verification)
	c.statements(a)
	c.digests(a)
	c.report(a)
	c.bytes(a, text)
	if len(inputs) > 0 {
		c.Checked = append(c.Checked, "inputs")
		c.inputs(a, inputs)
	}
	return c, nil
}

// decode reads an answer. A place where it is damaged is a fault of its row.
func (c *Check) decode(text []byte) (*Answer, bool) {
	a := &Answer{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	err := decoder.Decode(a)
	if err == nil {
		err = missingRow(a)
	}
	if err == nil {
		return a, true
	}

	at := int(decoder.InputOffset())
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = int(syntax.Offset) - 1
	}
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		at = int(wrongType.Offset) - 1
	}
	c.fault(rowAt(text, at), nil, "the text is damaged: %v", err)
	return nil, false
}

// rowAt is the row of the ledger in which a byte of an answer stands, 0 outside.
func rowAt(text []byte, at int) int {
	at = min(max(at, 0), len(text))
	start := bytes.Index(text, []byte(`"ledger"`))
	end := bytes.Index(text, []byte(`"profit_and_loss"`))
	if start < 0 || at < start || end >= 0 && at >= end {
		return 0
	}
	return bytes.Count(text[start:at], []byte(`"chain"`)) + 1
}

// missingRow finds a row that is null.
func missingRow(a *Answer) error {
	for i, e := range a.Ledger {
		if e == nil {
			return fmt.Errorf("row %d of the ledger is missing", i+1)
		}
	}
	return nil
}

// rows checks each row against its canonical line, and each line against the chain.
func (c *Check) rows(entries []*ledger.Entry, v Verification) {
	link := proof.Start(v.InputSHA256)
	for i, e := range entries {
		date, ok := day.Parse(e.Date)
		if !ok || !chart.Known(e.Category) {
			c.fault(i+1, e, "the date or the category is none")
			return
		}
		e.Day = date

		if proof.Canonical(e) != e.Canonical {
			c.fault(i+1, e, "the row differs from its canonical line")
		}
		link = proof.Next(link, e.Canonical)
		if link != e.Chain {
			c.fault(i+1, e, "the link of the chain differs")
			link = e.Chain // so that later rows are judged by themselves
		}
	}

	last := proof.Start(v.InputSHA256)
	if len(entries) > 0 {
		last = entries[len(entries)-1].Chain
	}
	if last != v.LedgerRoot {
		c.fault(len(entries), nil, "the root of the ledger is not the last link")
	}
}

// statements makes the statements again.
func (c *Check) statements(a *Answer) {
	if len(c.Faults) > 0 {
		return
	}

	statements := []struct {
		name     string
		got      any
		expected any
	}{
		{"profit_and_loss", a.ProfitAndLoss, profit.Statements(a.Ledger, profit.Year, a.FormYear)},
		{"quarterly", a.Quarterly, profit.Statements(a.Ledger, profit.Quarter, a.FormYear)},
		{"monthly", a.Monthly, profit.Statements(a.Ledger, profit.Month, a.FormYear)},
		{"cash_flow", a.CashFlow, profit.Flows(a.Ledger, profit.Year)},
	}
	for _, s := range statements {
		if !reflect.DeepEqual(s.got, s.expected) {
			c.fault(0, nil, "%s does not follow from the ledger", s.name)
		}
	}

}

// digests checks the digest of the inputs against those of the files.
func (c *Check) digests(a *Answer) {
	var inputs []proof.Input
	for _, file := range a.Input.Files {
		inputs = append(inputs, proof.Input{
			Name:   file.Name,
			SHA256: file.SHA256,
		})
	}
	if proof.InputDigest(inputsOrEmpty(inputs)) != a.Verification.InputSHA256 {
		c.fault(0, nil, "input_sha256 does not follow from the digests of the files")
	}
}

func inputsOrEmpty(inputs []proof.Input) []proof.Input {
	if len(inputs) == 0 {
		return []proof.Input{{}}
	}
	return inputs
}

// report checks the digest of what the chain does not cover.
func (c *Check) report(a *Answer) {
	digest, err := a.reportDigest()
	if err != nil || digest != a.Verification.ReportSHA256 {
		c.fault(0, nil, "a part of the answer beside the ledger differs from report_sha256")
	}
}

// bytes finds changes that leave every value as it is, such as another spelling of a number.
func (c *Check) bytes(a *Answer, text []byte) {
	if len(c.Faults) > 0 {
		return
	}

	differs := 0
	for _, form := range writtenForms(a) {
		at := firstDifference(text, form)
		if at == len(text) && at == len(form) {
			return
		}
		differs = max(differs, at)
	}
	c.fault(rowAt(text, differs), nil, "the text is not as it was written, from byte %d", differs)
}

// writtenForms are an answer as the command line and the endpoint write it.
func writtenForms(a *Answer) [][]byte {
	var forms [][]byte
	for _, indent := range []string{"", "  "} {
		for _, escapes := range []bool{true, false} {
			var b bytes.Buffer
			encoder := json.NewEncoder(&b)
			encoder.SetIndent("", indent)
			encoder.SetEscapeHTML(escapes)
			if err := encoder.Encode(a); err != nil {
				continue
			}
			forms = append(forms, b.Bytes(), bytes.TrimSuffix(b.Bytes(), []byte("\n")))
		}
	}
	return forms
}

func firstDifference(one, two []byte) int {
	for i := range min(len(one), len(two)) {
		if one[i] != two[i] {
			return i
		}
	}
	return min(len(one), len(two))
}

// inputs compares the records of the inputs with the digests of the rows.
func (c *Check) inputs(a *Answer, inputs []bank.Source) {
	for _, file := range a.Input.Files {
		at := slices.IndexFunc(inputs, func(s bank.Source) bool { return s.Name == file.Name })
		if at < 0 {
			c.Faults = append(c.Faults, Fault{File: file.Name, What: "the input is missing"})
			continue
		}
		if proof.DigestOf(inputs[at].Data) != file.SHA256 {
			c.locate(a, inputs[at])
		}
	}
}

// locate finds the records of a changed input.
func (c *Check) locate(a *Answer, input bank.Source) {
	digests, err := bank.Digests(input)
	if err != nil {
		c.Faults = append(c.Faults, Fault{File: input.Name, What: "the input changed and cannot be read: " + err.Error()})
		return
	}

	found := false
	for i, e := range a.Ledger {
		if e.File != input.Name {
			continue
		}
		if digests[e.Line] != e.RowSHA256 {
			c.fault(i+1, e, "the record of the input changed")
			found = true
		}
	}
	if !found {
		c.Faults = append(c.Faults, Fault{File: input.Name, What: "the input changed outside the booked rows: in its header, or in a record that is not booked"})
	}
}

// VerifyTable checks a ledger.csv: each cell against the canonical line of its row, and the chain. The
// digest of the input is that of the answer; without it the first link is not checked.
func VerifyTable(text []byte, inputSHA256 string) (*Check, error) {
	reader := csv.NewReader(bytes.NewReader(text))
	records, err := reader.ReadAll()
	var damaged *csv.ParseError
	if errors.As(err, &damaged) {
		c := &Check{Faults: []Fault{}}
		c.fault(damaged.StartLine-1, nil, "the text is damaged: %v", err)
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the file is no ledger.csv: %w", err)
	}
	if len(records) == 0 || !slices.Equal(records[0], export.Columns()) {
		return nil, errors.New("the file is no ledger.csv: its header differs")
	}

	c := &Check{
		Rows:        len(records) - 1,
		InputSHA256: inputSHA256,
		Checked:     []string{"rows", "chain"},
		Faults:      []Fault{},
	}
	link := ""
	if inputSHA256 != "" {
		link = proof.Start(inputSHA256)
	}
	for i, record := range records[1:] {
		link = c.tableRow(i+1, record, link)
	}
	c.LedgerRoot = link
	c.tableBytes(text, records)
	return c, nil
}

// tableRow checks one record and returns its link.
func (c *Check) tableRow(row int, record []string, before string) string {
	canonical := strings.TrimPrefix(record[len(record)-2], "'")
	chain := record[len(record)-1]

	e, err := entryOf(canonical)
	if err != nil {
		c.fault(row, nil, "the canonical line cannot be read: %v", err)
		return chain
	}
	e.Chain = chain
	if !slices.Equal(export.Cells(e), record) {
		c.fault(row, e, "the cells differ from the canonical line")
	}
	if before != "" && proof.Next(before, canonical) != chain {
		c.fault(row, e, "the link of the chain differs")
	}
	return chain
}

// tableBytes finds changes that leave every cell as it is, such as quotes.
func (c *Check) tableBytes(text []byte, records [][]string) {
	var again bytes.Buffer
	w := csv.NewWriter(&again)
	_ = w.WriteAll(records) // a buffer takes everything
	if len(c.Faults) == 0 && !bytes.Equal(text, again.Bytes()) {
		at := firstDifference(text, again.Bytes())
		row := bytes.Count(text[:at], []byte("\n"))
		c.fault(row, nil, "the text is not as it was written, from byte %d", at)
	}
}

// entryOf reads a canonical line.
func entryOf(line string) (*ledger.Entry, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != proof.Fields {
		return nil, fmt.Errorf("it has %d fields and not %d", len(fields), proof.Fields)
	}

	number, err1 := strconv.Atoi(fields[4])
	minor, err2 := strconv.ParseInt(fields[5], 10, 64)
	confidence, err3 := strconv.ParseFloat(fields[9], 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}

	e := &ledger.Entry{
		ID:          fields[0],
		Date:        fields[1],
		Account:     fields[2],
		File:        fields[3],
		Line:        number,
		Minor:       minor,
		Currency:    fields[6],
		Category:    chart.Category(fields[7]),
		Kind:        chart.Kind(fields[8]),
		Confidence:  confidence,
		Plaid:       fields[11],
		RowSHA256:   fields[13],
		Merchant:    fields[14],
		Reason:      fields[15],
		Description: fields[16],
		Canonical:   line,
	}
	if fields[10] != "" {
		e.ScheduleC = &fields[10]
	}
	return e, nil
}
