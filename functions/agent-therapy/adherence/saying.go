package adherence

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"governance.internal/functions/agent-therapy/directive"
)

// language is one that a rule may demand.
type language struct {
	name  string
	named []string        // words by which rules name it
	usual map[string]bool // words that nearly every sentence in it has
}

var languages = []language{
	{"German", []string{"german", "deutsch"}, usual("der die das und ist nicht ich sie es ein eine zu den von mit auf für dass im wie")},
	{"English", []string{"english", "englisch", "anglais", "inglés", "inglese"}, usual("the and is not you it a an to of with for that in on are was this i be")},
	{"French", []string{"french", "français", "französisch"}, usual("le la les et est pas je vous il un une de des du pour que dans sur avec ce")},
	{"Spanish", []string{"spanish", "español", "castellano", "spanisch"}, usual("el la los y es no que un una de del para con en por se lo su como")},
	{"Italian", []string{"italian", "italiano", "italienisch"}, usual("il la gli e è non che un una di del per con in da si lo sono come")},
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
	for _, l := range languages {
		if l.isNamedIn(text) {
			return l.name
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
	for _, l := range languages {
		n := 0
		for _, field := range fields {
			if l.usual[field] {
				n++
			}
		}
		if n > most {
			best, most, second = l.name, n, most
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
var signs = [][2]string{{"exclamation mark", "!"}, {"exclamation point", "!"}, {"em dash", "—"}, {"em-dash", "—"}}

// forbiddenSigns returns the signs that a rule forbids in answers.
func forbiddenSigns(d *directive.Directive) []string {
	if !d.Negative || len(d.When) > 0 {
		return nil
	}
	var forbidden []string
	text := strings.ToLower(d.Sentence().Text)
	for _, sign := range signs {
		if strings.Contains(text, sign[0]) {
			forbidden = append(forbidden, sign[1])
		}
	}
	return forbidden
}

// mannerRule is a rule about how to answer.
type mannerRule struct {
	Rule
	most     int      // words; 0 for any number
	without  []string // signs
	language string   // "" for any
}

// mannerRules returns the rules that an answer can break by how it is said.
func mannerRules(rules []Rule) []mannerRule {
	var manners []mannerRule
	for _, r := range rules {
		m := mannerRule{r, mostWords(r.Directive), forbiddenSigns(r.Directive), demanded(r.Directive)}
		if m.most > 0 || len(m.without) > 0 || m.language != "" {
			manners = append(manners, m)
		}
	}
	return manners
}

// isBroken reports whether an answer is longer than a rule wants, has a sign that it forbids, or is in
// another language.
func (m mannerRule) isBroken(answer string) bool {
	isLonger := m.most > 0 && len(strings.Fields(answer)) > m.most
	if isLonger || containsAny(answer, m.without) {
		return true
	}
	if m.language == "" {
		return false
	}
	got := spoken(answer)
	return got != "" && got != m.language
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
