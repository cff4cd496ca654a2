package textkit

// scope is the state of negation while the words of a clause are read.
type scope struct {
	words []Word
	first int // place of the first word

	negated  bool
	required bool // a negation was taken back

	denied      int  // place of the last negator
	verbs       int  // verbs since then
	preposition bool // the last negator is "without"
	aside       bool // the last negator is that of "not by the agent" between commas
	inRelative  bool // "that" or "which" was read
	relative    bool // the last negator stands behind it
}

// readScope reads words[from:to].
func readScope(words []Word, from, to int) *scope {
	s := &scope{
		words:  words,
		first:  from,
		denied: from,
	}
	for i := from; i < to; i++ {
		s.read(i)
	}
	return s
}

func (s *scope) negate() {
	s.required = s.required || s.negated
	s.negated = !s.negated
}

func (s *scope) polarity() Polarity {
	switch {
	case s.negated:
		return Denied
	case s.required:
		return Required
	}
	return Affirmed
}

func (s *scope) read(i int) {
	w := s.words[i]
	if s.aside && w.Break != "" {
		s.negated, s.aside = false, false
	}
	if s.negated && s.readNegated(i) {
		return
	}

	switch {
	case IsNegator(s.words, i):
		s.readNegator(i)
	case opensRelative(w):
		s.inRelative = i > s.first && !IsAuxiliary(s.words[i-1])
		s.verbs++
	case s.opensClause(i):
		s.verbs++
	}
}

// opensClause reports a verb, or a subject that has one: "no call that we do not log".
func (s *scope) opensClause(i int) bool {
	w := s.words[i]
	if personal[w.Lower] {
		return i > s.first
	}
	return !IsAuxiliary(w) && isFinite(s.words, i)
}

// readNegated reads a word under a negation; false means that it has no meaning for the negation.
func (s *scope) readNegated(i int) bool {
	switch {
	case goesOn(s.words, i):
		s.verbs = 0 // one of a list: "no logs, no gates"
	case isException(s.words, i):
		s.negated, s.required = false, true
	case s.endsAt(i):
		s.negated = false
	default:
		return false
	}
	return true
}

// endsAt reports whether a verb goes on with what stood before the negation: "calls without a key
// are rejected", "commits that are not signed are rejected".
func (s *scope) endsAt(i int) bool {
	if IsNegator(s.words, i) {
		return false
	}
	if s.preposition {
		return isFinite(s.words, i)
	}
	return s.relative && i > s.denied+1 && IsAuxiliary(s.words[i])
}

func (s *scope) readNegator(i int) {
	if !s.negated || s.verbs > 0 {
		s.negate()
	}

	s.verbs = 0
	s.preposition = s.words[i].Lower == "without"
	s.relative = s.inRelative
	s.denied = i
	s.aside = isAside(s.words, i)
}

// isAside reports "not" between commas that denies only the phrase behind it: "applied by the
// pipeline, not by the agent, and ...".
func isAside(words []Word, at int) bool {
	if words[at].Lower != "not" || words[at].Break != "," || at+1 >= len(words) {
		return false
	}
	return asides[words[at+1].Lower]
}

var asides = setOf("by from in on at the a an with for to")

// goesOn reports whether a negator continues a list of denials.
func goesOn(words []Word, at int) bool {
	w := words[at]
	if w.Lower == "nor" {
		return true
	}
	if w.Lower != "no" && w.Lower != "without" && w.Lower != "not" {
		return false
	}

	before := words[at-1].Lower
	return w.Break == "," || before == "and" || before == "or"
}
