// Package ledger makes one ledger of the rows of several accounts: categorised, with transfers between
// own accounts and refunds linked, in the order of time.
package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"governance.internal/functions/bookkeeping/bank"
	"governance.internal/functions/bookkeeping/categorise"
	"governance.internal/functions/bookkeeping/chart"
	"governance.internal/functions/bookkeeping/day"
)

// Entry is one row of the ledger.
type Entry struct {
	ID          string         `json:"id"`
	File        string         `json:"file"`
	Line        int            `json:"line"`
	Date        string         `json:"date"`
	Description string         `json:"description"`
	Minor       int64          `json:"amount_minor"`
	Currency    string         `json:"currency"`
	Category    chart.Category `json:"category"`
	Kind        chart.Kind     `json:"kind"`
	Confidence  float64        `json:"confidence"`
	Reason      string         `json:"reason"`
	ScheduleC   *string        `json:"schedule_c"`
	Plaid       string         `json:"plaid"`
	Account     string         `json:"account"`
	Merchant    string         `json:"merchant"`
	Links       []string       `json:"links"`
	RowSHA256   string         `json:"row_sha256"` // of the record as it stands in the file, as UTF-8
	Canonical   string         `json:"canonical"`
	Chain       string         `json:"chain"`

	Day        day.Day `json:"-"`
	Question   string  `json:"-"`
	Card       bool    `json:"-"`
	Format     string  `json:"-"`
	Fee        bool    `json:"-"`
	Balance    int64   `json:"-"`
	HasBalance bool    `json:"-"`
	order      int     // within its file, from old to new
}

// Options are the customer's choices about categories.
type Options struct {
	FormYear    int
	Business    string
	Rules       []categorise.Rule
	OwnAccounts []string // names or numbers that descriptions of transfers hold
}

// Place is a row of a file.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Place returns the row of an entry.
func (e *Entry) Place() Place { return Place{e.File, e.Line} }

// Build makes the ledger.
func Build(files []*bank.File, o Options) []*Entry {
	b := &builder{
		options:  o,
		clerk:    categorise.NewClerk(o.Business, o.Rules),
		services: servicesAmong(files),
	}
	for _, own := range o.OwnAccounts {
		b.own = append(b.own, words(own))
	}

	names := accountNames(files)
	for _, file := range files {
		b.addFile(file, names[file])
	}

	b.sort()
	b.linkTransfers()
	b.useHistory()
	b.linkRefunds()
	b.complete()
	return b.entries
}

type builder struct {
	options  Options
	clerk    *categorise.Clerk
	entries  []*Entry
	services []string // payment services whose own accounts are among the files
	own      []string
}

// words writes the words of a text with a space around each.
func words(text string) string { return " " + strings.Join(categorise.Words(text), " ") + " " }

// servicesAmong names the payment services of which there is an own export; what they pay out is then
// no sale but a transfer.
func servicesAmong(files []*bank.File) []string {
	var services []string
	for _, file := range files {
		if file.Format == "stripe" || file.Format == "paypal" {
			services = append(services, " "+file.Format+" ")
		}
	}
	return services
}

func (b *builder) addFile(file *bank.File, account string) {
	count := len(file.Rows)
	several := holdsSeveral(file)
	for i := range file.Rows {
		row := &file.Rows[i]
		order := i
		if !file.Rising {
			order = fallingOrder(file.Rows, i, count)
		}

		entry := &Entry{
			ID:          idOf(row),
			File:        row.File,
			Line:        row.Line,
			Date:        row.Day.String(),
			Description: OneLine(row.Description),
			Minor:       row.Minor,
			Currency:    row.Currency,
			Account:     accountOf(row, account, several),
			Merchant:    Merchant(row.Description),
			Links:       []string{},
			RowSHA256:   digest(row.Raw),
			Day:         row.Day,
			Card:        file.Card,
			Format:      file.Format,
			Fee:         row.Fee,
			Balance:     row.Balance,
			HasBalance:  row.HasBalance,
			order:       order,
		}
		b.categorise(entry, row)
		b.entries = append(b.entries, entry)
	}
}

// fallingOrder turns the order of a file round and keeps a fee behind its payment.
func fallingOrder(rows []bank.Row, at, count int) int {
	if rows[at].Fee {
		return 2*(count-at+1) + 1
	}
	return 2 * (count - at)
}

func (b *builder) categorise(e *Entry, row *bank.Row) {
	verdict := b.clerk.Judge(categorise.Row{
		Description: row.Description,
		Type:        row.Type,
		Group:       row.Group,
		MCC:         row.MCC,
		Format:      e.Format,
		Minor:       row.Minor,
		Card:        e.Card,
		Fee:         row.Fee,
	})

	if verdict.Confidence < 1 {
		verdict = b.ownTransfer(e, verdict)
	}
	e.set(verdict)
}

// ownTransfer recognises transfers by the customer's own accounts and by the services among the files.
func (b *builder) ownTransfer(e *Entry, verdict categorise.Verdict) categorise.Verdict {
	text := words(e.Description)
	for _, own := range b.own {
		if strings.Contains(text, own) {
			return categorise.Verdict{Category: chart.Transfer, Confidence: 0.97, Reason: "it names your own account" + strings.TrimRight(own, " ")}
		}
	}

	for _, service := range b.services {
		isPayout := e.Format != strings.TrimSpace(service) && strings.Contains(text, service)
		if isPayout && (verdict.Category == chart.Sales || verdict.Category == chart.Uncategorised) {
			return categorise.Verdict{Category: chart.Transfer, Confidence: 0.9, Reason: "the account of" + service + "is among the files"}
		}
	}
	return verdict
}

// IsIncome reports whether money came in that is no refund.
func (e *Entry) IsIncome() bool { return e.Minor > 0 && e.Kind != chart.Refund }

func (e *Entry) set(v categorise.Verdict) {
	e.Category = v.Category
	e.Confidence = v.Confidence
	e.Reason = v.Reason
	e.Question = v.Question
}

// OneLine is a text in Unicode normal form C whose control characters and line breaks are spaces.
func OneLine(text string) string {
	return norm.NFC.String(strings.Map(withoutControl, strings.ToValidUTF8(text, "\ufffd")))
}

func withoutControl(r rune) rune {
	if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
		return ' '
	}
	return r
}

// idOf names a row by its place and its bytes.
func idOf(row *bank.Row) string {
	part := "payment"
	if row.Fee {
		part = "fee"
	}
	sum := digest(fmt.Sprintf("%s\n%d\n%s\n%d\n%s\n%s", row.File, row.Line, part, row.Minor, row.Description, row.Raw))
	return sum[:16]
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// sort orders entries by day, account, and the order of their file.
func (b *builder) sort() {
	slices.SortStableFunc(b.entries, func(x, y *Entry) int {
		return cmp.Or(
			cmp.Compare(x.Date, y.Date),
			cmp.Compare(x.Account, y.Account),
			cmp.Compare(x.File, y.File),
			cmp.Compare(x.order, y.order),
		)
	})

	seen := map[string]int{}
	for _, e := range b.entries {
		seen[e.ID]++
		if n := seen[e.ID]; n > 1 {
			e.ID = fmt.Sprintf("%s-%d", e.ID, n)
		}
	}
}

// kindOf is the part that an entry plays. What came back for a purchase is a refund, even if nobody
// knows what was bought.
func kindOf(e *Entry) chart.Kind {
	comesBack := e.Minor > 0 && (e.Card || len(e.Links) > 0)
	if e.Category == chart.Uncategorised && comesBack {
		return chart.Refund
	}
	return chart.KindOf(e.Category, e.Minor)
}

// complete sets what follows from the category.
func (b *builder) complete() {
	for _, e := range b.entries {
		e.Kind = kindOf(e)
		e.Plaid = chart.Plaid(e.Category, e.Minor)
		if line := chart.ScheduleC(e.Category, b.options.FormYear); line != "" {
			e.ScheduleC = &line
		}
		slices.Sort(e.Links)
	}
}
