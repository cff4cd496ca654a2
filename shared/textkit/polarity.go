package textkit

import "strings"

// Polarity says what a sentence claims about one of its words.
type Polarity int

// The polarities.
const (
	// Affirmed is the case without negation.
	Affirmed Polarity = iota

	// Denied is the case under a negation: "there is no approval".
	Denied

	// Required is the case of what a negated clause makes a condition, and of a double
	// negation: "nothing ships without approval", "no call goes unrecorded".
	Required
)

// negators deny what follows in their clause.
var negators = setOf(`no not never none nobody nothing neither nor nowhere cannot hardly rarely seldom lack lacks lacking lacked without
no-one nope isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't couldn't mustn't shouldn't won't wouldn't missing absent`)

// emptyNo are words with which "no" denies nothing: "no matter", "no further".
var emptyNo = setOf("further matter wonder doubt problem worries later sooner other")

// exceptions turn what follows a negation into a condition.
var exceptions = setOf(`without unless until till except excepting before save besides only`)

// IsNegator reports whether the word at a place denies what follows. "Not only" does not, and
// neither does "nothing else".
func IsNegator(words []Word, at int) bool {
	w := words[at].Lower
	switch w {
	case "question":
		return startsAt(words, at-2, "of", "the", "question") // "out of the question"
	case "wrong", "false", "untrue", "impossible", "forbidden", "prohibited", "unthinkable":
		return opensClaim(words, at+1) // "wrong to say that", "impossible for the agent to"
	}

	if !isNo(w) || at+1 == len(words) {
		return isNo(w)
	}
	if w == "not" && isSetAgainst(words, at) {
		return false
	}
	return !isEmptyNegator(w, words[at+1].Lower)
}

// opensClaim reports whether what is denied follows: "to ...", "that ...", "for ... to".
func opensClaim(words []Word, at int) bool {
	if at >= len(words) {
		return false
	}
	next := words[at].Lower
	return next == "to" || next == "that" || next == "for"
}

func isNo(w string) bool { return negators[w] || strings.HasSuffix(w, "n't") }

// isEmptyNegator reports whether a negator denies nothing before a word.
func isEmptyNegator(w, next string) bool {
	switch w {
	case "no":
		return emptyNo[next]
	case "not":
		return next == "only" || next == "just" || next == "merely"
	case "nothing":
		return next == "else"
	}
	return false
}

// longestAside is how many words stand between commas behind "not" at most.
const longestAside = 4

// isSetAgainst reports whether "not" sets something against what stands before it, between commas: "the front
// end, not the model, prints ...".
func isSetAgainst(words []Word, at int) bool {
	if words[at].Break != "," {
		return false
	}
	for i := at + 2; i < min(len(words), at+2+longestAside); i++ {
		if words[i].Break == "," {
			return !HasVerb(words[at+1 : i])
		}
	}
	return false
}

// startsAt reports whether words in lower case stand at a place.
func startsAt(words []Word, at int, lower ...string) bool {
	if at < 0 || at+len(lower) > len(words) {
		return false
	}
	for i, w := range lower {
		if words[at+i].Lower != w {
			return false
		}
	}
	return true
}

// Scopes knows what is negated in a sentence.
type Scopes struct {
	Words   []Word
	Clauses []Clause
	owner   []int // word -> clause

	// deniesAll says that the sentence begins with a name such as "Missing controls:".
	deniesAll bool
}

// NewScopes reads the words of a sentence.
func NewScopes(words []Word) *Scopes {
	s := &Scopes{
		Words:   words,
		Clauses: Clauses(words),
	}
	for n, c := range s.Clauses {
		for range c.Words {
			s.owner = append(s.owner, n)
		}
	}

	if len(s.Clauses) > 1 && s.Clauses[0].Label {
		s.deniesAll = IsGapLabel(s.Clauses[0].Words)
	}
	return s
}

// mostLabel is how many words the name of a list has at most.
const mostLabel = 12

// IsGapLabel reports whether words name a list of what is not there: "Missing controls", "Not in
// place".
func IsGapLabel(words []Word) bool {
	if len(words) == 0 || len(words) > mostLabel {
		return false
	}
	return negators[words[0].Lower] || gaps.In(words)
}

var gaps = NewPhrases(`failing, failed control, missing, absent, lacking, gap, weakness, deficit, shortcoming, not in place, not implemented, not there, not available, do not have, don't have, without, not find, will not find, won't find, switched off, turned off, removed, gave up, got rid of, nowhere to be found, was missing, is missing`)

// start returns where the negations begin that govern a clause. A question word goes on with the
// clause before it: "we cannot see which model answered".
func (s *Scopes) start(clause int) int {
	for clause > 0 && relatives[s.Clauses[clause].Link] && s.Clauses[clause].Words[0].Break == "" {
		clause--
	}
	return s.Clauses[clause].First
}

// ClauseAt returns the number of the clause of a word.
func (s *Scopes) ClauseAt(at int) int { return s.owner[at] }

// Polarity returns the polarity of the word at a place, as the words before it in its clause make
// it. See [DeniedAfter] for what follows it.
func (s *Scopes) Polarity(at int) Polarity {
	own := s.owner[at]
	scope := readScope(s.Words, s.start(own), at)
	if s.deniesAll && own > 0 {
		scope.negate()
	}
	if isUn(s.Words[at]) {
		scope.negate()
	}

	scope.required = scope.required || s.isCondition(own)
	return scope.polarity()
}

// isCondition reports whether a clause is the condition of a denied one: "nothing is sent unless
// ...", "until ..., nothing is sent".
func (s *Scopes) isCondition(clause int) bool {
	if !exceptions[s.Clauses[clause].Link] {
		return false
	}
	if clause > 0 {
		return s.denies(clause - 1)
	}
	return len(s.Clauses) > 1 && s.denies(1)
}

// denies reports whether a clause ends under a negation.
func (s *Scopes) denies(clause int) bool {
	c := s.Clauses[clause]
	return readScope(s.Words, c.First, c.First+len(c.Words)).negated
}

// isException reports whether a word takes back a negation before it: "nothing but", "no one
// other than", "never without".
func isException(words []Word, at int) bool {
	w := words[at].Lower
	if exceptions[w] {
		return true
	}

	follows := at+1 < len(words)
	if w == "other" || w == "rather" {
		return follows && words[at+1].Lower == "than"
	}
	return at > 0 && exceptsFrom(words, at)
}

// isUn reports whether a word is the denial of a participle: "unlogged", "unrestricted".
func isUn(w Word) bool {
	rest, ok := strings.CutPrefix(w.Lower, "un")
	return ok && len(rest) > 4 && strings.HasSuffix(rest, "ed") && !strings.HasPrefix(rest, "i")
}

// WithoutUn returns the stem of the word that a denial such as "unlogged" denies.
func WithoutUn(w Word) (stem string, ok bool) {
	if !isUn(w) {
		return "", false
	}
	return Stem(w.Lower[2:]), true
}

// gone are predicates that deny their subject.
var gone = NewPhrases(`missing, absent, off, disabled, gone, none, nonexistent, non existent, impossible, unavailable, empty, not there,
switched off, turned off, commented out, abandoned, unknown, nowhere to be found, lost, anyone's guess, a mystery, a joke, wishful thinking`)

// mostBetween is how many words may stand between a subject and its verb.
const mostBetween = 5

// DeniedAfter reports whether a predicate behind a word denies it: "approval is not needed",
// "Logs: none". verb is the place of the word that is denied, or of the predicate.
func DeniedAfter(words []Word, at int) (verb int, denied bool) {
	end := min(len(words), at+1+mostBetween)
	for i := at + 1; i < end; i++ {
		w := words[i]
		switch {
		case endsLabel[w.Break]:
			return i, deniesLabel(words[i:])
		case w.Break != "", contrasts[w.Lower], opensRelative(w):
			return i, false
		case IsAuxiliary(w):
			return predicate(words, i)
		case isFinite(words, i):
			return at, false
		}
	}
	return at, false
}

func opensRelative(w Word) bool {
	return relatives[w.Lower] || w.Lower == "that" || w.Lower == "what"
}

// endsLabel is the punctuation between a name and its value.
var endsLabel = map[string]bool{":": true, "?": true, "-": true, "=": true, "|": true}

// predicate looks behind an auxiliary.
func predicate(words []Word, at int) (verb int, denied bool) {
	if isNo(words[at].Lower) || words[at].Lower == "cannot" {
		return mainVerb(words, at), true
	}

	for i := at + 1; i < len(words) && i <= at+3; i++ {
		if words[i].Break != "" {
			break
		}
		if IsNegator(words, i) {
			return mainVerb(words, i), true
		}
		if gone.At(words, i) > 0 {
			return i, true
		}
	}
	return at, false
}

// mainVerb returns the place of the verb behind a negator: "can't be reached", "has never been".
func mainVerb(words []Word, at int) int {
	i := at + 1
	for i < len(words)-1 && fillers[words[i].Lower] {
		i++
	}
	return min(i, len(words)-1)
}

var fillers = setOf("be been being ever even also longer yet to have")

// deniesLabel reports whether words are a denial as the value of a name: "none", "n/a", "not yet".
func deniesLabel(words []Word) bool {
	first := words[0].Lower
	if gone.At(words, 0) > 0 {
		return true
	}

	switch first {
	case "no", "none", "nope", "never", "nothing", "nobody", "not", "na", "n", "zero", "false", "without", "open", "unlimited", "unrestricted":
		return first != "no" || len(words) < 4 || words[1].Break != ""
	}
	if negators[first] {
		return true
	}
	return len(words) > 2 && pronouns[first] && negated(words[:min(len(words), 4)])
}

func negated(words []Word) bool {
	for i := range words {
		if IsNegator(words, i) {
			return true
		}
	}
	return false
}
