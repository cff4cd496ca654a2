package scan

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"governance.internal/shared/textkit"
)

//go:embed lexicon.txt
var lexiconText string

// lexicon holds the phrases of each class of meaning, by the stem of their first word.
type lexicon struct {
	byFirst map[string][]entry
	classes map[string]bool
}

// entry is a phrase of a class.
type entry struct {
	class string
	stems []string
}

var words = sync.OnceValue(func() *lexicon { return readLexicon(lexiconText) })

func readLexicon(text string) *lexicon {
	l := &lexicon{
		byFirst: map[string][]entry{},
		classes: map[string]bool{},
	}
	class := ""

	for line := range strings.Lines(text) {
		list := strings.TrimSpace(line)
		if list == "" || list[0] == '#' {
			continue
		}
		if line[0] != ' ' {
			class, list, _ = strings.Cut(list, ":")
			l.classes[class] = true
		}
		for phrase := range strings.SplitSeq(list, ",") {
			l.add(class, phrase)
		}
	}
	return l
}

func (l *lexicon) add(class, phrase string) {
	stems := textkit.StemsOf(phrase)
	if len(stems) == 0 {
		return
	}
	l.byFirst[stems[0]] = append(l.byFirst[stems[0]], entry{class, stems})
}

// mark is a place where a phrase of a class stands.
type mark struct {
	at, length int
}

// marksOf finds the phrases in the words of a sentence. A word such as "unlogged" is marked as
// what it denies; [textkit.Scopes] knows that it is denied.
func (l *lexicon) marksOf(sentence []textkit.Word) map[string][]mark {
	stems := make([]string, len(sentence))
	for i, w := range sentence {
		stems[i] = w.Stem
		if denied, ok := textkit.WithoutUn(w); ok {
			stems[i] = denied
		}
	}

	marks := map[string][]mark{}
	for at := range stems {
		for _, e := range l.byFirst[stems[at]] {
			if hasPrefix(stems[at:], e.stems) {
				marks[e.class] = addMark(marks[e.class], mark{at, len(e.stems)})
			}
		}
		if _, ok := textkit.WithoutUn(sentence[at]); !ok {
			continue
		}
		for _, e := range l.byFirst[sentence[at].Stem] {
			if len(e.stems) == 1 {
				marks[e.class] = addMark(marks[e.class], mark{at, 1})
			}
		}
	}
	return withoutIgnored(marks)
}

// withoutIgnored drops the marks inside of phrases that mean something else: "logged in".
func withoutIgnored(marks map[string][]mark) map[string][]mark {
	ignored := marks["ignore"]
	if len(ignored) == 0 {
		return marks
	}

	inside := func(m mark) bool {
		return slices.ContainsFunc(ignored, func(i mark) bool {
			return i.at <= m.at && m.at+m.length <= i.at+i.length
		})
	}
	delete(marks, "ignore")
	for class := range marks {
		marks[class] = slices.DeleteFunc(marks[class], inside)
	}
	return marks
}

// addMark adds a mark; of two at one place the longer one stays.
func addMark(marks []mark, m mark) []mark {
	last := len(marks) - 1
	if last >= 0 && marks[last].at == m.at {
		marks[last].length = max(marks[last].length, m.length)
		return marks
	}
	return append(marks, m)
}

func hasPrefix(stems, prefix []string) bool {
	if len(stems) < len(prefix) {
		return false
	}

	for i := range prefix {
		if stems[i] != prefix[i] {
			return false
		}
	}
	return true
}
