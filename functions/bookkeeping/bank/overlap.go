package bank

import (
	"fmt"
	"slices"
	"strings"
)

// Merge leaves out of later files the rows that an earlier file of the same account holds. Equal rows
// within one file stay: two coffees on a day are two.
func Merge(files []*File) {
	for i, later := range files {
		for _, earlier := range files[:i] {
			if sameAccount(earlier, later) {
				later.joinAccount(earlier)
			}
		}
	}
}

// joinAccount leaves out the rows that an earlier export of the same account holds, and notes that both
// are one account if rows or their own words say so.
func (f *File) joinAccount(earlier *File) {
	rows := len(f.Rows)
	f.dropRowsOf(earlier)

	isNamed := f.Account != "" && f.Account == earlier.Account
	if isNamed || len(f.Rows) < rows {
		f.SameAs = earlier.SameAs
		if f.SameAs == "" {
			f.SameAs = earlier.Name
		}
	}
}

// sameAccount reports whether two files can be exports of one account.
func sameAccount(one, two *File) bool {
	if one.Format != two.Format || one.Delimiter != two.Delimiter {
		return false
	}
	if one.Account != "" && two.Account != "" {
		return one.Account == two.Account
	}

	accountOne, accountTwo := onlyAccount(one), onlyAccount(two)
	return accountOne == accountTwo
}

// onlyAccount is the account that all rows of a file name.
func onlyAccount(f *File) string {
	names := map[string]bool{}
	for _, row := range f.Rows {
		names[row.Account] = true
	}
	if len(names) != 1 {
		return ""
	}
	for name := range names {
		return name
	}
	return ""
}

// dropRowsOf leaves out the rows that both files hold, if they agree about the days that both cover.
func (f *File) dropRowsOf(earlier *File) {
	from, to, overlaps := sharedDays(earlier, f)
	if !overlaps {
		return
	}

	known := map[string][]int{} // lines of the earlier file
	inside := 0
	for _, row := range earlier.Rows {
		if n := row.Day.Number(); n >= from && n <= to {
			known[row.key()] = append(known[row.key()], row.Line)
			inside++
		}
	}

	shared := f.sharedRows(known)
	if !agree(shared, inside, f.countBetween(from, to), from == to, f.hasBalances()) {
		return
	}
	f.drop(earlier.Name, known)
}

// key is what two exports say alike about a row.
func (r Row) key() string {
	balance := ""
	if r.HasBalance {
		balance = fmt.Sprint(r.Balance)
	}
	parts := []string{r.Day.String(), fmt.Sprint(r.Minor), r.Currency, strings.ToLower(r.Description), r.ID, balance}
	return strings.Join(parts, "\x1f")
}

func sharedDays(one, two *File) (from, to int, overlaps bool) {
	firstOne, lastOne := daysOf(one)
	firstTwo, lastTwo := daysOf(two)
	from, to = max(firstOne, firstTwo), min(lastOne, lastTwo)
	return from, to, len(one.Rows) > 0 && len(two.Rows) > 0 && from <= to
}

func daysOf(f *File) (first, last int) {
	for i, row := range f.Rows {
		n := row.Day.Number()
		if i == 0 || n < first {
			first = n
		}
		if i == 0 || n > last {
			last = n
		}
	}
	return first, last
}

func (f *File) countBetween(from, to int) int {
	count := 0
	for _, row := range f.Rows {
		if n := row.Day.Number(); n >= from && n <= to {
			count++
		}
	}
	return count
}

func (f *File) hasBalances() bool {
	return slices.ContainsFunc(f.Rows, func(r Row) bool { return r.HasBalance || r.ID != "" })
}

// sharedRows counts the rows that a file shares with another.
func (f *File) sharedRows(known map[string][]int) int {
	left := map[string]int{}
	for key, lines := range known {
		left[key] = len(lines)
	}

	shared := 0
	for _, row := range f.Rows {
		if key := row.key(); left[key] > 0 {
			left[key]--
			shared++
		}
	}
	return shared
}

// agree reports whether two files tell the same story of the days that both cover. Exports may begin and
// end within a day; rows with a balance or a number of their own are never equal by chance.
func agree(shared, earlier, later int, oneDay, distinct bool) bool {
	fewer := min(earlier, later)
	if shared == 0 || fewer == 0 {
		return false
	}
	if distinct {
		return true
	}
	if oneDay && fewer < 2 {
		return false
	}
	return shared*10 >= fewer*8
}

// drop leaves out known rows, each as often as the other file holds it.
func (f *File) drop(other string, known map[string][]int) {
	kept := f.Rows[:0]
	for _, row := range f.Rows {
		lines := known[row.key()]
		if len(lines) == 0 {
			kept = append(kept, row)
			continue
		}
		known[row.key()] = lines[1:]
		f.skip(row.Line, fmt.Sprintf("the same row is line %d of %s", lines[0], other))
	}
	f.Rows = kept
}
