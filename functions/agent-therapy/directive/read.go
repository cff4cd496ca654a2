package directive

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/words"
)

// readClause understands a clause; it returns nil for one that says nothing.
func readClause(c clause) *Directive {
	tokens := c.part(core)
	r := reading{tokens: tokens}
	r.polarity()
	r.verb()
	if r.describes && r.negative && r.strength != May {
		r.strength = States
	}

	groups := r.groups(c.label)
	d := &Directive{
		Negative:  r.negative,
		Strength:  r.strength,
		Action:    r.action,
		Things:    slices.Concat(groups...),
		Groups:    groups,
		Located:   r.located(),
		Literal:   literals(tokens),
		When:      forms(c.part(when)),
		Case:      lowers(c.part(when)),
		Setting:   c.place,
		Codes:     spansOf(tokens),
		Except:    forms(c.part(except)),
		Without:   forms(c.part(without)),
		Before:    forms(c.part(before)),
		After:     forms(c.part(after)),
		Instead:   forms(c.part(instead)),
		Rejected:  c.part(instead),
		Only:      has(tokens, "only", "exclusively", "solely", "nothing"),
		OnlyCase:  c.only,
		Universal: has(tokens, universal...),
		Core:      tokens,
		Whole:     slices.Concat(c.label, tokens),
		Options:   optionsOf(c),
	}

	d.command()
	d.onlyWhen(c)
	d.withoutApproval(c)
	if len(d.Things) == 0 && d.Action == "" && len(d.Instead) == 0 {
		return nil
	}
	return d
}

// spansOf returns what stands in backticks, in lower case.
func spansOf(tokens []words.Token) []string {
	var spans []string
	for i, t := range tokens {
		if !t.Code || t.Mark {
			continue
		}
		if i > 0 && tokens[i-1].Code && !tokens[i-1].Mark && len(spans) > 0 {
			spans[len(spans)-1] += " " + t.Lower
			continue
		}
		spans = append(spans, t.Lower)
	}
	return spans
}

// optionsOf returns the words among which a choice may be named, in the order of the text.
func optionsOf(c clause) []words.Token {
	all := slices.Concat(c.label, c.part(core), c.part(before), c.part(after), c.part(even))
	slices.SortFunc(all, func(a, b words.Token) int { return a.Start - b.Start })
	return all
}

// staying are verbs of what is not taken away.
var staying = set("stay remain linger persist surviv")

// command reads "run `git push`" as to push, "keep it enabled" as to enable it, and "must not stay" as
// to delete it.
func (d *Directive) command() {
	if d.Negative && staying[d.Action] {
		d.Negative, d.Action = false, "delete"
		return
	}
	switch d.Action {
	case "begin", "end", "start":
		d.done()
	case "keep", "leave":
		d.kept()
	case "run", Use, "create":
		d.called()
	}
}

// done reads "begin by apologizing" as to apologize.
func (d *Directive) done() {
	for i, t := range d.Core {
		behindBy := i > 0 && d.Core[i-1].Lower == "by"
		if behindBy && t.Act && strings.HasSuffix(firstWord(t.Lower), "ing") {
			d.Action = t.Form
			d.Things = allBut(d.Things, t.Form)
			d.Groups = withoutGroup(d.Groups, t.Form)
			return
		}
	}
}

// called makes a command in backticks the action.
func (d *Directive) called() {
	for _, t := range d.Core {
		if t.Act && t.Code && slices.Contains(d.Things, t.Form) {
			d.Action = t.Form
			d.Things = allBut(d.Things, t.Form)
			d.Groups = withoutGroup(d.Groups, t.Form)
			return
		}
	}
}

// kept reads "keep it enabled" as to enable it.
func (d *Directive) kept() {
	if d.Action != "keep" && slices.Contains(d.Things, "alon") {
		d.Negative, d.Strength, d.Action = true, Must, "edit"
		d.Things = allBut(d.Things, "alon")
		d.Groups = withoutGroup(d.Groups, "alon")
		return
	}
	if isKeptAsIs(d.Core) {
		d.Negative, d.Strength, d.Action = true, Must, "edit"
		return
	}
	if isKeptOut(d.Core) {
		d.Negative, d.Strength, d.Action = true, Must, "include"
		return
	}
	for _, state := range []string{"update", "enable", "disable", "open", "close", "hide"} {
		if slices.Contains(d.Things, state) {
			d.Action = state
			d.Things = allBut(d.Things, state)
			d.Groups = withoutGroup(d.Groups, state)
			return
		}
	}
}

// isKeptAsIs reports whether words say that something stays what it is: "leave the headers as they are".
func isKeptAsIs(tokens []words.Token) bool {
	for i, t := range tokens {
		switch t.Lower {
		case "untouched", "unchanged", "unmodified", "as-is":
			return true
		case "as":
			if isBeing(tokens[i+1:]) {
				return true
			}
		}
	}
	return false
}

// isBeing reports whether one of the next two words is a form of "be": "as is", "as they are".
func isBeing(tokens []words.Token) bool {
	return slices.ContainsFunc(tokens[:min(2, len(tokens))], func(t words.Token) bool { return t.Form == "be" })
}

// isKeptOut reports whether words say that something is kept out of something.
func isKeptOut(tokens []words.Token) bool {
	for i, t := range tokens[:max(0, len(tokens)-1)] {
		if t.Lower == "out" && tokens[i+1].Lower == "of" {
			return true
		}
	}
	return false
}

// universal are words that leave no exception.
var universal = []string{
	"always", "every", "each", "all", "automatically", "immediately", "everything", "everywhere",
	"any", "whenever", "straight", "directly", "constantly", "autonomously", "unconditionally",
}

// onlyWhen reads "only run it when asked" as a prohibition with an exception.
func (d *Directive) onlyWhen(c clause) {
	if d.Only && len(c.part(when)) > 0 && !d.Negative && startsWithOnly(d.Core) {
		d.Except, d.When = d.When, nil
		d.OnlyCase = true
	}
	if d.OnlyCase && !d.Negative {
		d.Negative, d.Strength = true, Must
	}
}

func startsWithOnly(tokens []words.Token) bool {
	for i, t := range tokens {
		if t.Lower == "only" {
			return true
		}
		if i > 3 {
			break
		}
	}
	return false
}

// withoutApproval reads "never X without approval" as a prohibition with an exception.
func (d *Directive) withoutApproval(c clause) {
	if !d.Negative || len(c.part(without)) == 0 {
		return
	}
	d.Except = append(d.Except, d.Without...)
	d.Without = nil
}
