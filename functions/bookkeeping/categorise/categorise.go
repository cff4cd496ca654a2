// Package categorise gives rows of an account their categories: by the customer's own rules, by what
// banks write, by names and words of sellers, by the codes of card networks, and by what the same
// business did before. What nothing speaks for stays uncategorised.
package categorise

import (
	"strings"

	"governance.internal/functions/bookkeeping/chart"
)

// Row is what is known of a movement of money.
type Row struct {
	Description string
	Type        string // the bank's word for the kind of movement
	Group       string // the bank's own category
	MCC         string
	Format      string // of the file, for example stripe
	Minor       int64
	Card        bool // of a credit card
	Fee         bool // the part of a record that is a fee
}

// Verdict is a category with its reason.
type Verdict struct {
	Category   chart.Category
	Confidence float64 // 0 to 1; the share of such verdicts that are expected to be right
	Reason     string
	Question   string // to the customer, where an answer would decide
}

// Rule is a rule of the customer: a row whose description contains the words has the category.
type Rule struct {
	Match    string         `json:"match"`
	Category chart.Category `json:"category"`
}

// Clerk categorises the rows of one business.
type Clerk struct {
	rules    []customerRule
	business business
	known    map[question]Verdict
}

type customerRule struct {
	words    string
	category chart.Category
}

type question struct {
	text, kind, group, mcc, format string
	in, card                       bool
}

// NewClerk prepares the categorisation for a kind of business, which may be empty.
func NewClerk(kind string, rules []Rule) *Clerk {
	c := &Clerk{
		business: newBusiness(kind),
		known:    map[question]Verdict{},
	}
	for _, rule := range rules {
		c.rules = append(c.rules, customerRule{joined(rule.Match), rule.Category})
	}
	return c
}

// joined writes words with one space around each, for looking up whole words.
func joined(text string) string { return " " + strings.Join(Words(text), " ") + " " }

// Judge categorises a row.
func (c *Clerk) Judge(row Row) Verdict {
	if row.Fee {
		return Verdict{chart.ProcessingFees, 0.97, "the fee of a payment service", ""}
	}

	q := question{row.Description, row.Type, row.Group, row.MCC, row.Format, row.Minor > 0, row.Card}
	if verdict, ok := c.known[q]; ok {
		return verdict
	}
	verdict := c.judge(row)
	c.known[q] = verdict
	return verdict
}

func (c *Clerk) judge(row Row) Verdict {
	text := joined(row.Description)
	for _, rule := range c.rules {
		if strings.Contains(text, rule.words) {
			return Verdict{rule.category, 1, "your rule " + strings.TrimSpace(rule.words), ""}
		}
	}

	evidence := c.collect(row, text)
	for _, judge := range judges {
		if verdict, ok := judge(c, evidence); ok {
			return verdict
		}
	}
	return Verdict{chart.Uncategorised, 0, "nothing in the row says what it was", evidence.unknown()}
}

// judges are asked in this order; the first that knows an answer gives it.
var judges = []func(*Clerk, *evidence) (Verdict, bool){
	byService,
	byType,
	byRefundToCustomer,
	byPlatform,
	byBankText,
	byAmbiguousSeller,
	byBrand,
	byMaterial,
	byWord,
	byCode,
	byIncome,
	byBankGroup,
}
