package agenttherapy

import (
	"fmt"
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/adherence"
	"governance.internal/functions/agent-therapy/boundary"
	"governance.internal/functions/agent-therapy/conflict"
	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/document"
	"governance.internal/functions/agent-therapy/operator"
	"governance.internal/functions/agent-therapy/repair"
	"governance.internal/functions/agent-therapy/transcript"
)

// reading is an input as it was read.
type reading struct {
	files []readFile
}

// readFile is a file as a document or as a transcript.
type readFile struct {
	File
	kind       document.Kind
	document   *document.Document     // nil for a transcript
	transcript *transcript.Transcript // nil for a document
}

// findings are what was found in the documents.
type findings struct {
	directives []*directive.Directive
	conflicts  []conflict.Conflict
	gaps       []boundary.Gap
}

// readFiles reads files as a kind, or as what each looks like if the kind is empty.
func readFiles(files []File, kind document.Kind) *reading {
	r := &reading{}
	for _, f := range files {
		one := readFile{File: f, kind: kind}
		if kind == "" {
			one.kind = document.KindOf(f.Name, f.Text)
		}

		source := document.NewSource(f.Name, f.Text)
		if one.kind == document.Transcript {
			one.transcript = transcript.Read(source)
		} else {
			one.document = document.Read(source, one.kind)
		}
		r.files = append(r.files, one)
	}
	return r
}

// refusal returns why a file cannot be diagnosed as its kind: a transcript without turns, or a list
// of tools without a tool.
func (r *reading) refusal() error {
	for i, f := range r.files {
		field := fmt.Sprintf("files[%d]", i)
		if f.Name == DefaultName {
			field = "text"
		}

		switch {
		case f.transcript != nil && len(f.transcript.Turns) == 0:
			return refuse(field, "was read as a transcript and has no turns; begin turns with User: and Assistant:, or name another kind")
		case f.kind == document.Tools && len(f.document.Tools) == 0:
			return refuse(field, "was read as a list of tools and has none; give JSON with name and description of each, or name another kind")
		}
	}
	return nil
}

// diagnose finds conflicts among all documents, and the gaps of all of them together.
func (r *reading) diagnose() findings {
	found := findings{gaps: []boundary.Gap{}}
	for _, f := range r.files {
		if f.document == nil {
			continue
		}
		found.directives = append(found.directives, directive.Read(f.document)...)
		found.gaps = append(found.gaps, boundary.Find(f.document)...)
	}
	found.conflicts = slices.DeleteFunc(conflict.Find(found.directives), concernsLimit)
	return found
}

// concernsLimit reports whether an instruction of a conflict is what a patch has written to limit a tool: it
// stands beside what else is said of the tool.
func concernsLimit(c conflict.Conflict) bool {
	return boundary.IsLimit(c.A.Sentence().Text) || boundary.IsLimit(c.B.Sentence().Text)
}

// patterns returns the patterns of all transcripts.
func (r *reading) patterns() []operator.Pattern {
	patterns := []operator.Pattern{}
	for _, f := range r.files {
		if f.transcript != nil {
			patterns = append(patterns, operator.Find(f.transcript)...)
		}
	}
	return patterns
}

// breaches holds each transcript against the documents, and against what its own system prompt and its
// people rule.
func (r *reading) breaches(rules []*directive.Directive) []adherence.Breach {
	breaches := []adherence.Breach{}
	for _, f := range r.files {
		if f.transcript == nil {
			continue
		}
		inForce := slices.Concat(adherence.Standing(rules), spokenRules(f.transcript))
		breaches = append(breaches, adherence.Find(inForce, f.transcript)...)
	}
	return breaches
}

// spokenRules returns the directives of the system turns of a transcript and of its people. Their quotes
// are parts of those turns.
func spokenRules(t *transcript.Transcript) []adherence.Rule {
	var rules []adherence.Rule
	for _, turn := range t.Turns {
		isRuling := turn.Role == transcript.System || turn.Role == transcript.User
		if !isRuling {
			continue
		}
		name := fmt.Sprintf("%s#%d", t.Source.Name, turn.Number)
		if turn.Role == transcript.System {
			name = t.Source.Name + "#system"
		}
		spoken := document.Read(document.NewSource(name, turn.Text), document.Prompt)
		rules = append(rules, adherence.Since(turn.Number, directive.Read(spoken))...)
	}
	return rules
}

// mostRounds is how often the repair looks again at what it has written.
const mostRounds = 6

// patch returns the difference that removes the findings from the documents and adds none; empty if
// nothing can be repaired in the text.
func (r *reading) patch(found findings) string {
	if len(found.conflicts)+len(found.gaps) == 0 {
		return ""
	}

	rounds := mostRounds
	isCut := len(found.conflicts) == conflict.Most
	if isCut {
		rounds = 1 // there are others behind those that are reported
	}
	repaired, left := r.withBoundaries(found.gaps).repaired(rounds)
	if !isCut && left.hasNew(found) {
		repaired, _ = r.repaired(rounds)
	}

	var b strings.Builder
	for i, f := range r.files {
		b.WriteString(repair.Patch(f.Name, f.Text, repaired.files[i].Text))
	}
	return b.String()
}

// repaired returns the files without what conflicts, and what is still found in them.
func (r *reading) repaired(rounds int) (*reading, findings) {
	current, found := r, r.diagnose()
	for range rounds {
		next := current.withoutConflicts(found.conflicts)
		if next == nil {
			break
		}
		current, found = next, next.diagnose()
	}
	return current, found
}

// boundaryHeading is the heading under which a patch puts what closes gaps.
const boundaryHeading = "Boundaries"

// withBoundaries adds lines that close gaps to the end of their files.
func (r *reading) withBoundaries(gaps []boundary.Gap) *reading {
	files := make([]File, 0, len(r.files))
	for _, f := range r.files {
		var lines []string
		for _, g := range gaps {
			if g.File == f.Name && repair.CanEdit(f.kind) {
				lines = append(lines, g.Repair)
			}
		}
		files = append(files, File{f.Name, repair.Append(f.Text, boundaryHeading, lines)})
	}
	return r.again(files)
}

// withoutConflicts removes the instruction of each conflict that should go; nil if none can.
func (r *reading) withoutConflicts(conflicts []conflict.Conflict) *reading {
	cuts := map[string][]repair.Cut{}
	for _, c := range conflicts {
		stays, goes := c.Kept()
		if !repair.CanEdit(goes.Document.Kind) {
			goes = stays
		}
		if !repair.CanEdit(goes.Document.Kind) {
			continue
		}
		s := goes.Sentence()
		cuts[goes.Document.Name] = append(cuts[goes.Document.Name], repair.Cut{Start: s.Start, End: s.End})
	}
	if len(cuts) == 0 {
		return nil
	}

	files := make([]File, 0, len(r.files))
	for _, f := range r.files {
		files = append(files, File{f.Name, repair.Remove(f.Text, cuts[f.Name])})
	}
	return r.again(files)
}

// again reads changed files as the kinds that they had.
func (r *reading) again(files []File) *reading {
	next := &reading{}
	for i, f := range files {
		one := r.files[i]
		one.File = f
		if one.document != nil {
			one.document = document.Read(document.NewSource(f.Name, f.Text), one.kind)
		}
		next.files = append(next.files, one)
	}
	return next
}

// hasNew reports whether there is a conflict or a gap that was not found before.
func (now findings) hasNew(before findings) bool {
	for _, c := range now.conflicts {
		if !slices.ContainsFunc(before.conflicts, func(b conflict.Conflict) bool { return sameText(b, c) }) {
			return true
		}
	}
	for _, g := range now.gaps {
		if !slices.ContainsFunc(before.gaps, func(b boundary.Gap) bool { return b.Code == g.Code && b.File == g.File }) {
			return true
		}
	}
	return false
}

// sameText reports whether two conflicts are about the same sentences.
func sameText(a, b conflict.Conflict) bool {
	return a.A.Sentence().Text == b.A.Sentence().Text && a.B.Sentence().Text == b.B.Sentence().Text
}
