package operator

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/transcript"
	"governance.internal/functions/agent-therapy/words"
)

// repeats say that something was said before.
var repeats = []string{
	"again", "i told you", "i said", "as i said", "already told", "already said", "i already", "how many times",
	"still not", "still using", "still have", "still wrong", "i asked for", "i asked you", "like i said",
	"once more", "for the third time", "for the second time", "you keep ", "as mentioned", "i repeat",
	"same mistake", "same error", "i've told", "i have told", "i've said", "as before", "yet again", "you still", "why do you keep", "there's still", "there is still", "is still", "are still", " too.", "still an", "still the", "for the last time", "not again",
}

// corrections say that something was wrong.
var corrections = []string{
	"no,", "no.", "no ", "not ", "don't", "do not", "wrong", "incorrect", "instead", "should be",
	"you dropped", "you forgot", "you missed", "you left out", "you ignored", "please use", "that's not",
	"that is not", "stop ", "never ", "only!", "only ", "must be", "i want", "i meant", "please", "actually", "that's ", "has to", "have to", "less ", "fewer ", "without ", "remember", "too ",
}

// correction is a turn of a person that corrects.
type correction struct {
	turn    *transcript.Turn
	about   []string
	repeats bool
}

// corrections finds corrections of the same thing.
func (f *finder) corrections() {
	var earlier []correction

	for i := range f.t.Turns {
		c, ok := f.correctionAt(i)
		if !ok {
			continue
		}
		for _, before := range earlier {
			if isSameCorrection(before, c) {
				f.add(RepeatedCorrection, before.turn, before.turn.Text)
				f.add(RepeatedCorrection, c.turn, c.turn.Text)
			}
		}
		earlier = append(earlier, c)
	}
}

// isSameCorrection reports whether two corrections are about the same, and one says so or both are firm.
func isSameCorrection(a, b correction) bool {
	insists := a.repeats || b.repeats || isFirm(a.turn) && isFirm(b.turn)
	return insists && shares(a.about, b.about)
}

// correctionAt reads turn i as a correction of the agent's turn before.
func (f *finder) correctionAt(i int) (correction, bool) {
	turn := f.turn(i)
	if turn.Role != transcript.User || i < 2 || f.asked(i-1) {
		return correction{}, false
	}

	text := plain(turn.Text) + "."
	again := containsAny(text, repeats) != ""
	if !again && containsAny(text+" ", corrections) == "" {
		return correction{}, false
	}
	return correction{turn, contentOf(turn.Text), again}, true
}

// isFirm reports whether a correction says no by itself.
func isFirm(turn *transcript.Turn) bool {
	return containsAny(plain(turn.Text), []string{"no,", "no.", "not ", "don't", "do not", "wrong", "stop ", "never ", "you dropped", "you forgot", "instead"}) != ""
}

// asked reports whether the agent's turn i ends with a question.
func (f *finder) asked(i int) bool {
	turn := f.turn(i)
	return turn.Role == transcript.Assistant && strings.HasSuffix(strings.TrimSpace(turn.Text), "?")
}

// contentOf returns the normal forms of the words that say what a text is about.
func contentOf(text string) []string {
	var forms []string
	for _, t := range words.Read(text) {
		if t.Mark || words.Empty(t.Lower) || said[t.Lower] {
			continue
		}
		if !slices.Contains(forms, t.Form) {
			forms = append(forms, t.Form)
		}
	}
	return forms
}

// said are words about talking, which say nothing of the matter.
var said = map[string]bool{
	"said": true, "told": true, "asked": true, "say": true, "tell": true, "ask": true, "please": true, "sorry": true,
	"again": true, "already": true, "still": true, "stop": true, "yes": true, "thanks": true, "thank": true,
	"hello": true, "hi": true, "did": true, "want": true, "need": true, "wrong": true, "that's": true, "i'm": true,
	"what": true, "happens": true, "now": true, "above": true, "earlier": true, "before": true, "use": true, "like": true,
	"keep": true, "using": true, "put": true, "help": true,
}

// shares reports whether two texts are about the same: one word that is not broad, or two.
func shares(a, b []string) bool {
	n := 0
	for _, form := range a {
		if !slices.Contains(b, form) {
			continue
		}
		if !words.Broad(form) {
			return true
		}
		n++
	}
	return n >= 2
}
