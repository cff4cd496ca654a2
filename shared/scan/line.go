package scan

import (
	"slices"
	"strings"

	"governance.internal/shared/textkit"
)

// line is a sentence with what the lexicon knows of its words.
type line struct {
	textkit.Sentence
	scopes *textkit.Scopes
	marks  map[string][]mark
	colon  bool // it ends with a colon: a list follows
}

func newLine(s textkit.Sentence) *line {
	l := &line{
		Sentence: s,
		scopes:   textkit.NewScopes(s.Words),
		marks:    words().marksOf(s.Words),
	}
	l.marks["record_verb"] = slices.DeleteFunc(l.marks["record_verb"], l.isNoun)
	l.markNames()
	l.markRuns()
	l.markWhich()
	return l
}

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

// of returns the marks of classes that are separated by "|".
func (l *line) of(classes string) []mark {
	if !strings.Contains(classes, "|") {
		return l.marks[classes]
	}

	var all []mark
	for class := range strings.SplitSeq(classes, "|") {
		all = append(all, l.marks[class]...)
	}
	return all
}

func (l *line) has(classes string) bool { return len(l.of(classes)) > 0 }

// near returns the mark of classes that is nearest to another mark, within a number of words, and
// does not overlap it.
func (l *line) near(m mark, classes string, within int) (mark, bool) {
	return l.nearest(m, within, l.of(classes))
}

// nearest returns the nearest of several marks that stand in the same part of the line.
func (l *line) nearest(m mark, within int, others []mark) (mark, bool) {
	best, distance := mark{}, within+1
	part := l.part(m)
	for _, other := range others {
		d := gap(m, other)
		if d >= 0 && d < distance && l.part(other) == part {
			best, distance = other, d
		}
	}
	return best, distance <= within
}

// gap is the number of words from one mark to another, or -1 when they overlap.
func gap(a, b mark) int {
	if b.at < a.at {
		a, b = b, a
	}
	if b.at < a.at+a.length {
		return -1
	}
	return b.at - a.at - a.length
}

// affirmed reports whether the sentence claims what stands at a mark.
func (l *line) affirmed(m mark) bool {
	return l.scopes.Polarity(m.at) != textkit.Denied
}

// affirms reports whether a phrase of classes stands in the line and is not denied.
func (l *line) affirms(classes string) bool {
	for _, m := range l.of(classes) {
		if l.affirmed(m) {
			return true
		}
	}
	return false
}

// harm are verbs whose negation protects: "cannot be changed", "never leaves".
const harm = "alter|write_verb|bypass|reach_verb|undo"

// denial tells how a line denies a mark: not at all, or so that it protects ("cannot be changed"),
// or so that the thing is not there.
func (l *line) denial(m mark, protective string) verdict {
	if l.isConditional(m) {
		return claimed
	}
	if l.scopes.Polarity(m.at) == textkit.Denied {
		if l.protects(m, protective) {
			return protected
		}
		return absent
	}

	verb, denied := textkit.DeniedAfter(l.Words, m.at+m.length-1)
	if !denied || textkit.IsActive(l.Words, m.at) {
		return claimed
	}
	if label := l.Words[verb].Break; label != "" && label != "," {
		return absent
	}
	if l.marksAt(protective+"|let_verb", verb) {
		return protected
	}
	return absent
}

// isConditional reports whether a mark stands in a condition, where nothing is denied: "the build
// fails if the notice is missing".
func (l *line) isConditional(m mark) bool {
	switch l.scopes.Clauses[l.scopes.ClauseAt(m.at)].Link {
	case "if", "when", "whenever":
		return true
	case "whose", "which", "who":
		return l.affirms("turn_away") // "rejects calls whose key is not known"
	}
	return false
}

// verdict is what a line says about a control.
type verdict int

const (
	claimed verdict = iota
	protected
	absent
)

// reach is how far before a mark the verb of a ban may stand, in words.
const reach = 6

// protects reports whether the negation before a mark is that of a harmful verb: "cannot turn
// the hook off", "nobody edits the log".
func (l *line) protects(m mark, protective string) bool {
	clause := l.scopes.Clauses[l.scopes.ClauseAt(m.at)]
	from := max(clause.First, m.at-reach)
	negated := false

	for i := clause.First; i < m.at; i++ {
		if textkit.IsNegator(l.Words, i) {
			negated = true
		}
		if negated && i >= from && !textkit.IsNegator(l.Words, i) && l.marksAt(protective, i) {
			return true
		}
	}
	return false
}

// harmed reports whether the line tells that a control was damaged: "its log had been truncated".
func (l *line) harmed(m mark) bool {
	at := m.at + m.length
	if at+1 >= len(l.Words) || !textkit.IsAuxiliary(l.Words[at]) {
		return false
	}

	switch l.Words[at].Lower {
	case "was", "were", "had", "has", "have":
	default:
		return false
	}
	return l.marksAt("alter", at+1) || l.Words[at+1].Lower == "been" && l.marksAt("alter", at+2)
}

// approvesItself reports whether it is the agent that must not approve: "the agent cannot approve
// its own changes".
func (l *line) approvesItself(m mark) bool {
	if _, own := l.near(m, "self", 4); own {
		return true
	}
	clause := l.scopes.Clauses[l.scopes.ClauseAt(m.at)]
	return l.marksAt("agent", clause.First) || l.marksAt("agent", clause.First+1)
}

// bans reports whether the negation before a verb is its own: "may not send", but not "is not
// limited in what it may send".
func (l *line) bans(m mark) bool {
	clause := l.scopes.Clauses[l.scopes.ClauseAt(m.at)]
	for i := m.at - 1; i >= clause.First; i-- {
		if textkit.IsNegator(l.Words, i) {
			return true
		}
		w := l.Words[i]
		participle := strings.HasSuffix(w.Lower, "ed") && len(w.Lower) > 4
		if participle && !l.marksAt("let_verb|light", i) {
			return false
		}
	}
	return false
}

func (l *line) marksAt(classes string, at int) bool {
	for _, m := range l.of(classes) {
		if m.at <= at && at < m.at+m.length {
			return true
		}
	}
	return false
}

// undone reports whether the line tells that a control was taken away: "we removed the approval
// step", "we skip the approvals".
func (l *line) undone(m mark) bool {
	for _, u := range l.marks["undo"] {
		if l.affirmed(u) && l.isObject(u, m) && (l.isPast(u) || l.marksAt("skipped", u.at)) {
			return true
		}
	}
	return false
}

// isObject reports whether a mark stands right behind a verb, with no preposition between.
func (l *line) isObject(verb, m mark) bool {
	behind := verb.at + verb.length
	if behind > m.at || m.at-behind > 3 {
		return false
	}
	return !l.marksAt("preposition", behind)
}

func (l *line) isPast(verb mark) bool {
	lower := l.Words[verb.at].Lower
	return strings.HasSuffix(lower, "ed") || strings.HasSuffix(lower, "ing")
}

// modality returns how the clause of a mark is meant. A clause of the same sentence that only
// comments on it ("ideally", "there is a ticket for it") counts, too.
func (l *line) modality(m mark, busy map[int]bool) textkit.Modality {
	own := l.scopes.ClauseAt(m.at)
	meant := textkit.ModalityOf(l.scopes.Clauses[own].Words)
	if meant != textkit.Stated && meant != textkit.Demanded {
		return meant
	}

	condition := own > 0 && isCondition(l.scopes.Clauses[own].Link)
	for n, c := range l.scopes.Clauses {
		if busy[n] && !(condition && n == own-1) {
			continue
		}
		comment := textkit.ModalityOf(c.Words)
		if isReserve(comment) {
			return comment
		}
	}
	return meant
}

func isCondition(link string) bool {
	switch link {
	case "if", "when", "once", "until", "unless", "after", "before":
		return true
	}
	return false
}

// isReserve reports whether something is only planned, wished, doubted or advised.
func isReserve(m textkit.Modality) bool {
	switch m {
	case textkit.Advised, textkit.Planned, textkit.Wished, textkit.Doubted:
		return true
	}
	return false
}
