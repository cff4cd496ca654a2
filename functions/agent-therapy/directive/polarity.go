package directive

import (
	"strings"

	"governance.internal/functions/agent-therapy/words"
)

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
		if t.Code || r.isInner(i, order) || r.isBound(i) {
			continue
		}
		if r.negate(i) {
			continue
		}
		r.demand(i)
	}
}

// isInner reports whether a word of leave or a negator belongs to a part such as "that is not used": it
// says what is meant, and not what is forbidden. order is the index of the verb with which the clause begins.
func (r *reading) isInner(at, order int) bool {
	word := r.tokens[at].Lower
	if permits[word] {
		return order >= 0 && at > order+1 // "by asking what you can do"
	}
	if !negators[word] {
		return false
	}

	noThing := word == "no" && at == order+1
	behindVerb := order >= 0 && at > order && !noThing
	return behindVerb || r.negative && at > r.after
}

// negate reads a word that turns the meaning round.
func (r *reading) negate(at int) bool {
	word := r.tokens[at].Lower
	switch {
	case r.isDescription(at):
		r.negative = !r.negative
		r.describes = true
		r.after = at + 1

	case negators[word], r.isNothing(at):
		r.negative = !r.negative
		r.raise(Must, at)

	case prohibitions[word]:
		r.negative = !r.negative
		r.raise(Must, r.after-1)

	case r.negative && reversals[word]:
		r.negative = false
		r.after = at + 1

	default:
		return false
	}
	return true
}

// isNothing reports whether a clause begins with "nothing" or "nobody", and with nothing that is left open
// behind it: "nothing but".
func (r *reading) isNothing(at int) bool {
	switch r.tokens[at].Lower {
	case "nothing", "nobody":
	default:
		return false
	}
	if !r.startsHere(at) || at+1 >= len(r.tokens) {
		return false
	}
	switch r.tokens[at+1].Lower {
	case "but", "else", "except", "other", "beyond", "more":
		return false
	}
	return true
}

// demand reads a word that says how strictly something is meant.
func (r *reading) demand(at int) {
	word := r.tokens[at].Lower
	if r.negative && waives[word] && !demands[word] {
		r.strength = May
		return
	}

	switch {
	case demands[word]:
		r.raise(Must, at)
	case isAdvice(word, at):
		r.raise(Should, at)
	case permits[word] && !r.negative:
		r.raise(May, at)
	}
}

// isAdvice reports whether a word at an index asks without demanding.
func isAdvice(word string, at int) bool {
	return word == "should" || word == "prefer" && at == 0
}

// order returns the index of the verb of a clause that begins with one; -1 without.
func (r *reading) order() int {
	for i, t := range r.tokens {
		isLead := adverbs[t.Lower] && !negators[t.Lower]
		if t.Mark || isLead {
			continue
		}
		if r.isOrderVerb(i) {
			return i
		}
		return -1
	}
	return -1
}

// isOrderVerb reports whether a word is a verb in its base form.
func (r *reading) isOrderVerb(at int) bool {
	t := r.tokens[at]
	if !t.Act || t.Code || negators[t.Lower] {
		return false
	}
	return !isInflected(firstWord(t.Lower)) && !r.isNoun(at)
}

// actors are whom instructions address.
var actors = set("you we agents agent assistant claude codex users i they it bot model")

// isDescription reports whether a negator only describes: "no" inside a phrase, "not" without a
// verb that demands, "does not" of a thing.
func (r *reading) isDescription(at int) bool {
	switch r.tokens[at].Lower {
	case "no", "neither", "nor":
		return r.isMereNo(at)
	case "stop":
		return at > 0
	case "not":
		return r.isMereNot(at, r.before(at))
	}
	return r.describesThing(at)
}

// describesThing reports whether a contraction such as "doesn't" says something of a thing, and not
// of whom the instructions address.
func (r *reading) describesThing(at int) bool {
	if r.isActor(at) {
		return false
	}
	switch r.tokens[at].Lower {
	case "doesn't":
		return !r.refusesLeave(at)
	case "don't", "dont":
		return !r.startsHere(at)
	case "isn't", "aren't", "won't", "couldn't", "wouldn't", "can't", "cannot":
		return true
	}
	return false
}

// before returns the word in front of a token, in lower case; empty at the beginning.
func (r *reading) before(at int) string {
	if at == 0 {
		return ""
	}
	return r.tokens[at-1].Lower
}

// havingVerbs stand before "no" where something must not be there: "include no ...".
var havingVerbs = set("include contain use must add")

// isMereNo judges a "no".
func (r *reading) isMereNo(at int) bool {
	if r.isNeverPhrase(at) || r.startsHere(at) {
		return false
	}
	return !havingVerbs[r.before(at)]
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
		return r.saysDoOfThing(at)
	case "may", "can", "will", "does", "could", "would", "might":
		return !r.isActor(at-1) && !r.isBan(at)
	case "is", "are", "be":
		return at+1 >= len(r.tokens) || !isOughtState(r.tokens[at+1])
	}
	return at > 0
}

// saysDoOfThing reports whether "do not" says something of a thing: "tests do not pass".
func (r *reading) saysDoOfThing(at int) bool {
	return at > 1 && !r.isActor(at-1) && !r.startsHere(at-1)
}

// isBan reports whether a "not" behind "may" forbids: "may not be deleted", "may not appear".
func (r *reading) isBan(at int) bool {
	return r.before(at) == "may" && (r.isPassive(at+1) || r.isPresence(at+1))
}

// isPassive reports whether "be" and a participle stand at an index: "may not be deleted".
func (r *reading) isPassive(at int) bool {
	return at+1 < len(r.tokens) && r.tokens[at].Lower == "be" && isDone(r.tokens[at+1])
}

// isPresence reports whether a verb at an index says that something is somewhere: "may not appear".
func (r *reading) isPresence(at int) bool {
	if at >= len(r.tokens) {
		return false
	}
	switch r.tokens[at].Lower {
	case "appear", "contain", "include", "leave", "enter", "exceed":
		return true
	}
	return false
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
	prohibitions = set("forbidden prohibited banned disallowed off-limits unacceptable illegal taboo discouraged verboten avoided outlawed")
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
	word := r.tokens[at].Lower
	if at+1 >= len(r.tokens) {
		return word == "stop"
	}

	next := r.tokens[at+1].Lower
	switch word {
	case "not":
		return isMore(next) || bounded[next]
	case "no":
		return isMore(next)
	case "stop":
		return !strings.HasSuffix(next, "ing")
	case "to":
		return !isCopula[r.before(at)]
	case "have", "has":
		return next != "to"
	}
	return false
}

// bounded are words behind which "not" forbids nothing: "not only", "not exceed".
var bounded = set("only just exceed")

// isCopula are words behind which "to" demands: "is to be done"; at the beginning it does as well.
var isCopula = map[string]bool{"is": true, "are": true, "": true}

func isMore(word string) bool {
	switch word {
	case "more", "longer", "later", "fewer", "less", "greater", "higher", "earlier", "shorter", "bigger", "larger":
		return true
	}
	return false
}
