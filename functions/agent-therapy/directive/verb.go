package directive

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/words"
)

// adverbs stand before the verb of an imperative.
var adverbs = set(`btw pls plz hey always please then first finally only also just immediately automatically now next
	instead do simply generally usually typically explicitly directly proactively kindly you we agents the
	agent assistant must should shall will can may never not to be lastly afterwards again carefully they
	don't either both strictly ideally it i try make sure ensure and is are has have need cannot mustn't ever
	under any no circumstances it's important that remember your our let's let at all times , yes so or when
	possible wherever feel free claude codex developers contributors everyone allowed this`)

// verb finds what is done.
func (r *reading) verb() {
	if at := r.participle(); at >= 0 && r.order() < 0 {
		r.take(at)
		return
	}

	at := r.firstWord()
	if at < len(r.tokens) && (r.isVerb(at) || r.isDemanded(at)) {
		r.take(at)
		if r.beginsWithAgent() {
			r.strength = max(r.strength, Should)
		}
		return
	}
	r.looseVerb(r.after)
}

// firstWord returns the index of the first word behind the demand that is no adverb.
func (r *reading) firstWord() int {
	for i := r.after; i < len(r.tokens); i++ {
		t := r.tokens[i]
		isAdverb := adverbs[t.Lower] && !t.Code
		if !t.Mark && !isAdverb {
			return i
		}
	}
	return len(r.tokens)
}

// isVerb reports whether a word is known as a verb and is none of a noun here.
func (r *reading) isVerb(at int) bool { return r.tokens[at].Act && !r.isNoun(at) }

// isDemanded reports whether a word must be a verb, because it stands directly behind "never" or "must".
func (r *reading) isDemanded(at int) bool {
	if !r.modal || at != r.after || !isPlainVerb(r.tokens[at]) {
		return false
	}
	return !r.isJoined(at) && r.orders()
}

// isJoined reports whether a word is the first of several: "never npm or yarn".
func (r *reading) isJoined(at int) bool {
	if at+1 >= len(r.tokens) {
		return false
	}
	next := r.tokens[at+1].Lower
	return next == "or" || next == "nor"
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

	at := slices.IndexFunc(r.places(), func(i int) bool { return r.isVerb(i) && r.mayBeLoose(i, start) })
	if at >= 0 {
		r.take(at)
		if r.strength == States && isHabit(r.tokens[at]) {
			r.strength = Should
		}
		return
	}

	if r.modal {
		r.action = Use
		if r.forbidsMore() {
			r.action = "add"
		}
		return
	}
	if r.saysOfAll() {
		r.action, r.strength = Use, Should
	}
}

// forbidsMore reports whether a clause says "no new ..." or "no further ...": what is there may stay.
func (r *reading) forbidsMore() bool {
	for i, t := range r.tokens[:max(0, len(r.tokens)-1)] {
		if t.Lower != "no" {
			continue
		}
		switch r.tokens[i+1].Lower {
		case "new", "additional", "further", "extra", "more", "other":
			return true
		}
	}
	return false
}

// saysOfAll reports whether a clause says how all of a kind are: "every component is a class".
func (r *reading) saysOfAll() bool {
	if len(r.tokens) < 3 {
		return false
	}
	switch r.tokens[0].Lower {
	case "all", "every", "each", "everything":
		return true
	}
	return false
}

// beginsWithAgent reports whether a clause says what the agent does: "the assistant refuses ...".
func (r *reading) beginsWithAgent() bool {
	if len(r.tokens) < 3 {
		return false
	}
	first := r.tokens[0].Lower
	if first == "the" {
		first = r.tokens[1].Lower
	}
	switch first {
	case "agent", "agents", "assistant", "bot", "model", "you":
		return true
	}
	return false
}

// places returns the indices of the tokens.
func (r *reading) places() []int {
	all := make([]int, len(r.tokens))
	for i := range all {
		all[i] = i
	}
	return all
}

// mayBeLoose reports whether a verb that stands somewhere is what the clause is about.
func (r *reading) mayBeLoose(at, start int) bool {
	isGerund := strings.HasSuffix(r.tokens[at].Lower, "ing")
	isLate := at >= start && !r.modal
	return isGerund || isLate || r.startsHere(at)
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
	if len(r.tokens) < 3 || r.modal || !r.beginsWithActor() {
		return -1
	}

	return slices.IndexFunc(r.places(), func(i int) bool {
		t := r.tokens[i]
		return i > 0 && !t.Mark && !adverbs[t.Lower]
	})
}

// beginsWithActor reports whether a clause begins with whom it addresses: "we", "the agent".
func (r *reading) beginsWithActor() bool {
	switch r.tokens[0].Lower {
	case "we", "you", "agents", "agent", "developers", "contributors":
		return true
	case "the":
		return actors[r.tokens[1].Lower]
	}
	return false
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
		if at := r.participleBehind(i); at >= 0 {
			r.strength = max(r.strength, Should)
			return at
		}
	}
	return -1
}

// participleBehind returns the index of the verb behind the form of "be" at an index; -1 without.
func (r *reading) participleBehind(at int) int {
	for i := at + 1; i < len(r.tokens); i++ {
		next := r.tokens[i]
		if isDone(next) {
			return i
		}
		if !adverbs[next.Lower] && !strings.HasSuffix(next.Lower, "ly") {
			return -1
		}
	}
	return -1
}

// isDone reports whether a word is the participle of a verb, known or not.
func isDone(t words.Token) bool {
	isUnknown := strings.HasSuffix(t.Lower, "ed") && !isModalWord(t.Lower)
	return !t.Code && (t.Act || isUnknown) && isParticiple(t.Lower)
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
		if isPredicate(t) {
			return i < longestSubject
		}
		isBreak := t.Mark && t.Text != "`"
		if isBreak || endsSubject(t.Lower) {
			return false
		}
	}
	return false
}

// endsSubject reports whether a word stands behind a verb rather than in a subject.
func endsSubject(lower string) bool {
	return relatives[lower] || lower == "as" || strings.HasSuffix(lower, "ed")
}

// longestSubject is how many words a subject may have behind its first.
const longestSubject = 5

// isPredicate reports whether a word follows a subject: "are", "must", "may".
func isPredicate(t words.Token) bool {
	switch t.Lower {
	case "to", "always":
		return false
	case "should", "follow", "cannot":
		return true
	}
	return t.Form == "be" || demands[t.Lower] || permits[t.Lower]
}
