package bank

import (
	"html"
	"strings"

	"governance.internal/functions/bookkeeping/amount"
	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/day"
	"governance.internal/functions/bookkeeping/table"
)

// isOFX recognises OFX and QFX, as SGML and as XML.
func isOFX(start string) bool {
	upper := strings.ToUpper(start)
	return strings.HasPrefix(upper, "OFXHEADER") || strings.Contains(upper, "<?OFX") || strings.Contains(upper, "<OFX>")
}

// element is one tag of OFX with the text behind it. OFX before version 2 does not close its elements, so
// values are what stands between a tag and the next.
type element struct {
	name, value string
	start       int // byte where the tag begins
}

// elementsOf parts OFX into tags.
func elementsOf(text string) []element {
	var elements []element
	at := 0
	for {
		open := strings.IndexByte(text[at:], '<')
		if open < 0 {
			return elements
		}
		open += at

		length := strings.IndexByte(text[open:], '>')
		if length < 0 {
			return elements
		}
		end := open + length + 1

		next := strings.IndexByte(text[end:], '<')
		if next < 0 {
			next = len(text) - end
		}

		elements = append(elements, element{
			name:  strings.ToUpper(strings.TrimSpace(text[open+1 : end-1])),
			value: html.UnescapeString(strings.TrimSpace(text[end : end+next])),
			start: open,
		})
		at = end + next
	}
}

// ofxReader walks the tags of OFX.
type ofxReader struct {
	*File
	text     string
	lines    *lineCounter
	currency string
	account  string
	fields   map[string]string // of the transaction that is open
	start    int
	open     bool
	hasBank  bool
	hasCard  bool
}

func readOFX(source Source) (*File, error) {
	text, encoding, err := table.Decode(source.Data)
	if err != nil {
		return nil, refusalOf(source.Name, err)
	}

	r := &ofxReader{
		File: &File{
			Name:     source.Name,
			Format:   "ofx",
			Encoding: encoding,
			Dates:    "YMD: the format says so",
			Decimal:  ".",
		},
		text:  text,
		lines: &lineCounter{text: text},
	}

	for _, e := range elementsOf(text) {
		if err := r.take(e); err != nil {
			return nil, err
		}
	}
	if err := r.finish(len(text)); err != nil {
		return nil, err
	}

	r.Card = r.hasCard && !r.hasBank
	r.Rising = isRising(r.Rows)
	r.dropForeignBalances()
	return r.File, nil
}

// dropForeignBalances forgets the balances of a file of several accounts, of which they would be one's.
func (f *File) dropForeignBalances() {
	for _, row := range f.Rows {
		if row.Account != f.Rows[0].Account {
			f.Opening, f.Closing = nil, nil
			return
		}
	}
}

// take handles one tag.
func (r *ofxReader) take(e element) error {
	switch e.name {
	case "STMTTRN":
		if err := r.finish(e.start); err != nil {
			return err
		}
		r.open = true
		r.start = e.start
		r.fields = map[string]string{}
		return nil
	case "/STMTTRN", "/BANKTRANLIST", "LEDGERBAL":
		err := r.finish(min(e.start+len(e.name)+2, len(r.text)))
		r.fields = map[string]string{}
		return err
	case "CURDEF":
		return r.setCurrency(e)
	case "ACCTID":
		if !r.open {
			r.account = e.value
			r.Account = e.value
		}
	case "CCSTMTRS":
		r.hasCard = true
	case "STMTRS":
		r.hasBank = true
	case "BALAMT":
		return r.setBalance(e)
	}

	if r.open && e.value != "" {
		if _, taken := r.fields[e.name]; !taken {
			r.fields[e.name] = e.value
		}
	}
	return nil
}

func (r *ofxReader) setCurrency(e element) error {
	code, ok := currency.Of(e.value)
	if !ok {
		return r.refuse(r.lines.at(e.start), "Which currency is it?", "%q is no currency of ISO 4217", e.value)
	}
	r.currency = code
	return nil
}

// setBalance keeps the first balance, which is that of the ledger.
func (r *ofxReader) setBalance(e element) error {
	if r.Closing != nil {
		return nil
	}
	minor, err := r.minor(e.value)
	if err != nil {
		return r.refuse(r.lines.at(e.start), "What is the balance?", "the balance %q %v", e.value, err)
	}
	r.Closing = &Balance{minor, r.currency}
	return nil
}

type unreadable struct{}

func (unreadable) Error() string { return "is no amount" }

// minor reads an amount, whose decimals some banks mark with a comma.
func (r *ofxReader) minor(text string) (int64, error) {
	cell, ok := amount.Read(text)
	if !ok || cell.Empty {
		return 0, unreadable{}
	}

	style := amount.Style{Decimal: '.'}
	if strings.Count(cell.Body, ",") == 1 && !strings.Contains(cell.Body, ".") {
		style.Decimal = ','
	}
	return style.Minor(cell, currency.Decimals(r.currency))
}

// finish books the transaction that is open. Its record ends at a byte of the text.
func (r *ofxReader) finish(end int) error {
	if !r.open {
		return nil
	}
	r.open = false
	line := r.lines.at(r.start)

	if r.currency == "" {
		return r.refuse(line, "Which currency is the account in?", "the file names no currency (CURDEF)")
	}

	date, ok := ofxDate(r.fields["DTPOSTED"])
	if !ok {
		return r.refuse(line, "On which date was it booked?", "the date %q (DTPOSTED) cannot be read", r.fields["DTPOSTED"])
	}
	minor, err := r.minor(r.fields["TRNAMT"])
	if err != nil {
		return r.refuse(line, "What is the amount?", "the amount %q (TRNAMT) %v", r.fields["TRNAMT"], err)
	}

	r.Rows = append(r.Rows, Row{
		File:        r.Name,
		Line:        line,
		Raw:         r.text[r.start:end],
		Day:         date,
		Minor:       minor,
		Currency:    r.currency,
		Description: r.describe(),
		Type:        r.fields["TRNTYPE"],
		MCC:         mccOf(r.fields["SIC"]),
		ID:          r.fields["FITID"],
		Account:     r.account,
	})
	return nil
}

func (r *ofxReader) describe() string {
	description := strings.Join(strings.Fields(r.fields["NAME"]), " ")
	memo := strings.Join(strings.Fields(r.fields["MEMO"]), " ")
	switch {
	case description == "":
		description = memo
	case memo != "" && !containsFold(description, memo):
		description += " " + memo
	}
	return shortened(description)
}

// ofxDate reads YYYYMMDD at the beginning of a time.
func ofxDate(text string) (day.Day, bool) {
	if len(text) < 8 {
		return day.Day{}, false
	}
	return day.Parse(text[:4] + "-" + text[4:6] + "-" + text[6:8])
}

// lineCounter finds the lines of rising positions in a text.
type lineCounter struct {
	text    string
	counted int
	lines   int
}

// at is the line of a byte, from 1.
func (c *lineCounter) at(position int) int {
	if position < c.counted {
		c.counted, c.lines = 0, 0
	}

	between := c.text[c.counted:position]
	c.lines += strings.Count(between, "\n")
	if !strings.Contains(between, "\n") {
		c.lines += strings.Count(between, "\r")
	}
	c.counted = position
	return c.lines + 1
}
