package dialect

import (
	"slices"
	"strings"

	"governance.internal/functions/bookkeeping/day"
)

// Format is the export of one bank.
type Format struct {
	Name     string
	Header   []string // normalised words that the header must hold
	Exact    bool     // the header holds nothing else
	Roles    map[string]Role
	Order    day.Order
	Currency string
	Card     bool     // a credit card
	Flipped  bool     // charges are written as positive amounts
	Booked   []string // statuses that are booked, in lower case; none means all
	Fees     FeeRule
}

// FeeRule says how the fee column relates to the amount.
type FeeRule int

// The rules.
const (
	FeesApart    FeeRule = iota // the fee column is information only
	FeesOnTop                   // the amount is without the fee, which is written as a positive number
	FeesInNet                   // the amount is gross; the fee is positive and the net smaller
	FeesNegative                // the amount is gross; the fee is written as a negative number
)

// formats in the order of recognition: those with more words first.
var formats = []Format{
	{
		Name: "revolut-business", Header: words("date started|date completed|total amount|orig currency|state|payment currency"),
		Roles:  map[string]Role{"amount": Amount, "total amount": Ignored, "payment currency": Currency, "orig currency": Ignored, "fee currency": Ignored, "payer": Payee, "id": ID},
		Order:  day.YMD,
		Booked: words("completed"), Fees: FeesOnTop,
	},
	{
		Name: "revolut", Header: words("type|product|started date|completed date|description|amount|fee|currency|state|balance"),
		Order: day.YMD, Booked: words("completed"), Fees: FeesOnTop,
	},
	{
		Name: "wise", Header: words("transferwise id|date|amount|currency|running balance"),
		Roles: map[string]Role{"payer name": Payee, "payee name": Payee, "merchant": Payee, "total fees": Ignored, "exchange from": Ignored, "exchange to": Ignored},
		Order: day.DMY,
	},
	{
		Name: "mercury", Header: words("date (utc)|description|amount|status|source account"),
		Roles: map[string]Role{"original currency": Currency, "timestamp": Ignored, "tags": Ignored, "reference": Memo},
		Order: day.MDY, Currency: "USD", Booked: words("sent|completed|success"),
	},
	{
		Name: "stripe", Header: words("id|type|source|amount|fee|net|currency"),
		Roles: map[string]Role{"created (utc)": Date, "created": Date, "available on (utc)": Ignored, "available on": Ignored, "source": Ignored, "transfer": Ignored, "net": Net},
		Order: day.YMD, Fees: FeesInNet,
	},
	{
		Name: "paypal", Header: words("date|name|type|status|currency|gross|fee|net"),
		Roles:  map[string]Role{"net": Net, "from email address": Ignored, "to email address": Ignored},
		Booked: words("completed|abgeschlossen|termine|completado|voltooid|completato"), Fees: FeesNegative,
	},
	{
		Name: "chase-card", Header: words("transaction date|post date|description|category|type|amount"),
		Order: day.MDY, Currency: "USD", Card: true,
	},
	{
		Name: "chase-checking", Header: words("details|posting date|description|amount|type|balance"),
		Roles: map[string]Role{"details": Ignored},
		Order: day.MDY, Currency: "USD",
	},
	{
		Name: "bank-of-america", Header: words("date|description|amount|running bal"),
		Order: day.MDY, Currency: "USD",
	},
	{
		Name: "bank-of-america-card", Header: words("posted date|reference number|payee|address|amount"),
		Order: day.MDY, Currency: "USD", Card: true,
	},
	{
		Name: "american-express", Header: words("date|description|amount|extended details|appears on your statement as"),
		Roles: map[string]Role{"extended details": Ignored, "appears on your statement as": Memo, "country": Ignored, "reference": ID},
		Order: day.MDY, Currency: "USD", Card: true, Flipped: true,
	},
	{
		Name: "american-express", Header: words("date|description|card member|account|amount"),
		Order: day.MDY, Currency: "USD", Card: true, Flipped: true,
	},
	{
		Name: "capital-one", Header: words("transaction date|posted date|card no|description|category|debit|credit"),
		Order: day.YMD, Currency: "USD", Card: true,
	},
	{
		Name: "citi", Header: words("status|date|description|debit|credit"),
		Order: day.MDY, Currency: "USD", Card: true, Booked: words("cleared"),
	},
	{
		Name: "discover", Header: words("trans. date|post date|description|amount|category"),
		Order: day.MDY, Currency: "USD", Card: true, Flipped: true,
	},
	{
		Name: "apple-card", Header: words("transaction date|clearing date|description|merchant|category|type"),
		Order: day.MDY, Currency: "USD", Card: true, Flipped: true,
	},
	{
		Name: "ing-nl", Header: words("naam / omschrijving|rekening|tegenrekening|af bij"),
		Roles: map[string]Role{"mededelingen": Memo, "mutatiesoort": Type, "code": Ignored},
		Order: day.YMD, Currency: "EUR",
	},
}

func words(barred string) []string { return strings.Split(barred, "|") }

// Recognise finds the format of a header, nil for none.
func Recognise(cells []string) *Format {
	normal := make([]string, len(cells))
	for i, cell := range cells {
		normal[i] = Normal(cell)
	}

	for i := range formats {
		if formats[i].fits(normal) {
			return &formats[i]
		}
	}
	return nil
}

func (f *Format) fits(header []string) bool {
	for _, name := range f.Header {
		if !slices.ContainsFunc(header, func(h string) bool { return h == name || h == name+" (utc)" }) {
			return false
		}
	}
	return true
}

// Apply gives the columns the roles of the format.
func (f *Format) Apply(columns []Column) {
	if f == nil {
		return
	}
	for i, column := range columns {
		if role, ok := f.Roles[Normal(column.Name)]; ok {
			columns[i].Role = role
		}
	}
}
