// Package agenttherapy diagnoses the instructions of an agent and what it did: instructions that contradict
// each other, boundaries that are missing, and patterns of a conversation that went wrong. It answers
// with quoted lines, a patch, a skill and a draft of rules that can be enforced.
//
// It reads only; the same input has the same answer, byte by byte.
package agenttherapy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"

	"governance.internal/functions/agent-therapy/adherence"
	"governance.internal/functions/agent-therapy/boundary"
	"governance.internal/functions/agent-therapy/conflict"
	"governance.internal/functions/agent-therapy/document"
	"governance.internal/functions/agent-therapy/guardrule"
	"governance.internal/functions/agent-therapy/operator"
	"governance.internal/functions/agent-therapy/repair"
	"governance.internal/functions/agent-therapy/skill"
)

// Answer is a diagnosis. Offsets are code points of the text of the file, from 0; of a transcript
// the line of a quote is the number of the turn, from 1.
type Answer struct {
	Kind      string             `json:"kind"` // of the first file
	Files     []FileInfo         `json:"files"`
	Conflicts []Conflict         `json:"instruction_conflicts"`
	Gaps      []boundary.Gap     `json:"boundary_gaps"`
	Patterns  []operator.Pattern `json:"operator_patterns"`
	Breaches  []adherence.Breach `json:"rule_breaches"`
	Skill     *repair.Skill      `json:"repair_skill"`
	Patch     string             `json:"patch"` // unified; empty if there is nothing to repair in the text
	Guard     *guardrule.Draft   `json:"governance_yaml"`
}

// FileInfo tells as what a file was read.
type FileInfo struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Lines    int      `json:"lines"` // of a transcript its turns
	SHA256   string   `json:"sha256"`
	Problems []string `json:"problems,omitempty"` // of a skill against the rules of Agent Skills
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

	read := readFiles(files, in.kind())
	if err := read.refusal(); err != nil {
		return nil, err
	}

	found := read.diagnose()
	a := &Answer{
		Kind:      string(read.files[0].kind),
		Files:     read.infos(),
		Conflicts: conflictsOf(found.conflicts),
		Gaps:      found.gaps,
		Patterns:  read.patterns(),
		Breaches:  read.breaches(found.directives),
		Patch:     read.patch(found),
		Guard:     guardrule.Make(found.directives),
	}

	a.Skill, err = a.skill(found)
	return a, err
}

func (r *reading) infos() []FileInfo {
	infos := make([]FileInfo, 0, len(r.files))
	for _, f := range r.files {
		sum := sha256.Sum256([]byte(f.Text))
		info := FileInfo{Name: f.Name, Kind: string(f.kind), SHA256: hex.EncodeToString(sum[:])}
		if f.transcript != nil {
			info.Lines = len(f.transcript.Turns)
		} else {
			info.Lines = f.document.Lines()
		}
		if f.kind == document.Skill {
			info.Problems = skill.Problems(folderOf(f.Name), f.Text)
		}
		infos = append(infos, info)
	}
	return infos
}

// folderOf returns the folder of a skill; empty if the name has none.
func folderOf(name string) string {
	folder := path.Base(path.Dir(name))
	if folder == "." || path.Base(name) != "SKILL.md" {
		return ""
	}
	return folder
}

// conflictsOf returns conflicts, the gravest first.
func conflictsOf(found []conflict.Conflict) []Conflict {
	all := make([]Conflict, 0, len(found))
	for _, c := range found {
		first, second := c.Quotes()
		all = append(all, Conflict{
			Code:     c.Code,
			A:        first,
			B:        second,
			Why:      c.Why,
			Active:   c.Together,
			Severity: c.Severity,
			Repair:   c.Repair(),
		})
	}

	slices.SortStableFunc(all, func(x, y Conflict) int {
		return cmp.Compare(rank(x.Severity), rank(y.Severity))
	})
	return all
}

// rank orders severities, the gravest first.
func rank(severity string) int {
	return slices.Index([]string{conflict.High, conflict.Medium, conflict.Low}, severity)
}

// skill writes the repair skill; nil if nothing was found.
func (a *Answer) skill(found findings) (*repair.Skill, error) {
	var conflicts, gaps, work []repair.Habit

	for _, c := range found.conflicts {
		stays, _ := c.Kept()
		conflicts = append(conflicts, repair.Habit{Title: "This holds:", Do: stays.Quote().Quote, Why: c.Why})
	}
	for _, g := range a.Gaps {
		gaps = append(gaps, repair.Habit{Title: g.Repair, Why: g.Why})
	}
	for _, p := range a.Patterns {
		work = append(work, repair.Habit{Title: p.Repair, Why: p.Effect})
	}
	for _, b := range a.Breaches {
		work = append(work, repair.Habit{Title: "This rule was broken:", Do: b.Rule.Quote})
	}

	if len(conflicts)+len(gaps)+len(work) == 0 {
		return nil, nil
	}
	return repair.Write(conflicts, gaps, work)
}
