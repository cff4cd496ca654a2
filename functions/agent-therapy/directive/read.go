package directive

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/words"
)

// readClause understands a clause; it returns nil for one that says nothing.
func readClause(c clause) *Directive {
	tokens := c.part(core)
	r := reading{tokens: tokens}
	r.polarity()
	r.verb()
	if r.describes && r.negative && r.strength != May {
		r.strength = States
	}

	groups := r.groups(c.label)
	d := &Directive{
		Negative:  r.negative,
		Strength:  r.strength,
		Action:    r.action,
		Things:    slices.Concat(groups...),
		Groups:    groups,
		Located:   r.located(),
		Literal:   literals(tokens),
		When:      forms(c.part(when)),
		Case:      lowers(c.part(when)),
		Except:    forms(c.part(except)),
		Without:   forms(c.part(without)),
		Before:    forms(c.part(before)),
		After:     forms(c.part(after)),
		Instead:   forms(c.part(instead)),
		Only:      has(tokens, "only", "exclusively", "solely", "nothing"),
		OnlyCase:  c.only,
		Universal: has(tokens, universal...),
		Core:      tokens,
		Whole:     slices.Concat(c.label, tokens),
		Options:   optionsOf(c),
	}

	d.command()
	d.onlyWhen(c)
	d.withoutApproval(c)
	if len(d.Things) == 0 && d.Action == "" && len(d.Instead) == 0 {
		return nil
	}
	return d
}

// optionsOf returns the words among which a choice may be named, in the order of the text.
func optionsOf(c clause) []words.Token {
	all := slices.Concat(c.label, c.part(core), c.part(before), c.part(after), c.part(even))
	slices.SortFunc(all, func(a, b words.Token) int { return a.Start - b.Start })
	return all
}

// command reads "run `git push`" as to push.
func (d *Directive) command() {
	if d.Action == "keep" || d.Action == "leav" || d.Action == "leave" {
		d.kept()
	}
	if d.Action != "run" && d.Action != Use && d.Action != "create" {
		return
	}
	for _, t := range d.Core {
		if t.Act && t.Code && slices.Contains(d.Things, t.Form) {
			d.Action = t.Form
			d.Things = allBut(d.Things, t.Form)
			d.Groups = withoutGroup(d.Groups, t.Form)
			return
		}
	}
}

// kept reads "keep it enabled" as to enable it.
func (d *Directive) kept() {
	if d.Action != "keep" && slices.Contains(d.Things, "alon") {
		d.Negative, d.Strength, d.Action = true, Must, "edit"
		d.Things = allBut(d.Things, "alon")
		d.Groups = withoutGroup(d.Groups, "alon")
		return
	}
	for _, state := range []string{"update", "enable", "disable", "open", "close", "hide"} {
		if slices.Contains(d.Things, state) {
			d.Action = state
			d.Things = allBut(d.Things, state)
			d.Groups = withoutGroup(d.Groups, state)
			return
		}
	}
}

func allBut(list []string, form string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(other string) bool { return other == form })
}

func withoutGroup(groups [][]string, form string) [][]string {
	var kept [][]string
	for _, group := range groups {
		if group = allBut(group, form); len(group) > 0 {
			kept = append(kept, group)
		}
	}
	return kept
}

func lowers(tokens []words.Token) []string {
	var list []string
	for _, t := range tokens {
		if !t.Mark {
			list = append(list, t.Lower)
		}
	}
	return list
}

// universal are words that leave no exception.
var universal = []string{
	"always", "every", "each", "all", "automatically", "immediately", "everything", "everywhere",
	"any", "whenever", "straight", "directly", "constantly", "autonomously", "unconditionally",
}

// onlyWhen reads "only run it when asked" as a prohibition with an exception.
func (d *Directive) onlyWhen(c clause) {
	if d.Only && len(c.part(when)) > 0 && !d.Negative && startsWithOnly(d.Core) {
		d.Except, d.When = d.When, nil
		d.OnlyCase = true
	}
	if d.OnlyCase && !d.Negative {
		d.Negative, d.Strength = true, Must
	}
}

func startsWithOnly(tokens []words.Token) bool {
	for i, t := range tokens {
		if t.Lower == "only" {
			return true
		}
		if i > 3 {
			break
		}
	}
	return false
}

// withoutApproval reads "never X without approval" as a prohibition with an exception.
func (d *Directive) withoutApproval(c clause) {
	if !d.Negative || len(c.part(without)) == 0 {
		return
	}
	d.Except = append(d.Except, d.Without...)
	d.Without = nil
}

// has reports whether one of the words occurs outside backticks.
func has(tokens []words.Token, wanted ...string) bool {
	return slices.ContainsFunc(tokens, func(t words.Token) bool {
		return !t.Code && slices.Contains(wanted, t.Lower)
	})
}

// forms returns the normal forms of the words with a meaning, each once.
func forms(tokens []words.Token) []string {
	var list []string
	for _, t := range tokens {
		if t.Mark || !t.Code && words.Empty(t.Lower) {
			continue
		}
		list = appendNew(list, t.Form)
	}
	return list
}

// literals returns the words in backticks and the paths.
func literals(tokens []words.Token) []string {
	var list []string
	for _, t := range tokens {
		if t.Code || strings.ContainsAny(t.Text, "/*") && len(t.Text) > 1 {
			list = appendNew(list, t.Form)
		}
	}
	return list
}

// reading finds polarity, strength and verb of a clause.
type reading struct {
	tokens   []words.Token
	negative bool
	strength Strength
	action   string
	verbAt   int // index of the verb; -1 without
	after    int // index behind the last word that says must, never or the like
	modal    bool

	describes bool // what is negated is described, and not forbidden
}

// polarity counts what negates and finds how strictly it is said.
func (r *reading) polarity() {
	r.verbAt = -1
	order := r.order()

	for i, t := range r.tokens {
		if t.Code || order >= 0 && i > order && !(t.Lower == "no" && i == order+1) && negators[t.Lower] {
			continue // a part such as "that is not used" says what is meant, not what is forbidden
		}
		if r.negative && i > r.after && negators[t.Lower] {
			continue
		}

		switch {
		case r.isBound(i):
			continue

		case r.isDescription(i):
			r.negative = !r.negative
			r.describes = true
			r.after = i + 1

		case negators[t.Lower]:
			r.negative = !r.negative
			r.raise(Must, i)

		case prohibitions[t.Lower]:
			r.negative = !r.negative
			r.raise(Must, r.after-1)

		case r.negative && reversals[t.Lower]:
			r.negative = false
			r.after = i + 1

		case demands[t.Lower]:
			r.raise(Must, i)

		case t.Lower == "should" || t.Lower == "prefer" && i == 0:
			r.raise(Should, i)

		case permits[t.Lower]:
			if !r.negative {
				r.raise(May, i)
			}

		case waives[t.Lower] && r.negative:
			r.strength = May
		}
	}
}

// order returns the index of the verb of a clause that begins with one; -1 without.
func (r *reading) order() int {
	for i, t := range r.tokens {
		if t.Mark || adverbs[t.Lower] && !negators[t.Lower] {
			continue
		}
		if t.Act && !t.Code && !negators[t.Lower] && !isInflected(firstWord(t.Lower)) && !r.isNoun(i) {
			return i
		}
		return -1
	}
	return -1
}

// actors are whom instructions address.
var actors = set("you we agents agent assistant claude codex users i they it bot model")

// isDescription reports whether a negator only describes: "no" inside a phrase, "not" without a
// verb that demands, "does not" of a thing.
func (r *reading) isDescription(at int) bool {
	word := r.tokens[at].Lower
	previous := ""
	if at > 0 {
		previous = r.tokens[at-1].Lower
	}

	switch word {
	case "no", "neither", "nor":
		if r.isNeverPhrase(at) {
			return false
		}
		return !r.startsHere(at) && previous != "include" && previous != "contain" && previous != "use" && previous != "must" && previous != "add"
	case "doesn't":
		return !r.isActor(at) && !r.refusesLeave(at)
	case "isn't", "aren't", "won't", "couldn't", "wouldn't", "can't", "cannot":
		return !r.isActor(at)
	case "stop":
		return at > 0
	case "don't", "dont":
		return at > 0 && !r.isActor(at) && !r.startsHere(at)
	case "not":
		return r.isMereNot(at, previous)
	}
	return false
}

// isNeverPhrase reports whether "no" says never: "under no circumstances", "in no case".
func (r *reading) isNeverPhrase(at int) bool {
	if at == 0 || at+1 >= len(r.tokens) {
		return false
	}
	switch r.tokens[at+1].Lower {
	case "circumstances", "case", "account", "time", "event", "way", "condition":
		return prepositions[r.tokens[at-1].Lower]
	}
	return false
}

// refusesLeave reports whether "not" stands before a verb of allowing: "does not permit".
func (r *reading) refusesLeave(at int) bool {
	if at+1 >= len(r.tokens) {
		return false
	}
	switch r.tokens[at+1].Lower {
	case "permit", "allow", "tolerate", "want", "accept":
		return true
	}
	return false
}

// isMereNot judges a "not" by the word before it.
func (r *reading) isMereNot(at int, previous string) bool {
	switch previous {
	case "must", "should", "shall", "ought", "never", "please", "need":
		return false
	case "do":
		return at > 1 && !r.isActor(at-1) && !r.startsHere(at-1)
	case "may", "can", "will", "does", "could", "would", "might":
		return !r.isActor(at - 1)
	case "is", "are", "be":
		return at+1 >= len(r.tokens) || !isOughtState(r.tokens[at+1])
	}
	return at > 0
}

// isOughtState reports whether a word behind "is not" says what ought to be.
func isOughtState(t words.Token) bool {
	return t.Act && isParticiple(t.Lower) || permits[t.Lower] || waives[t.Lower] || t.Lower == "to"
}

// isActor reports whether the words before are about whom instructions address.
func (r *reading) isActor(at int) bool {
	for _, t := range r.tokens[:at] {
		if actors[t.Lower] {
			return true
		}
	}
	return at == 0
}

// raise takes a strength that is said at a token; a permission only if nothing stricter is said.
func (r *reading) raise(s Strength, at int) {
	if s > r.strength {
		r.strength = s
	}
	if at >= r.after {
		r.after = at + 1
	}
	r.modal = true
}

var (
	negators = set("never not no don't dont doesn't mustn't shouldn't cannot can't won't isn't aren't " +
		"don´t needn't neither avoid refrain stop nor may'nt couldn't wouldn't")
	prohibitions = set("forbidden prohibited banned disallowed off-limits unacceptable illegal taboo discouraged verboten")
	reversals    = set("forget hesitate fail neglect afraid")
	demands      = set("must shall have has always required mandatory ensure need needs will require requires necessary obligatory to")
	permits      = set("may can allowed permitted fine ok okay acceptable free welcome allow might could legitimate")
	waives       = set("need needed required necessary have mandatory needs require obliged obligatory")
)

func set(text string) map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(text) {
		words[word] = true
	}
	return words
}

// isBound reports whether a negator belongs to a bound, as in "no more than", or says "not only".
func (r *reading) isBound(at int) bool {
	if at+1 >= len(r.tokens) {
		return r.tokens[at].Lower == "stop"
	}

	next := r.tokens[at+1].Lower
	switch r.tokens[at].Lower {
	case "not":
		return next == "only" || next == "just" || isMore(next) || next == "exceed"
	case "no":
		return isMore(next)
	case "stop":
		return !strings.HasSuffix(next, "ing")
	case "to":
		return at != 0 && r.tokens[at-1].Lower != "is" && r.tokens[at-1].Lower != "are"
	case "have", "has":
		return next != "to"
	}
	return false
}

func isMore(word string) bool {
	switch word {
	case "more", "longer", "later", "fewer", "less", "greater", "higher", "earlier", "shorter", "bigger", "larger":
		return true
	}
	return false
}

// adverbs stand before the verb of an imperative.
var adverbs = set(`btw pls plz hey always please then first finally only also just immediately automatically now next
	instead do simply generally usually typically explicitly directly proactively kindly you we agents the
	agent assistant must should shall will can may never not to be lastly afterwards again carefully they
	don't either both strictly ideally it i try make sure ensure and is are has have need cannot mustn't ever
	under any no circumstances it's important that remember your our let's let at all times , yes so or when
	possible wherever feel free claude codex developers contributors everyone allowed this`)

// verb finds what is done.
func (r *reading) verb() {
	start := r.after

	if at := r.participle(); at >= 0 && r.order() < 0 {
		r.take(at)
		return
	}

	for i := start; i < len(r.tokens); i++ {
		t := r.tokens[i]
		if t.Mark {
			continue
		}
		if adverbs[t.Lower] && !t.Code {
			continue
		}
		if t.Act && !r.isNoun(i) || r.modal && i == start && isPlainVerb(t) && r.orders() {
			r.take(i)
			return
		}
		break
	}

	r.looseVerb(start)
}

// orders reports whether the word before is one that a verb follows: "never", "do not", "must".
func (r *reading) orders() bool {
	if r.after == 0 {
		return false
	}
	switch r.tokens[r.after-1].Lower {
	case "never", "not", "don't", "dont", "must", "shall", "should", "cannot", "can't", "mustn't", "always", "to", "shouldn't":
		return true
	}
	return false
}

func isPlainVerb(t words.Token) bool { return !t.Code && !words.Empty(t.Lower) }

// looseVerb looks for a verb anywhere: in "we use pnpm" or "force-pushing is allowed". Without one
// the clause is about using its things.
func (r *reading) looseVerb(start int) {
	if at := r.ours(); at >= 0 {
		r.take(at)
		r.strength = max(r.strength, Should)
		return
	}
	if r.isUnknownOrder() {
		r.take(0)
		return
	}

	for i, t := range r.tokens {
		if !t.Act || r.isNoun(i) {
			continue
		}
		isFirst := i == 0 || r.startsHere(i)
		isGerund := strings.HasSuffix(t.Lower, "ing")
		if isFirst || i >= start && !r.modal || isGerund {
			r.take(i)
			if r.strength == States && isHabit(t) {
				r.strength = Should
			}
			return
		}
	}

	if r.modal {
		r.action = Use
	}
}

// isHabit reports whether a verb says how things are done here: "commit messages follow ...".
func isHabit(t words.Token) bool {
	switch t.Lower {
	case "use", "follow", "begin", "start", "return", "go", "live", "end", "contain":
		return true
	}
	return false
}

// ours returns the index of the verb in "we test with ..."; -1 without.
func (r *reading) ours() int {
	if len(r.tokens) < 3 || r.modal {
		return -1
	}
	switch r.tokens[0].Lower {
	case "we", "you", "agents", "agent", "developers", "contributors":
	case "the":
		if !actors[r.tokens[1].Lower] {
			return -1
		}
	default:
		return -1
	}

	for i, t := range r.tokens {
		if i > 0 && !t.Mark && !adverbs[t.Lower] {
			return i
		}
	}
	return -1
}

// articles stand before a noun, so that the word in front of one is a verb.
var articles = set("a an the your our all each every any this these no only its their both")

// isUnknownOrder reports whether a clause begins with a verb that the lexicon does not know.
func (r *reading) isUnknownOrder() bool {
	if len(r.tokens) < 2 || r.modal {
		return false
	}
	first, next := r.tokens[0], r.tokens[1]
	return isPlainVerb(first) && !isInflected(first.Lower) && articles[next.Lower] && !first.Mark
}

// Use is the action of a clause without a verb of its own, such as "no tabs".
const Use = "use"

// startsHere reports whether only adverbs stand before a token.
func (r *reading) startsHere(at int) bool {
	for _, t := range r.tokens[:at] {
		if !t.Mark && !adverbs[t.Lower] {
			return false
		}
	}
	return true
}

// take makes the token at an index the verb.
func (r *reading) take(at int) {
	r.action = r.tokens[at].Form
	r.verbAt = at
	if r.strength == States && r.startsHere(at) && !isInflected(firstWord(r.tokens[at].Lower)) {
		r.strength = Must
	}
}

// relatives begin a part that says which thing is meant.
var relatives = set("that which who whose what")

// participle returns the index of a verb behind "is" or "are"; -1 without.
func (r *reading) participle() int {
	for i, t := range r.tokens {
		if relatives[t.Lower] && i > 0 {
			return -1
		}
		if t.Form != "be" || t.Code {
			continue
		}
		for j := i + 1; j < len(r.tokens); j++ {
			next := r.tokens[j]
			isVerb := next.Act || strings.HasSuffix(next.Lower, "ed") && !isModalWord(next.Lower)
			if isVerb && !next.Code && isParticiple(next.Lower) {
				r.strength = max(r.strength, Should)
				return j
			}
			if !adverbs[next.Lower] && !strings.HasSuffix(next.Lower, "ly") {
				break
			}
		}
	}
	return -1
}

var participles = set(`written done made given taken kept sent shown told said spoken held built chosen thrown read
	put set run cut split left cited hidden begun`)

func isParticiple(lower string) bool {
	first, _, _ := strings.Cut(lower, " ")
	return strings.HasSuffix(first, "ed") || participles[first]
}

// isNoun reports whether a word that can be a verb is a noun here: behind an article or a
// preposition.
func (r *reading) isNoun(at int) bool {
	if at == 0 {
		return r.isSubject()
	}
	if r.tokens[at].Code {
		return false
	}

	switch r.tokens[at-1].Lower {
	case "a", "an", "the", "your", "our", "its", "their", "any", "each", "every", "no", "this", "that",
		"these", "those", "in", "on", "of", "with", "for", "per", "all", "more", "at", "new", "full":
		return true
	}
	return false
}

// isSubject reports whether the first word is what the clause is about, as in "Commit messages are
// free text" and "Test coverage must stay above 80%".
func (r *reading) isSubject() bool {
	if strings.HasSuffix(r.tokens[0].Lower, "ing") {
		return false
	}
	for i, t := range r.tokens[1:] {
		if relatives[t.Lower] {
			return false
		}
		if t.Form == "be" || demands[t.Lower] && t.Lower != "to" && t.Lower != "always" || permits[t.Lower] || t.Lower == "should" || t.Lower == "follow" || t.Lower == "cannot" {
			return i < 5
		}
		if strings.HasSuffix(t.Lower, "ed") || t.Mark && t.Text != "`" {
			return false
		}
	}
	return false
}

// groups returns the words that say to what something is done, each once. Words that "or", "and"
// or a comma joins stand in one group.
func (r *reading) groups(label []words.Token) [][]string {
	var groups [][]string
	var all []string
	for _, form := range forms(label) {
		groups = append(groups, []string{form})
		all = append(all, form)
	}

	joined, near := false, false
	together := has(r.tokens, "same", "together", "both", "mix", "simultaneously", "combine", "between")
	for i, t := range r.tokens {
		if t.Lower == "or" || t.Lower == "and" && !together || t.Lower == "nor" {
			joined = near
			continue
		}
		if !r.isThing(i) || slices.Contains(all, t.Form) {
			near = near && t.Mark
			continue
		}

		all = append(all, t.Form)
		if last := len(groups) - 1; joined && last >= 0 {
			groups[last] = append(groups[last], t.Form)
		} else {
			groups = append(groups, []string{t.Form})
		}
		joined, near = false, true
	}

	return groups
}

// prepositions of place and purpose.
var prepositions = set("in on for inside within under from of at into during")

// located returns the words that say where or for what something holds.
func (r *reading) located() []string {
	var list []string
	behind := false
	for i, t := range r.tokens {
		switch {
		case prepositions[t.Lower]:
			behind = true
		case r.isThing(i) && behind:
			list = appendNew(list, t.Form)
		case t.Mark && t.Text != "`" || t.Lower == "and" || t.Lower == "or":
		case !articles[t.Lower] && !r.isThing(i):
			behind = false
		}
	}
	return list
}

// isThing reports whether a word says to what something is done.
func (r *reading) isThing(at int) bool {
	t := r.tokens[at]
	if at == r.verbAt || t.Mark {
		return false
	}
	if !t.Code && (words.Empty(t.Lower) || isModalWord(t.Lower)) {
		return false
	}
	return t.Form != "user" || !r.isPerson(at)
}

func isModalWord(lower string) bool {
	return negators[lower] || prohibitions[lower] || permits[lower] || reversals[lower] || demands[lower]
}

// isPerson reports whether a word for a person only says to whom, as in "tell the user".
func (r *reading) isPerson(at int) bool {
	if at+1 == len(r.tokens) {
		return true
	}
	next := r.tokens[at+1]
	return next.Mark || words.Empty(next.Lower) || next.Act
}
