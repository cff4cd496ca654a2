package bank

import (
	"errors"
	"fmt"
	"strings"

	"governance.internal/functions/bookkeeping/amount"
	"governance.internal/functions/bookkeeping/currency"
)

// currencies of countries whose language a header is written in.
var currencies = map[string]string{
	"de": "EUR", "nl": "EUR", "fr": "EUR", "es": "EUR", "it": "EUR", "pt": "EUR", "fi": "EUR",
	"sv": "SEK", "da": "DKK", "pl": "PLN", "cs": "CZK", "en-gb": "GBP", "en-in": "INR",
}

// currencyOf is the currency of a record, and whether the file or the customer names it.
func (r *csvReader) currencyOf(d *draft) (code string, certain bool, err error) {
	if d.currency != "" {
		code, ok := currency.Of(d.currency)
		if !ok {
			return "", false, r.refuse(d.record.Line, "Which currency is it?", "%q is no currency of ISO 4217", d.currency)
		}
		return code, true, r.checkSign(d, code)
	}

	for _, cell := range []amount.Cell{d.amount, d.debit, d.credit} {
		if cell.Currency != "" && !cell.Dollar {
			return cell.Currency, true, nil
		}
	}
	return r.fileCurrency()
}

// checkSign refuses an amount whose sign is that of another currency than its column names.
func (r *csvReader) checkSign(d *draft, code string) error {
	for _, cell := range []amount.Cell{d.amount, d.debit, d.credit} {
		if cell.Currency != "" && !cell.Dollar && cell.Currency != code {
			return r.refuse(d.record.Line, "Which currency is it?", "the amount is in %s and its column says %s", cell.Currency, code)
		}
	}
	return nil
}

// fileCurrency is the currency of records that name none.
func (r *csvReader) fileCurrency() (code string, certain bool, err error) {
	if code := r.layout.headerCurrency(); code != "" {
		return code, true, nil
	}
	if r.settings.Currency != "" {
		return r.settings.Currency, true, nil
	}
	if format := r.layout.format; format != nil && format.Currency != "" {
		return format.Currency, true, nil
	}
	if code := r.statedCurrency(); code != "" {
		return code, true, nil
	}
	if code := currencyOfLocale(r.settings.Locale); code != "" {
		return code, true, nil
	}

	if code := currencies[r.layout.language]; code != "" {
		return code, false, nil
	}
	if r.style.Decimal == ',' {
		return "EUR", false, nil
	}
	return currency.Assumed, false, nil
}

// frequent are currencies whose codes are no words, so that they may stand beside a table or in the name
// of a file.
const frequent = " EUR GBP USD CHF SEK NOK DKK PLN CZK HUF CAD AUD NZD JPY INR SGD HKD ZAR BRL MXN CNY AED "

// statedCurrency is the only currency that stands above the header or in the name of the file.
func (r *csvReader) statedCurrency() string {
	if r.stated != nil {
		return *r.stated
	}

	texts := []string{r.Name}
	for _, record := range r.preamble {
		texts = append(texts, record.Cells...)
	}

	found := map[string]bool{}
	for _, text := range texts {
		for _, word := range strings.FieldsFunc(text, isNoLetter) {
			if len(word) == 3 && strings.Contains(frequent, " "+word+" ") {
				found[word] = true
			}
		}
		if cell, ok := amount.Read(text); ok && cell.Currency != "" && !cell.Dollar {
			found[cell.Currency] = true
		}
	}

	code := ""
	for word := range found {
		code = word
	}
	if len(found) > 1 {
		code = ""
	}
	r.stated = &code
	return code
}

func isNoLetter(r rune) bool { return !isLetter(r) }

// currencyOfLocale is the currency of the country of a locale.
func currencyOfLocale(locale string) string {
	_, country, _ := strings.Cut(strings.ReplaceAll(locale, "_", "-"), "-")
	switch strings.ToUpper(country) {
	case "US":
		return "USD"
	case "GB":
		return "GBP"
	case "IN":
		return "INR"
	case "CA":
		return "CAD"
	case "AU":
		return "AUD"
	case "NZ":
		return "NZD"
	case "CH":
		return "CHF"
	case "SE":
		return "SEK"
	case "DK":
		return "DKK"
	case "NO":
		return "NOK"
	case "PL":
		return "PLN"
	case "JP":
		return "JPY"
	case "DE", "AT", "FR", "ES", "IT", "NL", "BE", "IE", "PT", "FI":
		return "EUR"
	}
	return ""
}

// decideNumbers finds the separator of decimals for all money of the file.
func (r *csvReader) decideNumbers() error {
	decimals, err := r.decimals()
	if err != nil {
		return err
	}

	var cells []amount.Cell
	for i := range r.drafts {
		d := &r.drafts[i]
		for _, cell := range []amount.Cell{d.amount, d.debit, d.credit, d.balance, d.fee, d.net} {
			if !cell.Empty {
				cells = append(cells, cell)
			}
		}
	}

	r.style, err = amount.Infer(cells, decimals)
	var ambiguous *amount.Ambiguous
	if errors.As(err, &ambiguous) {
		return r.refuse(0,
			fmt.Sprintf("Is %s in the amount column a number of thousands, and which currency is it?", ambiguous.Samples[0]),
			"the amounts cannot be read for certain: %v", ambiguous)
	}
	if err != nil {
		return err
	}

	r.Decimal = string(r.style.Decimal)
	if r.style.Decimal == 0 {
		r.Decimal = ""
	}
	r.takeNotedBalances()
	return nil
}

// decimals is the number of minor-unit digits that all records share, or Unknown.
func (r *csvReader) decimals() (int, error) {
	shared := amount.Unknown
	for i := range r.drafts {
		code, certain, err := r.currencyOf(&r.drafts[i])
		if err != nil {
			return 0, err
		}

		digits := currency.Decimals(code)
		if digits == 0 {
			digits = 2 // neither has three decimals
		}
		if !certain || shared != amount.Unknown && shared != digits {
			return amount.Unknown, nil
		}
		shared = digits
	}
	return shared, nil
}

// minor reads a cell in minor units.
func (r *csvReader) minor(cell amount.Cell, code string) (int64, error) {
	if cell.Empty {
		return 0, nil
	}
	minor, err := r.style.Minor(cell, currency.Decimals(code))
	if err != nil {
		return 0, fmt.Errorf("the amount %q %w (%s)", cell.Body, err, code)
	}
	return minor, nil
}
