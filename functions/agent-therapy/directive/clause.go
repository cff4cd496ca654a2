package directive

import (
	"slices"
	"strings"
	"unicode"

	"governance.internal/functions/agent-therapy/words"
)

// role is what a part of a clause says.
type role int

const (
	core    role = iota // what is to be done
	when                // when it holds: if, when, during
	except              // when it does not: unless, except
	without             // what is left out while doing it
	before              // what comes later
	after               // what comes earlier
	instead             // the option that is rejected
	reason              // why; no part of the instruction
	even                // in which case it holds nevertheless
	aside               // in brackets
)

// clause is a part of a sentence with one thing to be done.
type clause struct {
	parts [aside + 1][]words.Token
	place bool // the condition says where or for what: "in tests"
	only  bool // an exception is the only case, as in "only when asked"
	label []words.Token
}

// part returns the tokens of a role.
func (c *clause) part(r role) []words.Token { return c.parts[r] }

// starter begins a part of a clause.
type starter struct {
	phrase []string
	role   role
	only   bool
}

// starters hold longer phrases first.
var starters = []starter{
	{[]string{"only", "if"}, except, true},
	{[]string{"only", "when"}, except, true},
	{[]string{"only", "after"}, except, true},
	{[]string{"only", "with"}, except, true},
	{[]string{"only", "on"}, except, true},
	{[]string{"as", "long", "as"}, when, false},
	{[]string{"as", "soon", "as"}, when, false},
	{[]string{"even", "if"}, even, false},
	{[]string{"even", "when"}, even, false},
	{[]string{"regardless", "of"}, aside, false},
	{[]string{"no", "matter"}, aside, false},
	{[]string{"in", "case"}, when, false},
	{[]string{"in", "order", "to"}, reason, false},
	{[]string{"so", "that"}, reason, false},
	{[]string{"other", "than"}, except, false},
	{[]string{"apart", "from"}, except, false},
	{[]string{"aside", "from"}, except, false},
	{[]string{"instead", "of"}, instead, false},
	{[]string{"rather", "than"}, instead, false},
	{[]string{"as", "opposed", "to"}, instead, false},
	{[]string{"due", "to"}, reason, false},
	{[]string{"if"}, when, false},
	{[]string{"when"}, when, false},
	{[]string{"whenever"}, when, false},
	{[]string{"once"}, when, false},
	{[]string{"while"}, when, false},
	{[]string{"during"}, when, false},
	{[]string{"where"}, when, false},
	{[]string{"unless"}, except, false},
	{[]string{"except"}, except, false},
	{[]string{"excluding"}, except, false},
	{[]string{"until"}, except, false},
	{[]string{"till"}, except, false},
	{[]string{"with", "the", "exception", "of"}, except, false},
	{[]string{"without"}, without, false},
	{[]string{"with", "no"}, without, false},
	{[]string{"avoiding"}, without, false},
	{[]string{"before"}, before, false},
	{[]string{"prior", "to"}, before, false},
	{[]string{"after"}, after, false},
	{[]string{"following"}, after, false},
	{[]string{"because"}, reason, false},
	{[]string{"since"}, reason, false},
	{[]string{"otherwise"}, reason, false},
	{[]string{"or", "else"}, reason, false},
}

// splitter cuts the tokens of a sentence into clauses.
type splitter struct {
	tokens  []words.Token
	at      int
	clauses []clause
	current clause
	role    role
	leading bool // the part stands before the core, so a comma ends it
	setting bool // the part is a setting such as "in production", which no comma may end
	depth   int  // open brackets
	back    role // role outside the brackets
}

// clausesOf returns the clauses of a sentence.
func clausesOf(tokens []words.Token) []clause {
	s := &splitter{tokens: tokens}

	for s.at < len(tokens) {
		s.step()
	}

	s.finish()
	return s.clauses
}

// step reads one token, or the phrase that starts a part.
func (s *splitter) step() {
	t := s.tokens[s.at]

	switch {
	case t.Mark:
		s.mark(t)
		s.at++

	case s.depth == 0 && s.startsPart():
		return

	case s.depth == 0 && s.startsSetting(t):
		s.role, s.leading, s.setting = when, true, true
		s.current.place = true
		s.at++

	case s.setting && s.endsSetting(t):
		s.role, s.leading, s.setting = core, false, false
		s.take(t)

	case s.depth == 0 && s.startsClause():
		s.next()
		s.take(t)

	case s.endsCase(t):
		s.role = core
		s.take(t)

	case s.endsRejected(t):
		s.role = core
		s.take(t)

	default:
		s.take(t)
	}
}

// endsCase reports whether a token says what is the case of the subject, behind a condition that stands
// between the two: "calls during a task are fine".
func (s *splitter) endsCase(t words.Token) bool {
	isCase := s.role == when || s.role == without
	isBetween := isCase && !s.leading && len(s.current.part(s.role)) > 0 && s.tokens[s.at-1].Form != "be"
	return isBetween && predicates[t.Lower] && !s.currentSays()
}

// predicates are words with which a sentence says something of its subject.
var predicates = set("are is must may should")

// currentSays reports whether the clause so far has a verb, or a word that says how it is meant.
func (s *splitter) currentSays() bool {
	return slices.ContainsFunc(s.current.part(core), func(t words.Token) bool {
		isVerb := t.Act && !isInflected(t.Lower)
		return isVerb || t.Form == "be" || isModalWord(t.Lower)
	})
}

// endsRejected reports whether a token begins what holds for the whole clause again, behind the option
// that is rejected: "tabs over spaces in Makefiles".
func (s *splitter) endsRejected(t words.Token) bool {
	isNamed := s.role == instead && len(s.current.part(instead)) > 0 && len(s.current.part(core)) > 0
	return isNamed && (prepositions[t.Lower] && t.Lower != "of" || t.Lower == "throughout")
}

// settings begin a clause with where or for what it holds: "In tests, ..."
var settings = map[string]bool{"in": true, "for": true, "on": true, "with": true, "at": true, "within": true, "inside": true, "under": true}

// startsSetting reports whether a clause begins with a setting.
func (s *splitter) startsSetting(t words.Token) bool {
	if s.at+1 < len(s.tokens) && noSetting[s.tokens[s.at+1].Lower] {
		return false
	}
	isFirst := len(s.current.part(core)) == 0 && s.role == core
	return isFirst && settings[t.Lower] && s.at+2 < len(s.tokens) && s.hasVerbAhead()
}

// noSetting are words behind which no setting stands: "under no circumstances" says never, and "at least
// one" is a bound.
var noSetting = set("no least most")

// hasVerbAhead reports whether something that is done follows.
func (s *splitter) hasVerbAhead() bool {
	for _, t := range s.tokens[s.at+1:] {
		if t.Act || settingEnds[t.Lower] {
			return true
		}
	}
	return false
}

// settingEnds are words with which the clause itself begins behind a setting without a comma.
var settingEnds = map[string]bool{
	"the": true, "you": true, "we": true, "it": true, "they": true, "do": true, "never": true,
	"always": true, "don't": true, "no": true, "must": true, "should": true, "there": true,
	"please": true, "only": true, "agents": true,
}

// nounsFollow are words behind which stands a noun, and no verb.
var nounsFollow = set("a an the each every any all this that these those of in on for with at your our its no new first last")

// endsSetting reports whether the clause itself begins at a token.
func (s *splitter) endsSetting(t words.Token) bool {
	if len(s.current.part(s.role)) == 0 || nounsFollow[s.tokens[s.at-1].Lower] {
		return false
	}
	return settingEnds[t.Lower] || s.isOrder(t)
}

func (s *splitter) take(t words.Token) {
	s.current.parts[s.role] = append(s.current.parts[s.role], t)
	s.at++
}

// mark reads a punctuation mark.
func (s *splitter) mark(t words.Token) {
	switch t.Text {
	case "(", "[":
		if s.depth == 0 {
			s.back = s.role
		}
		s.depth++
		s.role = aside

	case ")", "]":
		if s.depth > 0 {
			s.depth--
			if s.depth == 0 {
				s.role = s.back
			}
		}

	case ";", ".", "!", "?", "—", "–":
		if s.depth == 0 && s.isSpaced() {
			s.next()
		}

	case ":":
		s.colon()

	case ",":
		s.comma()
	}
}

// isSpaced reports whether the mark does not stand inside a word.
func (s *splitter) isSpaced() bool {
	return s.at+1 == len(s.tokens) || s.tokens[s.at+1].Start > s.tokens[s.at].End || s.tokens[s.at+1].Mark
}

// colon makes what stands before it a label, as in "Package manager: yarn".
func (s *splitter) colon() {
	if s.depth > 0 {
		return
	}

	label := s.current.part(core)
	s.next()
	s.current.label = nil
	if n := len(label); n > 0 && n <= 6 && !isOrderly(label) {
		s.current.label = label
		s.clauses = s.clauses[:len(s.clauses)-1]
	}
}

// isOrderly reports whether a label asks for something by itself, as in "never do this: ...".
func isOrderly(label []words.Token) bool {
	return len(label) > 2 && (negators[label[0].Lower] || negators[label[1].Lower])
}

func (s *splitter) comma() {
	if s.depth > 0 {
		return
	}
	if s.leading {
		s.role, s.leading, s.setting = core, false, false
		return
	}
	if s.role == when || s.role == even || s.role == except || s.role == reason || s.role == aside {
		s.role = core
	}
}

// startsPart reads a phrase that begins a part, if one stands here.
func (s *splitter) startsPart() bool {
	for _, start := range starters {
		if !s.hasPhrase(start.phrase) {
			continue
		}
		if timed[start.phrase[0]] && s.isTime() {
			continue
		}

		s.beginPart(start)
		return true
	}

	return s.startsContrast()
}

// beginPart goes over to the part that a phrase begins.
func (s *splitter) beginPart(start starter) {
	s.role = start.role
	s.current.only = s.current.only || start.only
	s.leading = len(s.current.part(core)) == 0
	s.setting = s.leading && isEvent(start.role) && !s.hasCommaAhead()

	belongsToPart := start.role == even || start.role == before || start.role == after
	if belongsToPart {
		phrase := s.tokens[s.at : s.at+len(start.phrase)]
		s.current.parts[start.role] = append(s.current.parts[start.role], phrase...)
	}
	s.at += len(start.phrase)
}

// timed words stand before a time or a number as well: "until 20:00", "after 15 minutes".
var timed = map[string]bool{"until": true, "till": true, "after": true, "before": true}

// isTime reports whether a number follows, as in "until 20:00".
func (s *splitter) isTime() bool {
	if s.at+1 >= len(s.tokens) {
		return false
	}
	next := s.tokens[s.at+1]
	return unicode.IsDigit(rune(next.Text[0]))
}

// isEvent reports whether a part tells of something that happens before or after.
func isEvent(r role) bool { return r == before || r == after }

func (s *splitter) hasCommaAhead() bool {
	for _, t := range s.tokens[s.at:] {
		if t.Text == "," {
			return true
		}
	}
	return false
}

// startsContrast reads "not X" behind a comma, "and" or "but", and "over X" behind "prefer": they name
// the option that is rejected.
func (s *splitter) startsContrast() bool {
	if s.at == 0 || s.at+1 >= len(s.tokens) || s.role != core || !s.namesSomething() {
		return false
	}
	if !s.isContrast() && !s.isSecondChoice() {
		return false
	}

	s.role = instead
	s.at++
	return true
}

// namesSomething reports whether the clause so far names what may be chosen.
func (s *splitter) namesSomething() bool {
	return slices.ContainsFunc(s.current.part(core), func(t words.Token) bool {
		return !t.Mark && (t.Code || !words.Empty(t.Lower)) && !isModalWord(t.Lower)
	})
}

// isContrast reports whether "not" stands before a thing that is set against the one before.
func (s *splitter) isContrast() bool {
	if s.tokens[s.at].Lower != "not" {
		return false
	}
	switch s.tokens[s.at-1].Lower {
	case ",":
		return true
	case "and", "but":
		return s.tokens[s.at+1].Code || s.nextIsThing()
	}
	return false
}

// isSecondChoice reports whether "over" or "to" stands between what is preferred and what is not.
func (s *splitter) isSecondChoice() bool {
	chosen := s.current.part(core)
	at := slices.IndexFunc(chosen, func(t words.Token) bool { return preferring[t.Lower] && !t.Code })
	if at < 0 {
		return false
	}

	switch s.tokens[s.at].Lower {
	case "over":
		return true
	case "to":
		isBehindThing := at+1 < len(chosen) || isPreferred[chosen[at].Lower]
		return isBehindThing && s.nextIsThing()
	}
	return false
}

// isPreferred are words that say of what stands before them that it is the first choice.
var isPreferred = set("preferred preferable favoured favored")

// nextIsThing reports whether the next token is no verb in its base form.
func (s *splitter) nextIsThing() bool {
	next := s.tokens[s.at+1]
	return !next.Act || isInflected(next.Lower)
}

// preferring are words that set one thing over another.
var preferring = set("prefer prefers preferred preferable favour favor favours favors favoured favored choose pick")

func (s *splitter) hasPhrase(phrase []string) bool {
	if s.at+len(phrase) > len(s.tokens) {
		return false
	}
	for i, word := range phrase {
		t := s.tokens[s.at+i]
		if t.Lower != word || t.Code {
			return false
		}
	}
	return true
}

// openers begin a clause behind a comma or a conjunction.
var openers = map[string]bool{
	"never": true, "don't": true, "always": true, "do": true, "no": true, "avoid": true,
	"you": true, "we": true, "they": true, "it": true, "then": true, "must": true, "should": true,
	"nothing": true, "only": true, "please": true, "just": true, "refrain": true,
}

// andOpeners begin a clause behind "and" only.
var andOpeners = map[string]bool{"may": true, "can": true, "shall": true, "will": true, "cannot": true}

// startsClause reports whether a clause of its own begins at the token.
func (s *splitter) startsClause() bool {
	if s.at == 0 || len(s.current.part(core)) == 0 {
		return false
	}

	t := s.tokens[s.at]
	previous := s.tokens[s.at-1]
	if contrasts[t.Lower] || t.Lower == "so" && previous.Text == "," {
		return true
	}
	return s.role == core && s.goesOnWith(previous, t)
}

// goesOnWith reports whether a token after a comma, "and" or "then" begins a clause.
func (s *splitter) goesOnWith(previous, t words.Token) bool {
	if previous.Text == "," {
		return openers[t.Lower] || s.isOrder(t)
	}
	joins := previous.Lower == "and" || previous.Lower == "then"
	return joins && s.startsSecond(t)
}

// contrasts begin a clause wherever they stand.
var contrasts = map[string]bool{"but": true, "however": true, "though": true}

// refusals begin a clause behind "and" in any case.
var refusals = map[string]bool{"never": true, "don't": true, "dont": true}

// startsSecond reports whether a clause begins behind "and".
func (s *splitter) startsSecond(t words.Token) bool {
	if !s.currentActs() {
		return refusals[t.Lower]
	}
	opens := openers[t.Lower] && t.Lower != "no"
	return opens || andOpeners[t.Lower] || s.isOrder(t)
}

// isOrder reports whether a token looks like the verb of an imperative.
func (s *splitter) isOrder(t words.Token) bool {
	if !t.Act || t.Code || isInflected(t.Lower) {
		return false
	}
	if s.at+1 >= len(s.tokens) {
		return false
	}
	next := s.tokens[s.at+1]
	isWord := !next.Mark || next.Text == "`"
	return isWord && next.Lower != "and" && next.Lower != "or"
}

// currentActs reports whether the clause so far has something that is done.
func (s *splitter) currentActs() bool {
	for _, t := range s.current.part(core) {
		if t.Act {
			return true
		}
	}
	return false
}

// next ends a clause. Conditions that stand before the first one hold for the others as well.
func (s *splitter) next() {
	s.finish()
	s.role, s.leading, s.setting = core, false, false
}

func (s *splitter) finish() {
	if s.setting && len(s.current.part(core)) == 0 {
		s.current.parts[core], s.current.parts[when] = s.current.part(when), nil
	}
	if len(s.current.part(core)) == 0 && len(s.current.part(instead)) == 0 {
		return
	}

	done := s.current
	s.clauses = append(s.clauses, done)
	s.current = clause{label: done.label, place: done.place}
	s.current.parts[when] = done.parts[when]
}

// isInflected reports whether a word is no base form: writing, written, writes.
func isInflected(lower string) bool {
	for _, ending := range []string{"ing", "ed"} {
		if strings.HasSuffix(lower, ending) && len(lower) > len(ending)+2 {
			return true
		}
	}
	return strings.HasSuffix(lower, "s") && !strings.HasSuffix(lower, "ss") && !strings.HasSuffix(lower, "us")
}
