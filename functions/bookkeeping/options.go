package bookkeeping

import (
	"fmt"
	"strings"

	"governance.internal/functions/bookkeeping/bank"
	"governance.internal/functions/bookkeeping/categorise"
	"governance.internal/functions/bookkeeping/chart"
	"governance.internal/functions/bookkeeping/currency"
)

// Options are what the customer says beforehand. All are optional.
type Options struct {
	Currency     string            `json:"currency,omitempty"`      // ISO 4217, for files that name none
	FormYear     int               `json:"form_year,omitempty"`     // of Schedule C
	BusinessKind string            `json:"business_kind,omitempty"` // free text, for example furniture maker
	Opening      []OpeningBalance  `json:"opening_balances,omitempty"`
	Locale       string            `json:"locale,omitempty"` // BCP 47, for example en-GB
	Sign         string            `json:"sign,omitempty"`   // as_written or charges_positive
	OwnAccounts  []string          `json:"own_accounts,omitempty"`
	Rules        []categorise.Rule `json:"rules,omitempty"`
}

// OpeningBalance is the balance of a file's account before its first row, in minor units.
type OpeningBalance struct {
	File     string `json:"file"`
	Currency string `json:"currency"`
	Minor    int64  `json:"amount_minor"`
}

// InputError says which field of a request is wrong and what to do.
type InputError struct {
	Field, Detail string
}

func (e *InputError) Error() string { return e.Field + ": " + e.Detail }

// check completes the options.
func (o *Options) check(inputs []bank.Source) error {
	o.Currency = strings.ToUpper(o.Currency)
	if o.Currency != "" && !currency.Known(o.Currency) {
		return &InputError{"options.currency", fmt.Sprintf("%q is no currency of ISO 4217", o.Currency)}
	}

	if o.FormYear == 0 {
		o.FormYear = chart.DefaultFormYear
	}
	if o.FormYear < 2000 || o.FormYear > 2099 {
		return &InputError{"options.form_year", fmt.Sprintf("%d is no year of a form", o.FormYear)}
	}

	return o.checkChoices(inputs)
}

func (o *Options) checkChoices(inputs []bank.Source) error {
	if o.Sign != "" && o.Sign != bank.SignAsWritten && o.Sign != bank.SignChargesPositive {
		return &InputError{"options.sign", fmt.Sprintf("is %s or %s", bank.SignAsWritten, bank.SignChargesPositive)}
	}

	for i, rule := range o.Rules {
		if err := checkRule(rule); err != nil {
			return &InputError{fmt.Sprintf("options.rules[%d]", i), err.Error()}
		}
	}
	return o.checkOpening(inputs)
}

func checkRule(rule categorise.Rule) error {
	if len(categorise.Words(rule.Match)) == 0 {
		return fmt.Errorf("match holds no word")
	}
	if !chart.Known(rule.Category) {
		return fmt.Errorf("%q is no category", rule.Category)
	}
	return nil
}

func (o *Options) checkOpening(inputs []bank.Source) error {
	names := map[string]bool{}
	for _, input := range inputs {
		names[input.Name] = true
	}

	for i, opening := range o.Opening {
		field := fmt.Sprintf("options.opening_balances[%d]", i)
		if !names[opening.File] {
			return &InputError{field, fmt.Sprintf("no file is named %q", opening.File)}
		}
		if !currency.Known(opening.Currency) {
			return &InputError{field, fmt.Sprintf("%q is no currency of ISO 4217", opening.Currency)}
		}
	}
	return nil
}
