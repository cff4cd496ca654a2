package adherence

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/transcript"
)

// language is one that a rule may demand.
type language struct {
	named []string        // words by which rules name it
	usual map[string]bool // words that nearly every sentence in it has
}

var languages = map[string]language{
	"German":  {[]string{"german", "deutsch"}, usual("der die das und ist nicht ich sie es ein eine zu den von mit auf für dass im wie")},
	"English": {[]string{"english", "englisch", "anglais", "inglés", "inglese"}, usual("the and is not you it a an to of with for that in on are was this i be")},
	"French":  {[]string{"french", "français", "französisch"}, usual("le la les et est pas je vous il un une de des du pour que dans sur avec ce")},
	"Spanish": {[]string{"spanish", "español", "castellano", "spanisch"}, usual("el la los y es no que un una de del para con en por se lo su como")},
	"Italian": {[]string{"italian", "italiano", "italienisch"}, usual("il la gli e è non che un una di del per con in da si lo sono come")},
}

func usual(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// answering are words of rules that are about the language of answers.
var answering = []string{"answer", "reply", "respond", "write", "speak", "antwort", "schreib", "répond", "responde", "contest", "rispond"}

// demanded returns the language that a rule wants answers in; empty if it wants none.
func demanded(d *directive.Directive) string {
	text := strings.ToLower(d.Sentence().Text)
	isAboutAnswers := containsAny(text, answering)
	if d.Negative || !isAboutAnswers || len(d.When) > 0 {
		return ""
	}
	for name, l := range languages {
		if l.isNamedIn(text) {
			return name
		}
	}
	return ""
}

// isNamedIn reports whether a text in lower case says "in German", "auf Deutsch" or the like.
func (l language) isNamedIn(text string) bool {
	for _, word := range l.named {
		if containsAny(text, []string{" in " + word, " auf " + word, " en " + word}) {
			return true
		}
	}
	return false
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// fewestWords is how many words an answer has at least to show its language.
const fewestWords = 8

// spoken returns the language of a text; empty if it is not clear.
func spoken(text string) string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" \n\t.,;:!?()\"'`", r) })
	if len(fields) < fewestWords {
		return ""
	}

	best, most, second := "", 0, 0
	for name, l := range languages {
		n := 0
		for _, field := range fields {
			if l.usual[field] {
				n++
			}
		}
		if n > most {
			best, most, second = name, n, most
		} else {
			second = max(second, n)
		}
	}
	if most < 3 || most < 2*second {
		return ""
	}
	return best
}

// signs are what rules forbid by name.
var signs = map[string]string{"exclamation mark": "!", "exclamation point": "!", "em dash": "—", "em-dash": "—"}

// forbiddenSign returns the sign that a rule forbids in answers; empty if it forbids none.
func forbiddenSign(d *directive.Directive) string {
	if !d.Negative || len(d.When) > 0 {
		return ""
	}
	text := strings.ToLower(d.Sentence().Text)
	for name, sign := range signs {
		if strings.Contains(text, name) {
			return sign
		}
	}
	return ""
}

// isBrokenBySaying reports whether an answer is in another language than a rule wants, or longer.
func (s *state) isBrokenBySaying(d Rule, turn *transcript.Turn) bool {
	if most := mostWords(d.Directive); most > 0 && len(strings.Fields(turn.Text)) > most {
		return true
	}
	if sign := forbiddenSign(d.Directive); sign != "" && strings.Contains(turn.Text, sign) {
		return true
	}
	want := demanded(d.Directive)
	if want == "" {
		return false
	}
	got := spoken(turn.Text)
	return got != "" && got != want
}

// limit matches how many words an answer may have.
var limit = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:under|at most|no more than|not more than|max(?:imum)?(?: of)?|up to|within|below|fewer than|less than|limit(?:ed)? to) (\d{1,4}) words\b`)
})

// answers are words of rules about what the agent says.
var answers = []string{"answer", "repl", "response", "message", "keep it", "yourself"}

// mostWords returns how many words an answer may have by a rule; 0 if it sets no limit.
func mostWords(d *directive.Directive) int {
	text := d.Sentence().Text
	found := limit().FindStringSubmatch(text)
	if found == nil || len(d.When) > 0 || !containsAny(strings.ToLower(text), answers) {
		return 0
	}
	most, err := strconv.Atoi(found[1])
	if err != nil {
		return 0
	}
	return most
}
