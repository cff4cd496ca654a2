package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// statements cuts blocks into sentences. Headings are no statements, nor are examples.
func statements(blocks []block) []Statement {
	var all []Statement

	for _, b := range blocks {
		topic := ""
		for _, s := range sentences(b.text) {
			text := b.text[s.start:s.end]
			if isExample(text) {
				continue
			}
			all = append(all, Statement{
				Text:    text,
				Start:   b.start + s.start,
				End:     b.start + s.end,
				Under:   b.under,
				LeadIn:  b.leadIn,
				Topic:   topic,
				Negated: b.negated || isCrossed(text),
				Row:     b.kind == row,
			})
			topic = text
		}
	}

	return all
}

// span is a part of a text, in bytes.
type span struct{ start, end int }

// sentences returns the sentences of a text without the white space around them.
func sentences(text string) []span {
	var found []span
	start := 0
	code := false

	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '`':
			code = !code
		case '.', '!', '?':
			end := closed(text, at+1)
			if !code && endsHere(text, at, end) {
				found = appendSpan(found, text, start, end)
				start = end
				at = end - 1
			}
		}
	}

	return appendSpan(found, text, start, len(text))
}

func appendSpan(spans []span, text string, start, end int) []span {
	part := text[start:end]
	start += len(part) - len(strings.TrimLeft(part, " \t"))
	end = start + len(strings.TrimSpace(part))
	if start >= end {
		return spans
	}
	return append(spans, span{start, end})
}

// closed returns the byte behind closing quotes and brackets that follow the end of a sentence.
func closed(text string, at int) int {
	for at < len(text) && strings.ContainsRune(`.!?"')]*_`, rune(text[at])) {
		at++
	}
	return at
}

// abbreviations end with a point that ends no sentence.
var abbreviations = []string{"e.g.", "i.e.", "etc.", "vs.", "no.", "dr.", "mr.", "mrs.", "ms.", "approx.", "incl.", "max.", "min.", "cf."}

// endsHere reports whether the mark at a byte ends a sentence; end is the byte behind it.
func endsHere(text string, at, end int) bool {
	if end == len(text) {
		return true
	}
	if text[end] != ' ' && text[end] != '\t' {
		return false
	}

	word := strings.ToLower(text[strings.LastIndexAny(text[:at], " (")+1 : at+1])
	for _, short := range abbreviations {
		if word == short {
			return false
		}
	}

	rest := strings.TrimLeft(text[end:], " \t")
	next, _ := utf8.DecodeRuneInString(rest)
	return !unicode.IsLower(next)
}

// exampleLabels introduce what is shown and not asked for.
var exampleLabels = []string{
	"bad", "wrong", "incorrect", "example", "good", "correct", "right", "e.g.", "for example",
	"bad example", "good example", "❌ bad", "✅ good", "before", "after", "input", "output",
	"user", "assistant", "question", "old", "new",
}

// isExample reports whether a sentence is labelled as an example.
func isExample(text string) bool {
	label, rest, ok := strings.Cut(strings.ToLower(text), ":")
	if !ok || strings.TrimSpace(rest) == "" {
		return false
	}

	label = strings.Trim(label, " *_`")
	for _, known := range exampleLabels {
		if label == known {
			return true
		}
	}
	return false
}

// crosses are marks in front of what must not be done.
var crosses = []string{"❌", "🚫", "⛔", "✗", "✘", "🛑"}

func isCrossed(text string) bool {
	for _, cross := range crosses {
		if strings.HasPrefix(text, cross) {
			return true
		}
	}
	return false
}

// prohibitive are titles and lead-ins of what must not be done, without punctuation.
var prohibitive = map[string]bool{
	"do not": true, "don't": true, "dont": true, "never": true, "avoid": true, "forbidden": true,
	"prohibited": true, "banned": true, "not allowed": true, "must not": true, "don'ts": true,
	"donts": true, "what not to do": true, "things to avoid": true, "you must not": true,
	"you must never": true, "never do": true, "do not do": true, "don't do": true, "nevers": true,
	"never do this": true, "never do the following": true, "do not do the following": true,
	"you should not": true, "you may not": true, "you never": true, "you do not": true,
	"things you must not do": true, "things not to do": true, "anti-patterns": true,
	"antipatterns": true, "anti patterns": true, "hard nos": true, "no-gos": true,
	"prohibited actions": true, "forbidden actions": true, "agents must not": true,
	"agents must never": true, "the agent must not": true, "the agent must never": true,
	"you are not allowed to": true, "it is forbidden to": true, "please do not": true,
	"please don't": true, "always avoid": true, "strictly forbidden": true,
	"strictly prohibited": true, "must never": true, "off limits": true, "off-limits": true,
	"never ever": true, "under no circumstances": true, "things to never do": true,
	"never_do": true, "do_not": true, "dont_do": true, "things you should never do": true,
	"restrictions": false,
}

// IsProhibitive reports whether a heading or a lead-in introduces what must not be done.
func IsProhibitive(title string) bool {
	plain := strings.ToLower(strings.ReplaceAll(title, "’", "'"))
	plain = strings.TrimFunc(plain, func(r rune) bool {
		return !unicode.IsLetter(r)
	})
	return prohibitive[plain]
}
