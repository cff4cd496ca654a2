package conflict

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/words"
)

// opposites finds what one sentence forbids and another asks for or allows.
func (f *finder) opposites() {
	byForm := f.positivesByForm()
	byCommand := f.positivesByCommand()

	for _, no := range f.all {
		if f.full() {
			return
		}
		if !no.Negative || isVague(no.Directive) {
			continue
		}
		for _, yes := range slices.Concat(f.positivesLike(no, byForm), runningSame(no, byCommand)) {
			if contradicts(no, yes) {
				why := fmt.Sprintf("One instruction forbids what the other %s: %s.", asks(yes.Directive), subjectOf(no.Directive))
				f.report(no, yes, "opposite", why, "")
			}
		}
	}
}

// positivesByCommand returns the directives that ask for or allow a command in backticks, by each
// beginning of the command that ends with a word.
func (f *finder) positivesByCommand() map[string][]*candidate {
	byCommand := map[string][]*candidate{}
	for _, c := range f.all {
		if c.Negative {
			continue
		}
		for _, command := range c.Codes {
			for _, beginning := range beginnings(command) {
				byCommand[beginning] = append(byCommand[beginning], c)
			}
		}
	}

	return byCommand
}

// mostBeginnings is how many words of a command are compared.
const mostBeginnings = 8

// beginnings returns a command, and what it begins with at the end of each of its first words.
func beginnings(command string) []string {
	list := []string{command}
	for at, r := range command {
		if r == ' ' && len(list) < mostBeginnings {
			list = append(list, command[:at])
		}
	}
	return list
}

// runningSame returns the directives with a command that a prohibition names.
func runningSame(no *candidate, byCommand map[string][]*candidate) []*candidate {
	var list []*candidate
	for _, forbidden := range no.Codes {
		list = append(list, byCommand[forbidden]...)
	}
	return list
}

// positivesByForm returns the directives that ask for or allow something, by each normal form.
func (f *finder) positivesByForm() map[string][]*candidate {
	byForm := map[string][]*candidate{}
	for _, c := range f.all {
		if c.Negative || c.Action == "" || c.Strength == directive.States && c.Action == directive.Use {
			continue
		}
		for _, form := range everyForm(c.Directive) {
			byForm[form] = append(byForm[form], c)
		}
	}

	return byForm
}

// everyForm returns all normal forms of a directive that what is forbidden may match.
func everyForm(d *directive.Directive) []string {
	all := []string{d.Action}
	for _, list := range [][]string{d.Things, d.When} {
		for _, form := range list {
			if !slices.Contains(all, form) {
				all = append(all, form)
			}
		}
	}

	return all
}

// positivesLike returns those that name the rarest thing of a prohibition.
func (f *finder) positivesLike(no *candidate, byForm map[string][]*candidate) []*candidate {
	wanted := no.Groups
	if len(wanted) == 0 {
		wanted = [][]string{{no.Action}}
	}

	var best []*candidate
	first := true
	for _, group := range wanted {
		if isAmbient(group) || words.Broad(group[0]) && len(wanted) > 1 {
			continue
		}
		var list []*candidate
		for _, form := range group {
			list = append(list, f.matching(form, byForm)...)
		}
		if first || len(list) < len(best) {
			best, first = list, false
		}
	}
	if first {
		return f.matching(no.Action, byForm)
	}

	return best
}

// matching returns the directives with a form or with one that it covers.
func (f *finder) matching(form string, byForm map[string][]*candidate) []*candidate {
	list := slices.Clone(byForm[form])
	for _, narrower := range kinds()[form] {
		list = append(list, byForm[narrower]...)
	}
	return list
}

// kindsOfThings lists special cases of a thing: who forbids tests forbids unit tests.
const kindsOfThings = `
test_: unittest e2etest integrationtest testsuite
answer_: answer
answer: answer_
log: log_
branch_: featurebranch main
file: doc envfile lockfile generatedfile
personaldata: email phone address
secret: envfile
featureflag: flag
error: exception
exception: error
link: source
source: link
cite: source
comment: todo
explain: reasoning
style: inlinestyle
variable: globalvariable
code: function file module class component script
approval: approve
approve: approval
style_: css
doc: changelog
thirdparty: lodash moment axios jquery underscore requests numpy pandas express dayjs ramda bootstrap zod
dependency: lodash moment axios jquery underscore requests numpy pandas express dayjs ramda bootstrap react vue zod
database: schema table migration row
message: email
`

// kinds returns the special cases of a normal form.
var kinds = sync.OnceValue(func() map[string][]string {
	table := map[string][]string{}
	for line := range strings.Lines(kindsOfThings) {
		thing, narrower, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		form := nameOf(thing)
		for one := range strings.FieldsSeq(narrower) {
			table[form] = append(table[form], nameOf(one))
		}
	}
	return table
})

// nameOf returns the normal form of a word, or the name of a concept as it is.
func nameOf(word string) string {
	if words.IsConcept(word) || strings.HasSuffix(word, "_") {
		return word
	}
	return formOf(word)
}

// isVague reports whether a prohibition is too general to compare: "do not do this".
func isVague(d *directive.Directive) bool {
	if d.Action == "" && len(d.Things) == 0 {
		return true
	}
	light := d.Action == directive.Use || lightActions[d.Action]
	return light && len(d.Things) == 0 && len(d.When) == 0
}

// lightActions say nothing without a thing.
var lightActions = map[string]bool{
	"": true, "add": true, "create": true, "give": true, "include": true, "write": true, "run": true,
	"edit": true, "show": true, "begin": true, "follow": true, "do": true, "make": true, "tell": true,
	"read": true, "call": true, "proceed": true, "stop": true, "verify": true, "open": true,
	"ignore": true, "assume": true, "skip": true, "name": true, "delete": true, "test": true,
	"ask": true, "fix": true, "return": true, "send": true, "report": true,
	"import": true, "format": true, "update": true, "move": true, "copy": true, "split": true,
	"answer": true, "prefer": true, "explain": true, "search": true, "review": true, "store": true,
}

// contradicts reports whether one directive asks for what the other forbids.
func contradicts(no, yes *candidate) bool {
	if no.Strength == directive.States || yes.Negative || isMereStatement(no.Directive, yes.Directive) {
		return false
	}
	if isReconciled(no.Directive, yes.Directive) || setsOtherOrder(no.Directive, yes.Directive) {
		return false
	}
	if leavesFolder(no.Directive, yes.Directive) {
		return holdTogether(no.Directive, yes.Directive)
	}
	return forbids(no.Directive, yes.Directive) && holdTogether(no.Directive, yes.Directive)
}

// setsOtherOrder reports whether a prohibition only says what must not come before something else.
func setsOtherOrder(no, yes *directive.Directive) bool {
	return len(no.Before) > 0 && share(no.Before, yes.Before) == 0
}

// isUnrelated reports whether a directive that is said beside another one has nothing to do with what that
// one is about: "headsets are handed out without a ticket" says nothing about other tickets.
func isUnrelated(part, other *directive.Directive) bool {
	about := slices.DeleteFunc(slices.Clone(part.About), func(form string) bool {
		return form == "" || form == directive.Use || lightActions[form] || words.Broad(form) || isAmbient([]string{form})
	})
	return len(about) > 0 && share(about, append(everyForm(other), other.About...)) == 0
}

// forbids reports whether what one directive asks for is what the other forbids, whenever they hold.
func forbids(no, yes *directive.Directive) bool {
	if sameCommand(no, yes) {
		return true
	}
	return isDemanding(no, yes) && sameAction(no, yes) && covers(no, yes) && !isNewBeside(no, yes)
}

// isDemanding reports whether a directive asks for something with what another forbids: it does not only
// describe, and what is not to be used is no mere place or heading of it.
func isDemanding(no, yes *directive.Directive) bool {
	if yes.Strength == directive.States && !yes.Universal && !beginsWithAct(yes) {
		return false
	}
	if no.Action != directive.Use || isOneOf(yes.Action, no.Things) {
		return true
	}
	return isDoneWith(no, yes)
}

// isDoneWith reports whether a directive does something with what must not be used, and names it as no mere
// place, and not as what something is of. Actions that are listed may also be done in it.
func isDoneWith(no, yes *directive.Directive) bool {
	isListed := violators()[directive.Use][yes.Action]
	isDone := func(at int) bool {
		form := yes.Core[at].Form
		isWhere := !isListed && slices.Contains(yes.Located, form)
		return form != yes.Action && isOneOf(form, no.Things) && !isWhere && !isOfThing(yes.Core, at)
	}

	for at := range yes.Core {
		if isDone(at) {
			return true
		}
	}

	return isListed && allLabel(no, yes)
}

// isOfThing reports whether a word only says of what something is: "the number of restarts".
func isOfThing(tokens []words.Token, at int) bool {
	for i := at - 1; i >= 0 && i >= at-3; i-- {
		if tokens[i].Lower == "of" {
			return i > 0 && !words.Empty(tokens[i-1].Lower)
		}
	}
	return false
}

// allLabel reports whether what is forbidden stands only in the label of a directive.
func allLabel(no, yes *directive.Directive) bool {
	return !slices.ContainsFunc(yes.Core, func(t words.Token) bool { return isOneOf(t.Form, no.Things) })
}

// isOneOf reports whether a form is one of some things, or a special case of one.
func isOneOf(form string, things []string) bool {
	return slices.ContainsFunc(things, func(thing string) bool { return isCovered(thing, []string{form}) })
}

// beginsWithAct reports whether the first word of a directive is what is done: "skipping tests is fine".
func beginsWithAct(d *directive.Directive) bool {
	return len(d.Core) > 0 && d.Core[0].Form == d.Action
}

// makes are actions that bring something new, unless it goes into something that is there.
var makes = map[string]bool{"write": true, "add": true, "create": true}

// isNewBeside reports whether only what is there must not be changed, and the other directive makes
// something new of the kind: who must not change tests may write further ones.
func isNewBeside(no, yes *directive.Directive) bool {
	changes := no.Action == "edit" || no.Action == "change"
	if !changes || !makes[yes.Action] {
		return false
	}
	if len(no.Literal) > 0 {
		return false // one file is named
	}
	for _, place := range yes.Located {
		if isCovered(place, no.Things) {
			return false
		}
	}

	return true
}

// sameCommand reports whether a directive runs one of the commands that another forbids by name.
func sameCommand(no, yes *directive.Directive) bool {
	if yes.Strength == directive.States {
		return false
	}
	for _, forbidden := range no.Codes {
		isCommand := strings.Contains(forbidden, " ")
		for _, used := range yes.Codes {
			if isCommand && (used == forbidden || strings.HasPrefix(used, forbidden+" ")) {
				return true
			}
		}
	}

	return false
}

// isMereStatement reports whether what stands against a prohibition only describes.
func isMereStatement(no, yes *directive.Directive) bool {
	describes := yes.Strength == directive.States && yes.Action == directive.Use
	return describes && !yes.Universal && !no.Universal
}

// isLeave reports whether both directives leave a choice, or one is written as an exception: "only X
// may".
func isLeave(no, yes *directive.Directive) bool {
	return yes.Strength == directive.May && (no.Strength == directive.May || yes.Only)
}

// isReconciled reports whether both directives can be followed: one is an exception of the other, or
// they are about other files, places or means.
func isReconciled(no, yes *directive.Directive) bool {
	isException := isLeave(no, yes) || isSpecialLeave(no, yes) || isRepetition(no, yes)
	isElsewhere := namesOtherFile(no, yes) || inOtherPlaces(no, yes) || isOtherMeans(no, yes)
	isBeside := isUnrelated(no, yes) || isUnrelated(yes, no)
	return isException || isElsewhere || isBeside
}

// isSpecialLeave reports whether a directive allows something for a special case that it names first:
// "scientific abstracts may use the passive voice".
func isSpecialLeave(no, yes *directive.Directive) bool {
	if yes.Strength != directive.May || yes.Universal {
		return false
	}
	about := append([]string{no.Action}, no.Things...)
	return slices.ContainsFunc(permitted(yes), func(form string) bool {
		return !words.Broad(form) && !isAmbient([]string{form}) && !isCovered(form, about) && !isCaseOf(form, about)
	})
}

// permitted returns the things that a directive names before it says that something may be.
func permitted(d *directive.Directive) []string {
	var forms []string
	for _, t := range d.Core {
		if t.Lower == "may" || t.Lower == "can" || t.Form == "be" {
			return forms
		}
		if slices.Contains(d.Things, t.Form) {
			forms = append(forms, t.Form)
		}
	}

	return nil
}

// isRepetition reports whether only doing it again is forbidden.
func isRepetition(no, yes *directive.Directive) bool {
	again := []string{"again", "twice", "repeatedly"}
	return hasWord(no, again...) && !hasWord(yes, append(again, "every", "each")...)
}

// sameAction reports whether what is asked for is a case of what is forbidden. A noun may stand for the
// verb: "make commits" and "no commits".
func sameAction(no, yes *directive.Directive) bool {
	if goesAgainst(no.Action, yes.Action) || isRequirement(no, yes) {
		return true
	}
	if len(no.Things) > 0 && slices.Contains(yes.Things, no.Action) {
		return true
	}

	isHaving := no.Action == directive.Use || no.Action == "run" || isProducing[no.Action]
	return isHaving && slices.Contains(no.Things, yes.Action)
}

// isRequirement reports whether something must or may be there that is not to be made.
func isRequirement(no, yes *directive.Directive) bool {
	isThere := isNeeded(yes) || yes.Strength == directive.May
	return isProducing[no.Action] && yes.Action == directive.Use && isThere
}

// isProducing are actions after which something is there.
var isProducing = map[string]bool{"write": true, "add": true, "create": true, "include": true, "give": true}

// isNeeded reports whether a directive says that something must be there.
func isNeeded(d *directive.Directive) bool {
	return hasWord(d, "need", "needs", "require", "requires", "must", "required", "mandatory")
}

// coverage is how much of a prohibition a directive names.
type coverage struct {
	specific int  // groups of narrow words
	inCore   int  // groups among what is done, and not only in its condition
	missing  int  // broad words that are not named
	narrower bool // a narrow word is not named
	ambient  int  // groups that say where everything happens
}

// covers reports whether the prohibition includes what is asked for: each word that narrows the
// prohibition occurs there as well.
func covers(no, yes *directive.Directive) bool {
	c := coverageOf(no, yes)
	switch {
	case c.narrower:
		return false
	case c.specific > 0:
		return c.inCore > 0
	case c.missing > 0, c.isAllAmbient(no):
		return false
	case c.inCore > 0:
		about := append([]string{no.Action}, no.Things...)
		return isWeighty(no, yes) || isClose(about, yes.Things) || isAllOf(no, yes)
	}

	return no.Action == yes.Action && stands(no)
}

// isAllAmbient reports whether a prohibition names only where everything happens, and no action of its own.
func (c coverage) isAllAmbient(no *directive.Directive) bool {
	return no.Action == directive.Use && c.ambient > 0 && c.ambient == len(no.Groups)
}

// isAllOf reports whether a prohibition is about nothing but the object of what is asked for: who must
// create no files must not create a file for each function. A prohibited act may be that object: who
// must not comment must not add comments.
func isAllOf(no, yes *directive.Directive) bool {
	object := objectOf(yes)
	if len(no.Groups) == 0 {
		return !lightActions[no.Action] && slices.Contains(object, no.Action)
	}
	if no.Action != yes.Action {
		return false
	}
	return !slices.ContainsFunc(no.Groups, func(group []string) bool { return !isAnyCovered(group, object) })
}

// isWeighty reports whether both directives have the same action, and one that says something by itself.
func isWeighty(no, yes *directive.Directive) bool {
	return no.Action == yes.Action && no.Action != directive.Use && !lightActions[no.Action]
}

// stands reports whether a prohibition without a thing can be compared.
func stands(no *directive.Directive) bool {
	bound := len(no.When) > 0 || !lightActions[no.Action]
	return bound && no.Action != "ask"
}

func coverageOf(no, yes *directive.Directive) coverage {
	var c coverage
	present := everyForm(yes)
	core := append([]string{yes.Action}, yes.Things...)
	if no.Action != directive.Use && slices.Contains(yes.Things, no.Action) {
		c.inCore++
	}

	for _, group := range groupsOf(no) {
		isBroad := words.Broad(group[0])
		isInWider := slices.Contains(no.Located, group[0]) && isCaseOf(group[0], present)
		switch {
		case isInWider, isAnyCovered(group, present):
			c.count(isBroad, isAnyCovered(group, core))
		case isAmbient(group):
			c.ambient++
		case isBroad && !narrowsPlace(no, group[0]):
			c.missing++
		case slices.Contains(no.Located, group[0]) && holdsEverywhere(no, yes):
		default:
			c.narrower = true
		}
	}

	return c
}

// holdsEverywhere reports whether a directive asks for just what another forbids in some place, and names
// no place: it holds there as well.
func holdsEverywhere(no, yes *directive.Directive) bool {
	if len(yes.Located) > 0 || len(yes.Things) == 0 || yes.Strength < directive.Should || no.Action != yes.Action {
		return false
	}
	return !slices.ContainsFunc(yes.Things, func(form string) bool { return !isOneOf(form, no.Things) })
}

// narrowsPlace reports whether a word limits a prohibition to a place. "In code" and "in the
// repository" do not, since everything is there.
func narrowsPlace(no *directive.Directive, form string) bool {
	everywhere := form == "cod" || form == "repository"
	return !everywhere && slices.Contains(no.Located, form)
}

// count enters a group that is named.
func (c *coverage) count(isBroad, inCore bool) {
	if !isBroad {
		c.specific++
	}
	if inCore {
		c.inCore++
	}
}

// groupsOf returns what a prohibition is about; what need not be done is read word by word.
func groupsOf(no *directive.Directive) [][]string {
	if no.Strength != directive.May {
		return no.Groups
	}
	var groups [][]string
	for _, thing := range no.Things {
		groups = append(groups, []string{thing})
	}
	return groups
}

// ambient things say where everything happens.
var ambient = []string{"answer_", "answer", "remot", "origin", "chat", "conversation", "agent", "assistant", "output", "session", "bot"}

func isAmbient(group []string) bool {
	return len(group) == 1 && slices.Contains(ambient, group[0])
}

func isAnyCovered(group, present []string) bool {
	return slices.ContainsFunc(group, func(form string) bool { return isCovered(form, present) })
}

func isCovered(form string, present []string) bool {
	if slices.Contains(present, form) {
		return true
	}
	return slices.ContainsFunc(kinds()[form], func(narrower string) bool {
		return slices.Contains(present, narrower)
	})
}

// isClose reports whether a directive is about little else than some things.
func isClose(things, others []string) bool {
	extra := 0
	for _, other := range others {
		if !slices.ContainsFunc(things, func(thing string) bool { return isCovered(thing, []string{other}) }) {
			extra++
		}
	}
	return extra == 0 || extra == 1 && len(things) > 1 && len(others) > 1
}

// holdTogether reports whether conditions and exceptions let both hold at once.
func holdTogether(no, yes *directive.Directive) bool {
	if isContrary(no.Case, yes.Case) || isExcluded(no, yes) {
		return false
	}

	switch {
	case len(no.When) == 0:
		return true
	case len(yes.When) == 0:
		return yes.Universal || share(no.When, everyForm(yes)) >= 0.5
	default:
		return meets(no.When, yes.When)
	}
}

// meets reports whether two conditions are about the same case.
func meets(a, b []string) bool { return share(a, b) >= 0.5 || share(b, a) >= 0.5 }

// isExcluded reports whether one directive is an exception of the other.
func isExcluded(no, yes *directive.Directive) bool {
	if len(no.Except) > 0 {
		return isExcepted(no, yes)
	}
	return len(no.When) > 0 && share(no.When, yes.Except) > 0
}

// isExcepted reports whether what is asked for falls under an exception of the prohibition.
func isExcepted(no, yes *directive.Directive) bool {
	all := slices.Concat(everyForm(yes), yes.Before, yes.After)
	if share(no.Except, all) >= 0.5 {
		return true
	}
	if isApproval(no.Except) && isApproval(all) {
		return true
	}

	boundToEvent := len(yes.Before)+len(yes.After) > 0
	if isApproval(no.Except) {
		boundToEvent = boundToEvent || len(yes.When) > 0
	}
	return !yes.Universal && !boundToEvent
}

// share returns how many of the forms occur in others, from 0 to 1.
func share(forms, others []string) float64 {
	if len(forms) == 0 {
		return 0
	}
	n := 0
	for _, form := range forms {
		if isCovered(form, others) {
			n++
		}
	}

	return float64(n) / float64(len(forms))
}

// asks says for people how a directive is meant.
func asks(d *directive.Directive) string {
	if d.Strength == directive.May {
		return "allows"
	}
	return "asks for"
}

// subjectOf names what a directive is about, in the words of the text.
func subjectOf(d *directive.Directive) string {
	var parts []string
	for _, t := range d.Core {
		isThing := slices.Contains(d.Things, t.Form) || t.Form == d.Action
		if isThing && !t.Mark {
			parts = append(parts, t.Text)
		}
	}
	if len(parts) > 6 {
		parts = parts[:6]
	}

	return strings.Join(parts, " ")
}
