package textkit

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFoldedFormHasOneByteForEachCodePoint(t *testing.T) {
	for _, source := range []string{"", "Café — “the Shop” 🍵 ñ", "日本語 text\r\nline", "a\u200bb\x00c", "\xff broken"} {
		text := New(source)
		if points := utf8.RuneCountInString(source); len(text.Plain) != points || len(text.Lower) != points {
			t.Errorf("%q: %d and %d bytes for %d code points", source, len(text.Plain), len(text.Lower), points)
		}
	}

	if got := New("Müller’s naïve “façade”").Plain; got != `Muller's naive "facade"` {
		t.Errorf("folded to %q", got)
	}
}

func TestQuotesAreVerbatim(t *testing.T) {
	source := "  Größe — “x” 🍵 ok  "
	text := New(source)
	q := text.Quote(text.All())

	if q.Quote != "Größe — “x” 🍵 ok" || string([]rune(source)[q.Start:q.End]) != q.Quote {
		t.Errorf("%+v", q)
	}
}

func TestSentences(t *testing.T) {
	tests := map[string][]string{
		"One is here. Two is there.":               {"One is here.", "Two is there."},
		"it logs stuff. nobody reads it":           {"it logs stuff.", "nobody reads it"},
		"Acme Inc. makes it. It costs $1.50 today": {"Acme Inc. makes it.", "It costs $1.50 today"},
		"“I agree.” The other said “no”.":          {"“I agree.”", "The other said “no”."},
		"We use logs, e.g. a table. Fine!":         {"We use logs, e.g. a table.", "Fine!"},
		"# Title\nText goes\nover two lines.":      {"Title", "Text goes\nover two lines."},
		"- one item\n- two\n  lines of it":         {"one item", "two\n  lines of it"},
		"• RBAC • SSO":                             {"RBAC", "SSO"},
		"| a | b |\n|---|---|\n| c | d |":          {"| a | b |", "| c | d |"},
		"Q: Is it logged?\nA: Yes, it is.":         {"Q: Is it logged?", "A: Yes, it is."},
		"See no. 5. Then go.":                      {"See no. 5.", "Then go."},
	}

	for source, want := range tests {
		text := New(source)
		var got []string
		for _, s := range text.Sentences() {
			got = append(got, text.Quote(s.Span).Quote)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

func TestParagraphsAreCounted(t *testing.T) {
	text := New("one\n\n- two\n- three\n\n\nfour")
	var got []int
	for _, s := range text.Sentences() {
		got = append(got, s.Paragraph)
	}
	if !slices.Equal(got, []int{0, 1, 1, 2}) {
		t.Errorf("%v", got)
	}
}

func TestStemsOfForms(t *testing.T) {
	groups := []string{
		"approve approves approved approving",
		"log logs logged logging",
		"verify verifies verified verifying",
		"policy policies",
		"write writes wrote written writing",
		"control controls controlled controlling",
		"hash hashes hashed hashing",
		"add adds added adding",
		"call calls called calling",
		"check checks checked checking",
	}
	for _, group := range groups {
		forms := strings.Fields(group)
		for _, form := range forms {
			if Stem(form) != Stem(forms[0]) {
				t.Errorf("%s: %q, %s: %q", forms[0], Stem(forms[0]), form, Stem(form))
			}
		}
	}
}

func wordsOf(sentence string) []Word {
	text := New(sentence)
	return text.Words(text.All())
}

func TestWords(t *testing.T) {
	tests := map[string]string{
		"read-only audit_chain PreToolUse": "read only audit chain pre tool use",
		"the agent's key isn't 2,500.50":   "the agent key isn't 2,500.50",
		"HANDOFF.md, ✅":                    "handoff.md yes",
	}
	for source, want := range tests {
		var got []string
		for _, w := range wordsOf(source) {
			got = append(got, w.Lower)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q", source, got)
		}
	}
}

func TestClauses(t *testing.T) {
	tests := map[string]int{
		"The hook blocks it": 1,
		"The hook blocks it, and the agent cannot turn it off": 2,
		"It runs as root and never asks":                       2,
		"We log the name and the version of each agent":        1,
		"Nothing ships unless a person agrees":                 2,
		"Logs: none":                                           2,
	}
	for source, want := range tests {
		if got := Clauses(wordsOf(source)); len(got) != want {
			t.Errorf("%q: %d clauses, want %d", source, len(got), want)
		}
	}
}

func TestPolarity(t *testing.T) {
	tests := []struct {
		sentence, word string
		want           Polarity
	}{
		{"We log every call", "log", Affirmed},
		{"We do not log every call", "log", Denied},
		{"There is no approval", "approval", Denied},
		{"No agent writes without approval", "approval", Required},
		{"Without approval the bot posts", "approval", Denied},
		{"Nothing ships unless a person agrees", "agrees", Required},
		{"There is no call that does not end in the log", "log", Required},
		{"Not one action goes unrecorded", "unrecorded", Required},
		{"The calls go unrecorded", "unrecorded", Denied},
		{"It runs as root and has a log", "log", Affirmed},
		{"It does not ask, but it has a log", "log", Affirmed},
		{"No logs, no gates and no approvals", "approvals", Denied},
		{"Neither a human nor a machine reviews it", "machine", Denied},
		{"Not only the log but also the key is kept", "log", Affirmed},
		{"The agent isn't allowed to talk to anything but our service", "service", Required},
		{"Commits that are not signed are rejected", "rejected", Affirmed},
		{"It is applied by the pipeline, not by the agent, and a person agrees", "agrees", Affirmed},
		{"Until a person agrees, nothing is sent", "agrees", Required},
	}
	for _, test := range tests {
		words := wordsOf(test.sentence)
		at := slices.IndexFunc(words, func(w Word) bool { return w.Lower == test.word })
		if got := NewScopes(words).Polarity(at); got != test.want {
			t.Errorf("%q in %q: %d, want %d", test.word, test.sentence, got, test.want)
		}
	}
}

func TestPredicatesDeny(t *testing.T) {
	tests := map[string]bool{
		"Approval is not needed":       true,
		"Approval isn't needed":        true,
		"The approval is switched off": true,
		"Approval: none":               true,
		"Approval? We have none":       true,
		"Approval: yes":                false,
		"Approval is needed":           false,
		"Approval comes from a clerk":  false,
	}
	for sentence, want := range tests {
		words := wordsOf(sentence)
		at := slices.IndexFunc(words, func(w Word) bool { return w.Lower == "approval" })
		if _, got := DeniedAfter(words, at); got != want {
			t.Errorf("%q: denied %v", sentence, got)
		}
	}
}

func TestModality(t *testing.T) {
	tests := map[string]Modality{
		"The log is signed":                           Stated,
		"The agent must ask first":                    Demanded,
		"A manager should approve it":                 Advised,
		"Refunds are supposed to be approved":         Advised,
		"We plan to add a log":                        Planned,
		"Handoff notes: to be done":                   Planned,
		"We hope to add a firewall":                   Wished,
		"Maybe there is a log":                        Doubted,
		"The vendor claims that it is logged":         Doubted,
		"It would be logged":                          Imagined,
		"We used to require a review":                 Past,
		"A script is used to check the plan":          Stated,
		"The auditors could not get around the block": Stated,
	}
	for sentence, want := range tests {
		if got := ModalityOf(wordsOf(sentence)); got != want {
			t.Errorf("%q: %d, want %d", sentence, got, want)
		}
	}
}

func TestDirectives(t *testing.T) {
	tests := []struct {
		sentence string
		force    Force
		negative bool
		action   string
	}{
		{"Always run the tests before you commit.", Orders, false, "run the tests"},
		{"Never push to main without approval.", Orders, true, "push to main without approval"},
		{"You should avoid long functions.", Prefers, true, "long functions"},
		{"Use tabs for indentation.", Orders, false, "Use tabs for indentation"},
		{"Do not edit generated files unless asked.", Orders, true, "edit generated files"},
		{"You may use the network.", Allows, false, "use the network"},
	}
	for _, test := range tests {
		text := New(test.sentence)
		all := Directives(text.Sentences()[0])
		if len(all) != 1 {
			t.Errorf("%q: %d directives", test.sentence, len(all))
			continue
		}
		d := all[0]
		action := text.Of(Span{d.Action[0].Start, d.Action[len(d.Action)-1].End})
		if d.Force != test.force || d.Negative != test.negative || !strings.HasPrefix(action, test.action) {
			t.Errorf("%q: force %d, negative %v, %q", test.sentence, d.Force, d.Negative, action)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("1. Rent. The rent is $9.\n\n- (a) “It” ends…\u00a0now.\n```\ncode\n```\n| a | b |")
	f.Add("Never X without Y, unless: it's fine; no. ✅ ❌ • a_b-cD")
	f.Fuzz(func(t *testing.T, source string) {
		text := New(source)
		before := 0
		for _, s := range text.Sentences() {
			q := text.Quote(s.Span)
			if utf8.ValidString(source) && string([]rune(source)[q.Start:q.End]) != q.Quote {
				t.Fatalf("%+v", q)
			}
			if q.Start < before || text.Line(q.Start) < 1 {
				t.Fatalf("sentences overlap at %d", q.Start)
			}
			before = q.End
			scopes := NewScopes(s.Words)
			for i := range s.Words {
				scopes.Polarity(i)
				DeniedAfter(s.Words, i)
			}
			ModalityOf(s.Words)
			Directives(s)
		}
	})
}
