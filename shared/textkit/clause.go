package textkit

import "strings"

// Clause is a part of a sentence with a verb of its own, or what stands before a colon.
type Clause struct {
	Words []Word

	// First is the place of the first word in the words of the sentence.
	First int

	// Link is the word that joins the clause to what stands before it: "and", "because",
	// "unless", "which"; "" for the first clause and after a semicolon.
	Link string

	// Label says that the clause is a name before a colon or a question mark: "Logs: none".
	Label bool
}

// Span returns the part of the text that the clause covers.
func (c Clause) Span() Span {
	if len(c.Words) == 0 {
		return Span{}
	}
	return Span{c.Words[0].Start, c.Words[len(c.Words)-1].End}
}

// Links that start a clause wherever they stand.
var (
	contrasts    = setOf("but whereas although though because however")
	conditions   = setOf("if when whenever unless until till once after before while")
	coordinators = setOf("and or so yet then nor")
	reasons      = setOf("as since for")
	relatives    = setOf("which who whose where")
)

// Clauses splits words of one sentence into clauses.
func Clauses(words []Word) []Clause {
	var all []Clause
	start := 0
	for i := 1; i < len(words); i++ {
		if !startsClause(words, start, i) {
			continue
		}
		all = append(all, clauseOf(words, start, i))
		start = i
	}

	if start < len(words) {
		all = append(all, clauseOf(words, start, len(words)))
	}
	return all
}

func clauseOf(words []Word, start, end int) Clause {
	c := Clause{
		Words: words[start:end],
		First: start,
	}

	first := words[start].Lower
	if contrasts[first] || conditions[first] || coordinators[first] || relatives[first] {
		c.Link = first
	}
	c.Label = end < len(words) && words[end].Break == ":" && !HasVerb(c.Words)
	return c
}

// startsClause reports whether a clause starts at a place after another that starts at start.
func startsClause(words []Word, start, at int) bool {
	w := words[at]
	switch w.Break {
	case ";", ":", ".", "?", "!", "|", "[", "]":
		return true
	case "-", "(", ")":
		return HasVerb(words[at:]) || HasVerb(words[start:at])
	}

	if contrasts[w.Lower] {
		return !exceptsFrom(words, at)
	}
	rest := words[at:nextBreak(words, at)]
	if conditions[w.Lower] || relatives[w.Lower] {
		return HasVerb(rest)
	}
	if coordinators[w.Lower] {
		return coordinates(words, start, at)
	}
	if w.Break == "," {
		return reasons[w.Lower] || opensClause(words, start, at)
	}
	return endsCondition(words, start, at)
}

// endsCondition reports whether the main clause begins at a place, behind a condition without a
// comma: "if nothing was found it says so".
func endsCondition(words []Word, start, at int) bool {
	if !conditions[words[start].Lower] || at+1 >= len(words) {
		return false
	}
	return personal[words[at].Lower] && at > start+1 && HasVerb(words[start:at]) && isFinite(words, at+1)
}

var personal = setOf("i you he she it we they")

// exceptsFrom reports whether "but" takes something out: "anything but", "nobody but".
func exceptsFrom(words []Word, at int) bool {
	before := words[at-1].Lower
	return words[at].Lower == "but" && (strings.HasPrefix(before, "any") || strings.HasPrefix(before, "no"))
}

// coordinates reports whether "and", "or" and the like join a clause, and not only a noun.
func coordinates(words []Word, start, at int) bool {
	if at+1 >= len(words) || !HasVerb(words[start:at]) {
		return false
	}
	if words[at].Lower == "so" && words[at].Break != "" {
		return true
	}
	return opensPredicate(words, at+1) || opensSubject(words, at+1)
}

// opensPredicate reports whether a verb, or its negation, stands at a place.
func opensPredicate(words []Word, at int) bool {
	w := words[at].Lower
	return negators[w] || w == "then" || isFinite(words, at)
}

// opensSubject reports whether a subject and its verb begin at a place.
func opensSubject(words []Word, at int) bool {
	if !subjects[words[at].Lower] {
		return false
	}
	rest := words[at:nextBreak(words, at)]
	return HasVerb(rest[:min(len(rest), 8)])
}

// opensClause reports whether what stands after a comma is a clause.
func opensClause(words []Word, start, at int) bool {
	if !HasVerb(words[start:at]) {
		return false
	}
	if auxiliaries[words[at].Lower] {
		return true
	}

	return opensSubject(words, at)
}

// nextBreak returns the place of the next word after at that has punctuation before it.
func nextBreak(words []Word, at int) int {
	for i := at + 1; i < len(words); i++ {
		if words[i].Break != "" {
			return i
		}
	}
	return len(words)
}
