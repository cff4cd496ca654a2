package ledger

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"governance.internal/functions/bookkeeping/bank"
)

// accountNames gives each account a name that journals accept: letters, digits and hyphens, beginning
// with a capital. Files of one account share it.
func accountNames(files []*bank.File) map[*bank.File]string {
	names := map[*bank.File]string{}
	byFile := map[string]string{}
	taken := map[string]bool{}

	for _, file := range files {
		if name, ok := byFile[file.SameAs]; ok && file.SameAs != "" {
			names[file] = name
			continue
		}

		root := "Assets:Bank:"
		if file.Card {
			root = "Liabilities:Card:"
		}
		leaf := leafOf(file.Name)
		name := root + leaf
		for n := 2; taken[leaf]; n++ {
			leaf = fmt.Sprintf("%s-%d", leafOf(file.Name), n)
			name = root + leaf
		}

		taken[leaf] = true
		byFile[file.Name] = name
		names[file] = name
	}
	return names
}

// holdsSeveral reports whether a file is the export of several accounts: its rows name more than one, and
// they are no numbers of cards.
func holdsSeveral(file *bank.File) bool {
	names := map[string]bool{}
	hasBalance := false
	for _, row := range file.Rows {
		names[row.Account] = true
		hasBalance = hasBalance || row.HasBalance
	}
	namesAccounts := hasBalance || file.Format == "ofx" || file.Format == "camt.053"
	return namesAccounts && len(names) > 1
}

// accountOf is the account of a row of a file.
func accountOf(row *bank.Row, name string, several bool) string {
	if !several || row.Account == "" {
		return name
	}
	return name + "-" + strings.TrimPrefix(leafOf(row.Account), prefix)
}

// prefix keeps the names of accounts apart from those of the chart.
const prefix = "File-"

// leafOf makes the last part of an account's name from the name of a file.
func leafOf(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	base = strings.TrimSuffix(base, path.Ext(base))

	var b strings.Builder
	upper := true
	for _, r := range base {
		isPlain := r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r))
		if !isPlain {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		upper = false
	}

	return prefix + b.String()
}
