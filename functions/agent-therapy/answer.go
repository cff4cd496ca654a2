// Package agenttherapy diagnoses what an agent is told and what it did: instructions that contradict
// each other, boundaries that are missing, and patterns of a conversation that went wrong. It answers
// with quoted lines, a patch, a skill and a draft of rules that can be enforced.
//
// It reads only; the same input has the same answer, byte by byte.
package agenttherapy

import (
	"cmp"
	"slices"

	"governance.internal/functions/agent-therapy/conflict"
	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/document"
)

// Answer is a diagnosis. Offsets are code points of the text of the file, from 0.
type Answer struct {
	Kind      string     `json:"kind"`
	Files     []FileInfo `json:"files"`
	Conflicts []Conflict `json:"instruction_conflicts"`
}

// FileInfo tells as what a file was read.
type FileInfo struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Lines int    `json:"lines"`
}

// Conflict is two instructions that cannot both be followed.
type Conflict struct {
	Code     string         `json:"code"`
	A        document.Quote `json:"a"`
	B        document.Quote `json:"b"`
	Why      string         `json:"why"`
	Active   string         `json:"active_together"`
	Severity string         `json:"severity"`
	Repair   string         `json:"repair"`
}

// Diagnose reads an input. The error is an [*InputError] if the input is refused.
func Diagnose(in Input) (*Answer, error) {
	files, err := in.files()
	if err != nil {
		return nil, err
	}

	a := &Answer{Files: []FileInfo{}, Conflicts: []Conflict{}}
	var all []*directive.Directive

	for _, f := range files {
		kind := document.KindOf(f.Name, f.Text)
		if in.Kind != "" {
			kind = document.Kind(in.Kind)
		}
		d := document.Read(document.NewSource(f.Name, f.Text), kind)
		a.Files = append(a.Files, FileInfo{f.Name, string(kind), d.Lines()})
		all = append(all, directive.Read(d)...)
	}

	a.Kind = a.Files[0].Kind
	a.addConflicts(conflict.Find(all))
	return a, nil
}

// addConflicts enters conflicts, the gravest first.
func (a *Answer) addConflicts(found []conflict.Conflict) {
	for _, c := range found {
		first, second := c.Quotes()
		a.Conflicts = append(a.Conflicts, Conflict{
			Code:     c.Code,
			A:        first,
			B:        second,
			Why:      c.Why,
			Active:   c.Together,
			Severity: c.Severity,
			Repair:   c.Repair(),
		})
	}

	slices.SortStableFunc(a.Conflicts, func(x, y Conflict) int {
		return cmp.Compare(rank(x.Severity), rank(y.Severity))
	})
}

// rank orders severities, the gravest first.
func rank(severity string) int {
	return slices.Index([]string{conflict.High, conflict.Medium, conflict.Low}, severity)
}
