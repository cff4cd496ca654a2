// Package currency knows how many decimals a currency has and how banks write its name.
package currency

import "strings"

// Assumed is the currency of files in English that name none.
const Assumed = "USD"

// decimals holds the ISO 4217 codes with a number of minor units other than two.
var decimals = map[string]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0,
	"PYG": 0, "RWF": 0, "UGX": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
}

// cents are the ISO 4217 codes with two decimals.
const cents = " AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD" +
	" CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD" +
	" HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK" +
	" MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB" +
	" SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD" +
	" UYU UZS VES WST XCD YER ZAR ZMW ZWG "

// Known reports whether a code is one of ISO 4217 that money is held in.
func Known(code string) bool {
	if _, odd := decimals[code]; odd {
		return true
	}
	return len(code) == 3 && strings.Contains(cents, " "+code+" ")
}

// Decimals is the number of minor-unit digits of a currency.
func Decimals(code string) int {
	if n, odd := decimals[code]; odd {
		return n
	}
	return 2
}

// symbols are the signs that stand for one currency alone. "$" and "kr" stand for several.
var symbols = map[string]string{
	"€": "EUR", "£": "GBP", "₹": "INR", "₺": "TRY", "₽": "RUB", "₩": "KRW", "₪": "ILS", "₫": "VND",
	"₴": "UAH", "₦": "NGN", "₱": "PHP", "zł": "PLN", "kč": "CZK", "ft": "HUF", "r$": "BRL", "us$": "USD",
	"a$": "AUD", "c$": "CAD", "ca$": "CAD", "nz$": "NZD", "hk$": "HKD", "s$": "SGD", "mx$": "MXN",
	"fr.": "CHF", "sfr.": "CHF", "euro": "EUR", "euros": "EUR", "eur": "EUR", "rs.": "INR", "dollar": "USD",
}

// Of names the currency that a sign or code stands for. The dollar sign alone is the dollar of the
// United States unless the file says otherwise.
func Of(sign string) (code string, ok bool) {
	sign = strings.TrimSpace(sign)

	if upper := strings.ToUpper(sign); Known(upper) {
		return upper, true
	}
	if sign == "$" {
		return Assumed, true
	}

	code, ok = symbols[strings.ToLower(sign)]
	return code, ok
}

// Units writes minor units as a decimal number without grouping, for example -12.05.
func Units(minor int64, code string) string {
	digits := Decimals(code)
	sign := ""
	magnitude := uint64(minor)
	if minor < 0 {
		sign = "-"
		magnitude = -magnitude
	}

	text := uintText(magnitude)
	if digits == 0 {
		return sign + text
	}

	if missing := digits + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	point := len(text) - digits
	return sign + text[:point] + "." + text[point:]
}

func uintText(n uint64) string {
	if n == 0 {
		return "0"
	}
	var digits [20]byte
	at := len(digits)
	for ; n > 0; n /= 10 {
		at--
		digits[at] = byte('0' + n%10)
	}
	return string(digits[at:])
}
