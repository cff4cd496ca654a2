package conflict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"governance.internal/functions/agent-therapy/words"
)

// bound is what a number says about a quantity.
type bound int

const (
	exactly bound = iota
	atMost
	atLeast
)

// quantity is a number with a unit that a directive demands.
type quantity struct {
	*candidate
	bound   bound
	value   float64
	unit    string
	subject []string
	text    string
}

// numbers finds quantities that differ.
func (f *finder) numbers() {
	byUnit := map[string][]quantity{}
	var units []string
	for _, c := range f.all {
		for _, q := range quantitiesOf(c) {
			if byUnit[q.unit] == nil {
				units = append(units, q.unit)
			}
			byUnit[q.unit] = append(byUnit[q.unit], q)
		}
	}

	rare := f.rareForms()
	for _, unit := range units {
		list := byUnit[unit]
		for i, a := range list {
			if f.full() {
				return
			}
			for _, b := range list[i+1:] {
				f.compareQuantities(a, b, rare)
			}
		}
	}
}

func (f *finder) compareQuantities(a, b quantity, rare map[string]bool) {
	isSame := sameQuantity(a, b) || linked(a, b, rare)
	if !incompatible(a, b) || !isSame || !sameCase(a.Directive, b.Directive) {
		return
	}
	why := fmt.Sprintf("The two instructions set different values for the same quantity: %s and %s.", a.text, b.text)
	f.report(a.candidate, b.candidate, "number", why, "")
}

// mostSentences is how many sentences of all documents name a thing that is rare.
const mostSentences = 3

// rareForms returns the things that only few sentences name.
func (f *finder) rareForms() map[string]bool {
	sentences := map[string]map[int]bool{}
	for i, c := range f.all {
		for _, form := range append([]string{c.Action}, c.Things...) {
			if sentences[form] == nil {
				sentences[form] = map[int]bool{}
			}
			sentences[form][f.first(f.all[i])] = true
		}
	}

	rare := map[string]bool{}
	for form, in := range sentences {
		rare[form] = len(in) <= mostSentences && !words.Broad(form)
	}

	return rare
}

// linked reports whether two quantities of one unit are about a thing that hardly anything else in the
// documents is about, and that both call by the same name.
func linked(a, b quantity, rare map[string]bool) bool {
	if isOpen(a) || isOpen(b) {
		return false
	}
	n := 0
	for _, form := range a.subject {
		if rare[form] && slices.Contains(b.subject, form) && sameKind(a.Core, b.Core, form) {
			n++
		}
	}

	return n > 0
}

// isOpen reports whether a prohibition sets no upper bound, so that what it wants is not known.
func isOpen(q quantity) bool { return q.Negative && q.bound != atMost }

// sameKind reports whether the words in front of a thing do not tell two kinds of it apart: "access token"
// and "refresh token".
func sameKind(a, b []words.Token, form string) bool {
	kindA, kindB := kindOf(a, form), kindOf(b, form)
	return kindA == "" || kindB == "" || kindA == kindB
}

// kindOf returns the word directly in front of a thing that says which kind it is; empty without.
func kindOf(tokens []words.Token, form string) string {
	for i, t := range tokens {
		if t.Form != form || i == 0 {
			continue
		}
		before := tokens[i-1]
		if !before.Mark && !words.Empty(before.Lower) && !before.Act {
			return before.Form
		}
	}

	return ""
}

// incompatible reports whether two bounds cannot both be the rule.
func incompatible(a, b quantity) bool {
	if a.value == b.value {
		return false
	}
	low, high := a, b
	if low.value > high.value {
		low, high = high, low
	}
	if low.bound == high.bound {
		return true
	}
	return low.bound != atLeast && high.bound != atMost || low.bound == exactly && high.bound == atLeast
}

// sameQuantity reports whether two numbers measure the same thing.
func sameQuantity(a, b quantity) bool {
	if strings.HasPrefix(a.unit, "version of ") {
		return !a.Negative && !b.Negative
	}

	if len(a.subject) == 0 || len(b.subject) == 0 {
		return measureAnything(a, b)
	}

	ofA := share(a.subject, b.subject)
	ofB := share(b.subject, a.subject)
	return max(ofA, ofB) >= 0.6 && min(ofA, ofB) >= 0.5
}

// measureAnything reports whether two quantities, of which one does not say what it is about, are the same.
func measureAnything(a, b quantity) bool {
	if !isAllAmbient(a.subject) || !isAllAmbient(b.subject) {
		return false
	}
	return measuring()[a.unit] || a.Action == b.Action
}

// isAllAmbient reports whether nothing is measured but what everything is about, such as an answer.
func isAllAmbient(subject []string) bool {
	return !slices.ContainsFunc(subject, func(form string) bool { return !isAmbient([]string{form}) })
}

// measuring are units that say by themselves what is measured.
var measuring = sync.OnceValue(func() map[string]bool { return formsOf("space word sentence paragraph") })

// sizeWords belong to a bound and not to what is measured.
var sizeWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, form := range words.Forms(boundWords) {
		set[form] = true
	}
	return set
})

const boundWords = `maximum minimum max min limit length size number amount count most least up stay keep set take
	make give use have write exceed below above under over long short more fewer no threshold target ceiling cap value
	default reach hold require need begin total run contain consist with`

// quantitiesOf returns the numbers of a directive.
func quantitiesOf(c *candidate) []quantity {
	var all []quantity
	label := len(c.Whole) - len(c.Core)
	for i, t := range c.Whole {
		value, ok := numberOf(t)
		if !ok || i < label {
			continue
		}
		unit, last := unitOf(c.Whole, i, t)
		if version := versionUnit(c.Whole, i); version != "" {
			unit, last = version, i
		}
		if unit == "" {
			unit = impliedUnit(c.Whole)
		}
		if unit == "" {
			continue
		}
		all = append(all, quantity{
			candidate: c,
			bound:     boundAt(c.Whole, i, last, c.Negative),
			value:     value * factorOf(unit),
			unit:      baseUnit(unit),
			subject:   measured(c, i, last),
			text:      strings.TrimSpace(t.Text + " " + c.Whole[last].Text),
		})
	}

	if len(all) > 1 {
		all = slices.DeleteFunc(all, func(q quantity) bool { return q.unit != "time" && q.unit != "size" })
	}
	if len(all) > 1 {
		return nil // a sentence with several numbers compares or lists
	}

	return all
}

// numerals are numbers in words.
var numerals = map[string]float64{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
	"nine": 9, "ten": 10, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40,
	"several": 2, "multiple": 2, "fifty": 50, "sixty": 60, "hundred": 100, "once": 1, "twice": 2,
}

// numberOf returns the number that a token is.
func numberOf(t words.Token) (float64, bool) {
	if t.Mark {
		return 0, false
	}
	if n, ok := numerals[t.Lower]; ok {
		return n, true
	}

	text := strings.TrimLeft(strings.TrimSuffix(t.Lower, "%"), "$€£")
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz")
	digits = strings.ReplaceAll(strings.Trim(digits, "~<>=-"), ",", "")
	n, err := strconv.ParseFloat(digits, 64)
	return n, err == nil && n < 1e12
}

// scale is a unit in terms of the base that it is counted in.
type scale struct {
	base   string
	factor float64
}

// measures are the units of time and of size by their normal forms.
var measures = sync.OnceValue(func() map[string]scale {
	table := map[string]scale{}
	for unit, seconds := range map[string]float64{
		"ms": 0.001, "s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600,
		"day": 86400, "week": 604800, "month": 2592000, "year": 31536000,
	} {
		table[formOf(unit)] = scale{"time", seconds}
	}
	for unit, kilobytes := range map[string]float64{"kb": 1, "mb": 1024, "gb": 1048576} {
		table[unit] = scale{"size", kilobytes}
	}
	return table
})

// factorOf returns the factor of a unit; 1 for one that is only counted.
func factorOf(unit string) float64 {
	if m, ok := measures()[unit]; ok {
		return m.factor
	}
	return 1
}

// baseUnit returns what a unit is counted in.
func baseUnit(unit string) string {
	if m, ok := measures()[unit]; ok {
		return m.base
	}
	return unit
}

// isMeasure reports whether a normal form is a unit of time or of size.
func isMeasure(form string) bool { return measures()[form].base != "" }

const percent = "percent"

// versioned are names that a version follows.
var versioned = map[string]bool{
	"python": true, "node": true, "node.js": true, "nodejs": true, "go": true, "java": true, "ruby": true, "php": true, "postgres": true, "postgresql": true, "react": true, "django": true,
	"kubernetes": true, "typescript": true, "rust": true, "version": true, "angular": true, "vue": true, "mysql": true, "jdk": true, "swift": true, "rails": true, "terraform": true, "android": true, "ios": true,
}

// versionUnit returns the unit of a version: the name before the number; empty for other numbers.
func versionUnit(tokens []words.Token, at int) string {
	if at == 0 || !versioned[tokens[at-1].Lower] {
		return ""
	}
	return "version of " + tokens[at-1].Lower
}

// unitOf returns the unit of the number at an index and the index of its last token.
func unitOf(tokens []words.Token, at int, t words.Token) (string, int) {
	if unit := unitInside(t); unit != "" {
		return unit, at
	}

	behind := tokens[at+1 : min(len(tokens), at+3)]
	for n, next := range behind {
		i := at + 1 + n
		switch {
		case next.Text == "%" || next.Lower == "percent":
			return percent, i
		case endsQuantity(next):
			return "", at
		case isUnit(next) || t.Lower == "one" && isSingular(next):
			return next.Form, i
		}
	}

	return "", at
}

// impliedUnit returns the unit of what is measured in one unit only: a line in characters, coverage
// in percent; empty for anything else.
func impliedUnit(tokens []words.Token) string {
	has := func(names ...string) bool {
		return slices.ContainsFunc(tokens, func(t words.Token) bool { return slices.Contains(names, t.Lower) })
	}
	switch {
	case has("line", "lines") && has("length", "width", "long", "longer", "wide", "wider"):
		return formOf("characters")
	case has("coverage"):
		return percent
	}

	return ""
}

// currencies are the signs in front of amounts.
var currencies = map[string]string{"$": "dollar", "€": "euro", "£": "pound"}

// unitInside returns the unit of a number that is written in one word: "80%", "30s"; empty without.
func unitInside(t words.Token) string {
	if strings.HasSuffix(t.Lower, "%") {
		return percent
	}
	for sign, name := range currencies {
		if strings.HasPrefix(t.Lower, sign) {
			return name
		}
	}
	letters := strings.TrimLeft(t.Lower, "0123456789.,")
	if letters == t.Lower {
		return ""
	}
	if unit, isJoined := strings.CutPrefix(letters, "-"); isJoined {
		return formOf(unit)
	}

	return letters
}

// endsQuantity reports whether a word cannot stand between a number and its unit.
func endsQuantity(t words.Token) bool {
	if t.Mark {
		return true
	}
	return words.Empty(t.Lower) && t.Lower != "more" && t.Lower != "times"
}

// isSingular reports whether a word may be the unit of one.
func isSingular(t words.Token) bool { return t.Lower != "one" && !t.Act }

func isUnit(t words.Token) bool {
	plural := strings.HasSuffix(t.Lower, "s") && !strings.HasSuffix(t.Lower, "ss") || isMeasure(t.Form)
	return plural && !t.Code
}

// boundAt returns the bound that words around a number set.
func boundAt(tokens []words.Token, first, last int, negative bool) bound {
	from, to := max(0, first-4), min(len(tokens), last+4)
	text := ""
	for _, t := range tokens[from:to] {
		text += " " + t.Lower
	}
	text += " "

	switch {
	case containsAny(text, " at most ", " up to ", " no more than ", " not more than ", " maximum ", " max ", " under ", " below ", " fewer than ", " less than ", " no longer than ", " not exceed ", " exceed ", " limit ", " within ", " or fewer ", " or less ", " shorter than ", " not longer than ", " limited to "):
		return atMost
	case containsAny(text, " at least ", " minimum ", " min ", " above ", " more than ", " no fewer than ", " no less than ", " over ", " beyond ", " or more ", " longer than ", " or later ", " or newer ", " or higher ", " and later ", " and newer ", " and above "):
		if negative || turnsAway(tokens) {
			return atMost // "must not be longer than", "refuse what is longer than"
		}
		return atLeast
	}

	return exactly
}

// turnsAway reports whether words say that something is not accepted.
func turnsAway(tokens []words.Token) bool {
	return slices.ContainsFunc(tokens, func(t words.Token) bool { return t.Form == "reject" })
}

func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// measured returns the words that say what a number is about.
func measured(c *candidate, first, last int) []string {
	var subject []string
	unit := c.Whole[last].Form

	for i, t := range c.Whole {
		isQuantity := i >= first && i <= last
		if isQuantity || !isMeasured(t) || t.Form == unit {
			continue
		}
		subject = appendOnce(subject, t.Form)
	}

	return narrowed(subject)
}

// isMeasured reports whether a word may say what a number is about.
func isMeasured(t words.Token) bool {
	if t.Mark || words.Empty(t.Lower) || sizeWords()[t.Form] {
		return false
	}
	_, isNumber := numberOf(t)
	return !isNumber && !strings.ContainsAny(t.Form, "0123456789%")
}

// narrowed drops broad words if others remain.
func narrowed(subject []string) []string {
	var narrow []string
	for _, form := range subject {
		if !words.Broad(form) && form != "user" {
			narrow = append(narrow, form)
		}
	}
	if len(narrow) > 0 {
		return narrow
	}

	return subject
}
