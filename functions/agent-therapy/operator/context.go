package operator

import (
	"slices"
	"strings"
	"sync"

	"governance.internal/functions/agent-therapy/transcript"
	"governance.internal/functions/agent-therapy/words"
)

// blank are words of an agent that knows nothing any more.
var blank = []string{
	"i don't have any context", "i have no context", "i don't have context", "no memory of", "don't have any memory", "don't recall", "do not recall",
	"i don't remember", "i do not remember", "what were we working on", "what we were working on", "remind me what", "don't have access to our previous",
	"could you describe the project", "start from the beginning", "i'm not sure what you're referring to", "lost track of", "i seem to have lost",
	"no record of our", "what project are we", "fresh session", "don't have the earlier",
}

// given say that something was said before.
var given = []string{
	"i told you", "i already", "already gave", "already told", "i gave it", "i gave you", "above", "at the beginning", "i mentioned", "as i mentioned", "i just told",
	"i just said", "i said", "as i wrote", "i wrote", "earlier", "we already", "i've already", "see my first", "i just gave", "told you that", "before that",
}

// insisted say so without doubt.
var insisted = []string{
	"i told you", "already told", "already gave", "i gave it", "i already said", "i already sent", "as i wrote", "as i said", "as i mentioned", "i just told", "i just said", "i just gave", "told you that", "i already mentioned",
}

// lost finds questions about what was said before.
func (f *finder) lost() {
	var heard []string
	people := 0

	for i := range f.t.Turns {
		turn := f.turn(i)
		switch turn.Role {
		case transcript.User:
			heard = append(heard, toldIn(turn.Text)...)
			people++
		case transcript.Assistant:
			f.lostIn(i, heard, people)
		}
	}
}

func (f *finder) lostIn(i int, heard []string, people int) {
	if people < 2 {
		return
	}

	turn := f.turn(i)
	for _, sentence := range sentencesOf(turn.Text) {
		lower := plain(sentence)
		knowsNothing := containsAny(lower, blank) != ""
		if knowsNothing || asksFor(lower) && f.wasTold(i, askedIn(sentence), heard) {
			f.add(LostContext, turn, sentence)
			return
		}
	}
}

// wasTold reports whether what turn i asks was said before: all of it, or part of it if the person
// complains.
func (f *finder) wasTold(i int, asked, heard []string) bool {
	known := countKnown(asked, heard)
	if f.complainedAfter(i, insisted) {
		return true
	}
	if f.complainedAfter(i, given) {
		return known > 0 || len(asked) == 0
	}
	return known >= 2 && 3*known >= 2*len(asked)
}

// asksFor reports whether a sentence asks a person for something they know.
func asksFor(lower string) bool {
	if containsAny(lower, proposals) != "" {
		return false
	}
	isQuestion := strings.HasSuffix(lower, "?") || strings.HasPrefix(lower, "please ")
	return isQuestion && containsAny(lower, inquiries) != ""
}

// proposals ask what is to be done, and not for anything that is known.
var proposals = []string{"shall i", "should i", "would you like", "do you want", "may i", "anything else", "can i help"}

// inquiries ask for something that is known.
var inquiries = []string{
	"could you", "can you", "please tell me", "please provide", "please share", "what is your", "what's your", "which ", "do you have", "what was",
	"may i have", "what are your", "who ", "where ", "when ", "could i have", "let me know your", "i need your", "what language", "what framework",
	"what is ", "what's ", "need to know", "tell me",
}

// complainedAfter reports whether the next person says that it has said this before.
func (f *finder) complainedAfter(i int, phrases []string) bool {
	for j := i + 1; j < len(f.t.Turns); j++ {
		turn := f.turn(j)
		if turn.Role == transcript.User {
			return containsAny(plain(turn.Text), phrases) != ""
		}
	}
	return false
}

// toldIn returns what a person states; questions state nothing.
func toldIn(text string) []string {
	var forms []string
	for _, sentence := range sentencesOf(text) {
		if !strings.HasSuffix(sentence, "?") {
			forms = append(forms, contentOf(sentence)...)
		}
	}
	return forms
}

// askedIn returns what a question is about.
func askedIn(sentence string) []string {
	return slices.DeleteFunc(contentOf(sentence), func(form string) bool {
		return courtesy()[form] || form == "tell" || form == "give" || form == "reveal" || form == "explain" || form == "user"
	})
}

// courtesy are forms that belong to the question itself.
var courtesy = sync.OnceValue(func() map[string]bool {
	forms := map[string]bool{}
	for _, form := range words.Forms("please could can tell provide share know let me have describe confirm about again") {
		forms[form] = true
	}
	return forms
})

// sharedPrefix is how many letters make two words one: "allergies" and "allergic".
const sharedPrefix = 6

// countKnown returns how many of the words were heard before.
func countKnown(asked, heard []string) int {
	n := 0
	for _, form := range asked {
		if slices.ContainsFunc(heard, func(h string) bool { return related(form, h) }) {
			n++
		}
	}
	return n
}

func related(a, b string) bool {
	if a == b {
		return true
	}
	return len(a) >= sharedPrefix && len(b) >= sharedPrefix && a[:sharedPrefix] == b[:sharedPrefix]
}
