// Package directive understands instructions: what shall be done or not, to what, under which
// condition, and how strictly.
package directive

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/document"
	"governance.internal/functions/agent-therapy/words"
)

// Strength is how strictly something is said.
type Strength int

const (
	States Strength = iota // describes, and asks for nothing
	May                    // allows
	Should                 // asks
	Must                   // demands
)

// Directive is one thing that an instruction asks for, allows or forbids.
type Directive struct {
	Document  *document.Document
	Statement int // index in the document
	Clause    int // index in the statement

	Negative bool       // is not to be done
	Strength Strength   // of a negative one: May says that it need not be done
	Action   string     // normal form of the verb; empty if there is none
	Things   []string   // normal forms of the words that say to what
	Groups   [][]string // the things; those that "or" and "and" join stand together
	Located  []string   // those of the things that say where or for what it holds
	Literal  []string   // those of them that stand in backticks or are paths

	When    []string // condition; empty if it always holds
	Case    []string // the words of the condition, in lower case
	Setting bool     // the condition says where or for what it holds
	Codes   []string // what stands in backticks, span by span, as written
	Except  []string // case in which it does not hold
	Without []string // what is left out while it is done
	About   []string // what the sentence of a directive without a subject is about
	Before  []string // what comes later
	After   []string // what comes earlier
	Instead []string // options that are rejected

	Rejected []words.Token // the words of Instead

	Omits  string // verb that says that something is not done: "skip"
	Turned bool   // says of what is omitted that it is not there, or that it is

	Left      bool // is what another directive of its clause leaves out: "without ..."
	Only      bool // allows nothing else: "only", "exclusively"
	OnlyCase  bool // Except is the only case in which it is done
	Universal bool // says that there is no exception: always, every, automatically

	Core    []words.Token // the clause without its side parts
	Whole   []words.Token // with its label
	Options []words.Token // with its label and with what comes before and after
	At      int           // byte of the source where the core begins
}

// Quote returns the sentence of the directive, as far as it stands on the directive's line.
func (d *Directive) Quote() document.Quote {
	s := d.Document.Statements[d.Statement]
	return d.Document.Quote(s.Start, s.End, d.At)
}

// Sentence returns the statement that the directive is a part of.
func (d *Directive) Sentence() *document.Statement {
	return &d.Document.Statements[d.Statement]
}

// Has reports whether a normal form occurs among things, action or side parts.
func (d *Directive) Has(form string) bool {
	return d.Action == form || slices.Contains(d.Things, form) || slices.Contains(d.When, form) ||
		slices.Contains(d.Before, form) || slices.Contains(d.After, form)
}

// Read returns the directives of a document in the order of the text.
func Read(d *document.Document) []*Directive {
	var all, last []*Directive
	for i := range d.Statements {
		var previous *Directive
		if d.Statements[i].Topic != "" && len(last) > 0 {
			previous = last[len(last)-1]
		}
		last = readStatement(d, i, previous)
		all = append(all, last...)
	}
	return all
}

// readStatement reads the directives of a sentence; previous is the last one of the sentence before
// in the same block.
func readStatement(d *document.Document, index int, previous *Directive) []*Directive {
	statement := &d.Statements[index]
	text := withoutQuotations(statement.Text)
	tokens := words.Read(text)

	var found []*Directive

	for i, c := range clausesOf(tokens) {
		one := readClause(c)
		if one == nil {
			continue
		}

		one.Document, one.Statement, one.Clause = d, index, i
		one.At = statement.Start + startOf(c)
		if statement.Negated && !one.Negative {
			one.Negative, one.Strength = true, Must
			one.withoutApproval(c)
		}
		one.resolve(previous)
		if i > 0 && previous != nil && one.isFragment() {
			one.About = append([]string{previous.Action}, previous.Things...)
		}
		previous = one
		found = append(found, one)
		if avoided := one.avoided(); avoided != nil {
			found = append(found, avoided)
		}
		if left := one.leftOut(c); left != nil {
			found = append(found, left)
		}
		if needed := one.needed(c); needed != nil {
			found = append(found, needed)
		}
	}

	shareCondition(found)
	return found
}

// isFragment reports whether a directive only forbids something beside what its sentence is about: "no
// retry", "never edited".
func (d *Directive) isFragment() bool {
	return d.Negative && len(d.Core) <= longestFragment && (d.Action == Use || isParticiple(d.Core[len(d.Core)-1].Lower))
}

// longestFragment is how many words a part of a sentence without a subject has at most.
const longestFragment = 4

// shareCondition lets a bare verb hold in the case of the clause behind it: "stop and ask if it fails".
func shareCondition(sentence []*Directive) {
	for i := len(sentence) - 2; i >= 0; i-- {
		first, second := sentence[i], sentence[i+1]
		isBare := len(first.Things)+len(first.When)+len(first.Before)+len(first.After) == 0
		if isBare && first.Negative == second.Negative {
			first.When, first.Case = second.When, second.Case
		}
	}
}

// leftOut returns the prohibition in "do it without ..."; nil if there is none.
func (d *Directive) leftOut(c clause) *Directive {
	tokens := c.part(without)
	if d.Negative || len(tokens) == 0 || d.Strength == States {
		return nil
	}

	r := reading{tokens: tokens, verbAt: -1, action: Use}
	for i, t := range tokens {
		if t.Act && strings.HasSuffix(firstWord(t.Lower), "ing") {
			r.action, r.verbAt = t.Form, i
			break
		}
	}

	left := *d
	left.About = append([]string{d.Action}, d.Things...)
	left.Negative, left.Left, left.Action = true, true, r.action
	left.Groups = r.groups(nil)
	left.Things = slices.Concat(left.Groups...)
	left.Literal = literals(tokens)
	left.Without, left.Before, left.After, left.Instead = nil, nil, nil, nil
	left.Core, left.Whole, left.Options = tokens, tokens, tokens
	return &left
}

// needed returns the demand in "never merge without a test": to have one; nil if there is none. An
// approval that is needed is no thing to have.
func (d *Directive) needed(c clause) *Directive {
	tokens := c.part(without)
	if !d.Negative || d.Strength != Must || len(tokens) == 0 || slices.ContainsFunc(tokens, isConsent) {
		return nil
	}

	r := reading{tokens: tokens, verbAt: -1, action: Use}
	needed := *d
	needed.About = append([]string{d.Action}, d.Things...)
	needed.Negative, needed.Action = false, Use
	needed.Groups = r.groups(nil)
	needed.Things = slices.Concat(needed.Groups...)
	needed.Literal = literals(tokens)
	needed.Except, needed.Without, needed.Before, needed.After, needed.Instead = nil, nil, nil, nil, nil
	needed.Core, needed.Whole, needed.Options = tokens, tokens, tokens
	return &needed
}

// isConsent reports whether a word is about asking somebody, or about what somebody says.
func isConsent(t words.Token) bool {
	switch t.Form {
	case "ask", "approval", "approve", "user", "tell", "human", "maintainer", "review":
		return true
	}
	return strings.HasSuffix(t.Lower, "ing")
}

// leavingOut are verbs that say that something is not done or not there.
var leavingOut = set("skip disable reject ignore bypass circumvent omit exclude")

// avoided returns the prohibition in "skip the summary", to have one, and the demand in "never skip
// the summary"; nil if there is none.
func (d *Directive) avoided() *Directive {
	isClear := d.Strength >= Should && len(d.Things) > 0
	if !isClear || !leavingOut[d.Action] {
		return nil
	}
	d.Omits = d.Action
	other := *d
	other.Negative, other.Action, other.Turned = !d.Negative, Use, true
	return &other
}

func firstWord(text string) string {
	first, _, _ := strings.Cut(text, " ")
	return first
}

// startOf returns the byte of the sentence at which the core of a clause begins.
func startOf(c clause) int {
	tokens := c.part(core)
	if len(tokens) == 0 {
		tokens = c.part(instead)
	}
	return tokens[0].Start
}

// withoutQuotations blanks what stands between double quotes if it is longer than two words: there
// something is said by somebody.
func withoutQuotations(text string) string {
	out := []byte(text)
	open := -1

	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		if open < 0 {
			open = i
			continue
		}
		if spaces(text[open:i]) >= 2 {
			for j := open; j <= i; j++ {
				out[j] = ' '
			}
		}
		open = -1
	}

	return string(out)
}

func spaces(text string) int {
	n := 0
	for i := range len(text) {
		if text[i] == ' ' {
			n++
		}
	}
	return n
}

// pronouns stand for what the clause before is about.
var pronouns = []string{"it", "them", "they", "this", "these", "those", "that"}

// resolve replaces a pronoun by the things of the clause before.
func (d *Directive) resolve(previous *Directive) {
	if previous != nil && d.sharesSentence(previous) {
		d.resolveInside(previous)
		return
	}

	switch {
	case !d.hasPronoun():
	case len(d.When) > 0:
		d.takeCondition()
	case previous != nil:
		d.inherit(previous)
	}
}

// resolveInside takes the things over from the clause before in the same sentence, and its condition.
func (d *Directive) resolveInside(previous *Directive) {
	if !d.hasPronoun() && len(d.Things) > 0 {
		return
	}
	d.inherit(previous)
	if d.Negative == previous.Negative && len(d.When) == 0 {
		d.When, d.Case = previous.When, previous.Case
	}
}

// takeCondition makes what the condition is about the thing of a pronoun: "if a service hangs, restart it".
func (d *Directive) takeCondition() {
	for _, form := range d.When {
		if form != d.Action && !slices.Contains(d.Things, form) {
			d.Things = append(d.Things, form)
			d.Groups = append(d.Groups, []string{form})
		}
	}
}

func (d *Directive) sharesSentence(other *Directive) bool {
	return other.Statement == d.Statement && other.Document == d.Document
}

func (d *Directive) hasPronoun() bool {
	return slices.ContainsFunc(d.Core, func(t words.Token) bool { return slices.Contains(pronouns, t.Lower) })
}

// inherit takes over what another directive is about.
func (d *Directive) inherit(previous *Directive) {
	for _, thing := range previous.subject() {
		if thing != d.Action && !slices.Contains(d.Things, thing) {
			d.Things = append(d.Things, thing)
			d.Groups = append(d.Groups, []string{thing})
		}
	}
	for _, thing := range previous.Literal {
		d.Literal = appendNew(d.Literal, thing)
	}
}

// subject returns the things that a clause names before its verb, or all of them.
func (d *Directive) subject() []string {
	var forms []string
	for _, t := range d.Core {
		if t.Lower == "be" || t.Form == "be" {
			return forms
		}
		if slices.Contains(d.Things, t.Form) {
			forms = append(forms, t.Form)
		}
	}
	return d.Things
}

func appendNew(list []string, form string) []string {
	if slices.Contains(list, form) {
		return list
	}
	return append(list, form)
}
