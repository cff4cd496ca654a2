package directive

import (
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
		if isPredicate(t) {
			return i < longestSubject
		}
		isBreak := t.Mark && t.Text != "`"
		if relatives[t.Lower] || isBreak || strings.HasSuffix(t.Lower, "ed") {
			return false
		}
	}
	return false
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
