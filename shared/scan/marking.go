package scan

import (
	"strings"

	"governance.internal/shared/textkit"
)

// markPaths marks words that are parts of paths: "infra/", "/srv/policy", "rules.yaml".
func (l *line) markPaths(t *textkit.Text) {
	l.colon = strings.HasSuffix(strings.TrimRight(t.Of(l.Span), "*_ "), ":")

	for i, w := range l.Words {
		if isRooted(t.Lower, w.Start) || isFolder(t.Lower, w.End) || hasExtension(w.Lower) {
			l.marks["file"] = append(l.marks["file"], mark{i, 1})
		}
	}
}

// isRooted reports whether a word stands behind the slash that begins a path.
func isRooted(text string, start int) bool {
	if start == 0 || text[start-1] != '/' {
		return false
	}
	return start == 1 || text[start-2] == ' '
}

// isFolder reports whether the slash that ends a path stands behind a word.
func isFolder(text string, end int) bool {
	if end >= len(text) || text[end] != '/' {
		return false
	}
	return end+1 == len(text) || strings.IndexByte(" \n,.;)`", text[end+1]) >= 0
}

// hasExtension reports whether a word is the name of a file of text or code.
func hasExtension(word string) bool {
	at := strings.LastIndexByte(word, '.')
	return at > 0 && extensions[word[at+1:]]
}

var extensions = map[string]bool{
	"md": true, "yaml": true, "yml": true, "json": true, "toml": true, "txt": true, "py": true, "go": true, "js": true, "ts": true, "sh": true, "env": true, "cfg": true, "conf": true, "ini": true, "lock": true, "tf": true, "sql": true, "csv": true, "pem": true, "key": true, "xml": true,
}

var determiners = map[string]bool{
	"a": true, "an": true, "the": true, "every": true, "each": true, "this": true, "that": true, "its": true, "their": true, "no": true, "state": true, "other": true, "per": true,
}

// isNoun reports whether "record" and the like stand behind an article.
func (l *line) isNoun(m mark) bool {
	w := l.Words[m.at]
	bare := !strings.HasSuffix(w.Lower, "ed") && !strings.HasSuffix(w.Lower, "ing")
	return bare && m.at > 0 && determiners[l.Words[m.at-1].Lower]
}

// markNames marks names of people as deciders: an unknown word with a capital letter before a verb
// of a person, as in "Marta reads them".
func (l *line) markNames() {
	for i, w := range l.Words {
		if !w.Capital || l.known(i) {
			continue
		}
		if l.decides(i) || l.marksAt("ask_verb", i-1) || i > 0 && l.isName(i) {
			l.marks["decider"] = append(l.marks["decider"], mark{i, 1})
		}
	}
}

// isName reports whether an unknown word with a capital letter stands near a verb of approval.
func (l *line) isName(at int) bool {
	m := mark{at, 1}
	if strings.ToUpper(l.Words[at].Lower[1:]) == l.Words[at].Lower[1:] {
		return false // digits
	}
	_, near := l.near(m, "review_verb|approve_strong", 3)
	return near
}

// decides reports whether a word stands before a verb of somebody who decides.
func (l *line) decides(at int) bool {
	if at+1 >= len(l.Words) || !strings.HasSuffix(l.Words[at+1].Lower, "s") {
		return false
	}
	return l.marksAt("review_verb|approve|send_verb", at+1)
}

// markWhich marks "which" before a word for who acts: "which moderator did it".
func (l *line) markWhich() {
	for i, w := range l.Words {
		if w.Lower == "which" && l.marksAt("agent|decider|person", l.behindOf(i+1)) || l.asksWho(i) {
			l.marks["which_one"] = append(l.marks["which_one"], mark{i, 1})
		}
	}
}

// behindOf returns the place behind "of our" and the like.
func (l *line) behindOf(at int) int {
	if at+1 < len(l.Words) && l.Words[at].Lower == "of" {
		return at + 2
	}
	return at
}

// asksWho reports "who" before a verb in the past: "who moved the card".
func (l *line) asksWho(at int) bool {
	if l.Words[at].Lower != "who" || at+1 >= len(l.Words) {
		return false
	}
	next := l.Words[at+1].Lower
	return strings.HasSuffix(next, "ed") || next == "did" || next == "made" || next == "wrote"
}

// markRuns marks runs that come later or came before: "the next session", "tomorrow's run".
func (l *line) markRuns() {
	for _, m := range l.marks["next_word"] {
		after := mark{m.at + m.length, 1}
		if l.marksAt("run_word", after.at) || l.marksAt("run_word", after.at+1) {
			l.marks["next_run"] = append(l.marks["next_run"], m)
		}
	}
}

// known reports whether the lexicon has a word for who acts or what is done, or the word is all capitals.
func (l *line) known(at int) bool {
	w := l.Words[at]
	if determiners[w.Lower] || len(w.Lower) < 3 {
		return true
	}
	return l.marksAt("agent|decider|person|recipient|component|checker|log_name|record_place|file|net|memory|note", at)
}
