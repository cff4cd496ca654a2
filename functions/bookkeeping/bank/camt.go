package bank

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"governance.internal/functions/bookkeeping/amount"
	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/day"
	"governance.internal/functions/bookkeeping/table"
)

// isCAMT recognises the bank-to-customer statements of ISO 20022.
func isCAMT(start string) bool {
	return strings.Contains(start, "<BkToCstmrStmt") || strings.Contains(start, "tech:xsd:camt.05")
}

// The parts of CAMT.052 to 054 that bookkeeping needs. Versions differ in where a name or a status
// stands, so both places are read.
type (
	camtAmount struct {
		Value    string `xml:",chardata"`
		Currency string `xml:"Ccy,attr"`
	}

	camtDate struct {
		Date string `xml:"Dt"`
		Time string `xml:"DtTm"`
	}

	camtStatus struct {
		Text string `xml:",chardata"`
		Code string `xml:"Cd"`
	}

	camtParty struct {
		Name  string `xml:"Nm"`
		Party string `xml:"Pty>Nm"`
	}

	camtDetail struct {
		Amount    *camtAmount `xml:"Amt"`
		Indicator string      `xml:"CdtDbtInd"`
		Reference string      `xml:"Refs>EndToEndId"`
		Debtor    camtParty   `xml:"RltdPties>Dbtr"`
		Creditor  camtParty   `xml:"RltdPties>Cdtr"`
		Texts     []string    `xml:"RmtInf>Ustrd"`
		Info      string      `xml:"AddtlTxInf"`
	}

	camtEntry struct {
		Amount    camtAmount   `xml:"Amt"`
		Indicator string       `xml:"CdtDbtInd"`
		Reversal  string       `xml:"RvslInd"`
		Status    camtStatus   `xml:"Sts"`
		Booked    camtDate     `xml:"BookgDt"`
		Value     camtDate     `xml:"ValDt"`
		Reference string       `xml:"AcctSvcrRef"`
		Details   []camtDetail `xml:"NtryDtls>TxDtls"`
		Info      string       `xml:"AddtlNtryInf"`
	}

	camtBalance struct {
		Code      string     `xml:"Tp>CdOrPrtry>Cd"`
		Amount    camtAmount `xml:"Amt"`
		Indicator string     `xml:"CdtDbtInd"`
	}
)

// camtReader walks the elements of a statement.
type camtReader struct {
	*File
	text    string
	decoder *xml.Decoder
	lines   *lineCounter
	account string
}

func readCAMT(source Source) (*File, error) {
	text, encoding, err := table.Decode(source.Data)
	if err != nil {
		return nil, refusalOf(source.Name, err)
	}

	r := &camtReader{
		File: &File{
			Name:     source.Name,
			Format:   "camt.053",
			Encoding: encoding,
			Dates:    "YMD: the format says so",
			Decimal:  ".",
		},
		text:    text,
		decoder: xml.NewDecoder(strings.NewReader(text)),
		lines:   &lineCounter{text: text},
	}
	r.decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // it is decoded

	if err := r.walk(); err != nil {
		return nil, err
	}
	r.Rising = isRising(r.Rows)
	r.dropForeignBalances()
	return r.File, nil
}

func (r *camtReader) walk() error {
	for {
		before := int(r.decoder.InputOffset())
		token, err := r.decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return r.refuse(r.lines.at(before), "", "the XML is damaged: %v; export the statement again", err)
		}

		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if err := r.take(start, before); err != nil {
			return err
		}
	}
}

func (r *camtReader) take(start xml.StartElement, at int) error {
	switch start.Name.Local {
	case "Acct":
		var account struct {
			IBAN  string `xml:"Id>IBAN"`
			Other string `xml:"Id>Othr>Id"`
		}
		if err := r.decode(&account, start, at); err != nil {
			return err
		}
		r.account = account.IBAN + account.Other
		r.Account = r.account
	case "Bal":
		var balance camtBalance
		if err := r.decode(&balance, start, at); err != nil {
			return err
		}
		return r.takeBalance(balance, at)
	case "Ntry":
		var entry camtEntry
		if err := r.decode(&entry, start, at); err != nil {
			return err
		}
		return r.takeEntry(entry, at)
	}
	return nil
}

func (r *camtReader) decode(into any, start xml.StartElement, at int) error {
	if err := r.decoder.DecodeElement(into, &start); err != nil {
		return r.refuse(r.lines.at(at), "", "the XML is damaged: %v; export the statement again", err)
	}
	return nil
}

func (r *camtReader) takeBalance(b camtBalance, at int) error {
	minor, err := r.minor(b.Amount, b.Indicator)
	if err != nil {
		return r.refuse(r.lines.at(at), "What is the balance?", "the balance %v", err)
	}

	balance := &Balance{minor, b.Amount.Currency}
	switch b.Code {
	case "OPBD", "PRCD":
		if r.Opening == nil {
			r.Opening = balance
		}
	case "CLBD":
		r.Closing = balance
	}
	return nil
}

// minor is an amount with its indicator in minor units.
func (r *camtReader) minor(a camtAmount, indicator string) (int64, error) {
	cell, ok := amount.Read(a.Value)
	if !ok || cell.Empty || !currency.Known(a.Currency) {
		return 0, unreadable{}
	}

	minor, err := amount.Style{Decimal: '.'}.Minor(cell, currency.Decimals(a.Currency))
	if err != nil {
		return 0, err
	}
	switch strings.TrimSpace(indicator) {
	case "DBIT":
		return -minor, nil
	case "CRDT":
		return minor, nil
	}
	return 0, unreadable{}
}

// takeEntry books an entry; a batch whose parts carry amounts is booked part by part.
func (r *camtReader) takeEntry(entry camtEntry, at int) error {
	line := r.lines.at(at)
	status := strings.TrimSpace(entry.Status.Code + entry.Status.Text)
	if status != "" && status != "BOOK" {
		r.skip(line, "the status is "+status)
		return nil
	}

	date, ok := entry.day()
	if !ok {
		return r.refuse(line, "On which date was it booked?", "the entry has no date that can be read")
	}
	minor, err := r.minor(entry.Amount, entry.Indicator)
	if err != nil {
		return r.refuse(line, "What is the amount?", "the amount %q %v", entry.Amount.Value, err)
	}

	row := Row{
		File:        r.Name,
		Line:        line,
		Raw:         strings.TrimSpace(r.text[at:r.decoder.InputOffset()]),
		Day:         date,
		Minor:       minor,
		Currency:    entry.Amount.Currency,
		Description: entry.describe(),
		ID:          entry.Reference,
		Account:     r.account,
	}

	parts := r.parts(row, entry)
	r.Rows = append(r.Rows, parts...)
	return nil
}

// parts are the payments of a batch if their amounts add up to it, else the entry as a whole.
func (r *camtReader) parts(whole Row, entry camtEntry) []Row {
	if len(entry.Details) < 2 {
		return []Row{whole}
	}

	var parts []Row
	sum := int64(0)
	for _, detail := range entry.Details {
		if detail.Amount == nil || detail.Amount.Currency != whole.Currency {
			return []Row{whole}
		}
		indicator := detail.Indicator
		if indicator == "" {
			indicator = entry.Indicator
		}
		minor, err := r.minor(*detail.Amount, indicator)
		if err != nil {
			return []Row{whole}
		}

		part := whole
		part.Minor = minor
		part.Description = detail.describe(entry.Indicator)
		parts = append(parts, part)
		sum += minor
	}

	if sum != whole.Minor {
		return []Row{whole}
	}
	return parts
}

func (e camtEntry) day() (day.Day, bool) {
	for _, text := range []string{e.Booked.Date, e.Booked.Time, e.Value.Date, e.Value.Time} {
		text = strings.TrimSpace(text)
		if len(text) < 10 {
			continue
		}
		if d, ok := day.Parse(text[:10]); ok {
			return d, true
		}
	}
	return day.Day{}, false
}

func (e camtEntry) describe() string {
	description := ""
	for _, detail := range e.Details {
		description = strings.TrimSpace(description + " " + detail.describe(e.Indicator))
	}
	if info := strings.Join(strings.Fields(e.Info), " "); !containsFold(description, info) {
		description = strings.TrimSpace(description + " " + info)
	}
	return shortened(description)
}

// describe names the other side of a payment and its purpose.
func (d camtDetail) describe(indicator string) string {
	other := d.Creditor
	if indicator == "CRDT" {
		other = d.Debtor
	}

	words := append([]string{other.Name, other.Party}, d.Texts...)
	words = append(words, d.Info)
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}
