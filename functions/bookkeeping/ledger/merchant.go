package ledger

import (
	"strings"

	"governance.internal/functions/bookkeeping/categorise"
)

// noise are words of payment systems in front of or behind a seller's name.
var noise = map[string]bool{
	"sq": true, "tst": true, "pos": true, "ach": true, "debit": true, "credit": true, "card": true, "purchase": true,
	"visa": true, "checkcard": true, "payment": true, "pymt": true, "recurring": true, "web": true, "online": true,
	"ppd": true, "ccd": true, "id": true, "des": true, "indn": true, "co": true, "inc": true, "llc": true, "ltd": true,
	"gmbh": true, "the": true, "com": true, "www": true, "sumup": true, "paypal": true, "pp": true, "cb": true,
	"prlv": true, "sepa": true, "vir": true, "lastschrift": true, "kartenzahlung": true, "dd": true, "auth": true,
	"withdrawal": true, "pending": true, "direct": true, "ref": true, "us": true, "usa": true, "ca": true, "ny": true,
}

// Merchant is a description without numbers, dates and the words of payment systems: the same for the
// purchases at one seller.
func Merchant(description string) string {
	var kept []string
	for _, word := range categorise.Words(description) {
		hasDigit := strings.ContainsAny(word, "0123456789")
		if hasDigit || noise[word] || len(word) < 2 {
			continue
		}
		kept = append(kept, word)
		if len(kept) == 4 {
			break
		}
	}

	if len(kept) == 0 {
		return strings.Join(categorise.Words(description), " ")
	}
	return strings.Join(kept, " ")
}
