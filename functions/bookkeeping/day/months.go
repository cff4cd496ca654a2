package day

import (
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// monthNames are the months in the languages of the banks, without accents. An abbreviation of at
// least three letters is enough where it means one month.
var monthNames = [12]string{
	"january jan januar januari janvier enero gennaio janeiro styczen stycznia tammikuu jaenner janner leden",
	"february feb februar februari fevrier febrero febbraio fevereiro luty lutego helmikuu fev unor",
	"march mar marz maerz maart mars marzo marco marzec marca maaliskuu mrz mrt brezen",
	"april apr avril abril aprile kwiecien kwietnia huhtikuu avr abr duben",
	"may mai mei mayo maggio maio maj maja toukokuu mag kveten",
	"june jun juni juin junio giugno junho czerwiec czerwca kesakuu giu cerven",
	"july jul juli juillet julio luglio julho lipiec lipca heinakuu lug cervenec",
	"august aug augustus aout agosto sierpien sierpnia augusti elokuu ago srpen",
	"september sep septembre septiembre settembre setembro wrzesien wrzesnia syyskuu set sept zari",
	"october oct oktober octobre octubre ottobre outubro pazdziernik pazdziernika lokakuu ott out okt rijen",
	"november nov novembre noviembre novembro listopad listopada marraskuu",
	"december dec dezember decembre diciembre dicembre dezembro grudzien grudnia joulukuu dic dez prosinec",
}

// months maps names and abbreviations; 0 marks an abbreviation of two months.
var months = sync.OnceValue(func() map[string]int {
	all := map[string]int{}
	for i, names := range monthNames {
		for name := range strings.FieldsSeq(names) {
			all[name] = i + 1
		}
	}

	for i, names := range monthNames {
		for name := range strings.FieldsSeq(names) {
			addAbbreviations(all, name, i+1)
		}
	}
	return all
})

func addAbbreviations(all map[string]int, name string, month int) {
	for length := 3; length < len(name) && length <= 4; length++ {
		short := name[:length]
		known, taken := all[short]
		if taken && known != month {
			if !isWhole(short, known) {
				all[short] = 0
			}
			continue
		}
		all[short] = month
	}
}

// isWhole reports whether an abbreviation stands in the list itself.
func isWhole(short string, month int) bool {
	if month == 0 {
		return false
	}
	return strings.Contains(" "+monthNames[month-1]+" ", " "+short+" ")
}

// monthOf is the month of a word, 0 for other words.
func monthOf(word string) int {
	if len(word) < 3 {
		return 0
	}
	return months()[withoutAccents(word)]
}

func withoutAccents(word string) string {
	isPlain := true
	for i := range len(word) {
		isPlain = isPlain && word[i] < 0x80
	}
	if isPlain {
		return word
	}

	return strings.Map(func(r rune) rune {
		if r >= 0x300 && r < 0x370 {
			return -1
		}
		if r == 'ł' {
			return 'l'
		}
		return r
	}, norm.NFD.String(word))
}
