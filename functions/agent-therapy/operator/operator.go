// Package operator finds patterns of a conversation in which people and agents lose time: the same
// correction again, unrequested work, unproven success, loops, answers that were
// not awaited, and things forgotten.
package operator

import (
	"cmp"
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/transcript"
)

// Codes of the patterns.
const (
	RepeatedCorrection = "repeated_correction"
	ScopeCreep         = "scope_creep"
	UngroundedSuccess  = "ungrounded_success_claim"
	Loop               = "loop"
	IgnoredApproval    = "ignored_approval"
	LostContext        = "lost_context"
)

// Pattern is one that was found, with the turns that show it.
type Pattern struct {
	Code     string             `json:"code"`
	Evidence []transcript.Quote `json:"evidence"`
	Effect   string             `json:"effect"`
	Repair   string             `json:"repair"`
}

// advice says for people what a pattern does and what ends it.
var advice = map[string][2]string{
	RepeatedCorrection: {
		"The same correction is given more than once, so it was not kept.",
		"Write the correction into the instructions of the project as a rule with its reason.",
	},
	ScopeCreep: {
		"More is changed than was asked for; it must be reviewed or taken back.",
		"State that nothing beyond the request is changed, and that further ideas are listed as proposals.",
	},
	UngroundedSuccess: {
		"Success is reported although nothing in the conversation shows it.",
		"Demand that a claim of success quotes the command that was run and its result.",
	},
	Loop: {
		"The same step is repeated with the same outcome.",
		"Set a limit: after two equal failures the agent stops, says what it tried, and asks.",
	},
	IgnoredApproval: {
		"An action is taken although a person was asked, or had asked to wait, and had not agreed.",
		"Put the action behind a gate that the agent cannot pass alone, such as a hook or a protected tool.",
	},
	LostContext: {
		"Something that was said before is asked for again.",
		"Keep the facts of the task in notes that are read before each question, and hand them over between sessions.",
	},
}

// finder reads a transcript and collects patterns.
type finder struct {
	t        *transcript.Transcript
	evidence map[string][]transcript.Quote
}

// Find returns the patterns of a conversation, each code once, in the order of the first evidence.
func Find(t *transcript.Transcript) []Pattern {
	f := &finder{t, map[string][]transcript.Quote{}}

	f.loops()
	f.corrections()
	f.creep()
	f.limits()
	f.claims()
	f.approvals()
	f.lost()

	return f.patterns()
}

func (f *finder) patterns() []Pattern {
	patterns := []Pattern{}
	for code, quotes := range f.evidence {
		slices.SortStableFunc(quotes, byLine)
		effect, repair := advice[code][0], advice[code][1]
		patterns = append(patterns, Pattern{
			Code:     code,
			Evidence: quotes,
			Effect:   effect,
			Repair:   repair,
		})
	}

	slices.SortFunc(patterns, byEvidence)
	return patterns
}

func byLine(a, b transcript.Quote) int { return cmp.Compare(a.Line, b.Line) }

// byEvidence orders patterns by where they first show.
func byEvidence(a, b Pattern) int {
	first := byLine(a.Evidence[0], b.Evidence[0])
	if first != 0 {
		return first
	}
	return strings.Compare(a.Code, b.Code)
}

// add enters words of a turn as evidence, each turn once for a code.
func (f *finder) add(code string, turn *transcript.Turn, words string) {
	for _, q := range f.evidence[code] {
		if q.Line == turn.Number {
			return
		}
	}
	f.evidence[code] = append(f.evidence[code], f.t.Quote(turn, words))
}

// turn returns a turn by its index.
func (f *finder) turn(i int) *transcript.Turn { return &f.t.Turns[i] }

// plain returns a text in lower case with straight apostrophes.
func plain(text string) string {
	return strings.ToLower(strings.ReplaceAll(text, "’", "'"))
}

// containsAny returns the first of some phrases that a text contains; empty for none.
func containsAny(text string, phrases []string) string {
	for _, phrase := range phrases {
		if strings.Contains(text, phrase) {
			return phrase
		}
	}
	return ""
}

// sentencesOf cuts a text into sentences, roughly.
func sentencesOf(text string) []string {
	var all []string
	start := 0
	for i := range len(text) {
		isEnd := strings.ContainsRune(".!?\n", rune(text[i])) && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n' || text[i] == '\n')
		if isEnd {
			all = append(all, strings.TrimSpace(text[start:i+1]))
			start = i + 1
		}
	}
	return append(all, strings.TrimSpace(text[start:]))
}
