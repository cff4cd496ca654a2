package conflict

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/words"
)

//go:embed axes/*.txt
var axesFiles embed.FS

// axis is a choice of which only one option can be made.
type axis struct {
	name   string
	ignore map[string]bool
	family string
	gate   []string // words of which a directive on it has one; empty for no condition
	bound  bool     // the options are only compared where they are about the same thing
	either bool     // there are two options: who rejects one wants the other
	alone  bool     // the options are compared whatever else they are about
}

// option is one of an axis.
type option struct {
	axis int
	name string
	weak bool // counts only where something is chosen
}

// axes are all choices and the phrases for their options.
type axes struct {
	list    []axis
	options []option
	book    *words.Book
}

var allAxes = sync.OnceValue(func() *axes {
	a := &axes{book: words.NewBook()}
	names, err := fs.Glob(axesFiles, "axes/*.txt")
	for _, name := range names {
		text, readErr := axesFiles.ReadFile(name)
		if err = errors.Join(err, readErr); err == nil {
			a.read(string(text))
		}
	}
	if err != nil {
		panic(err) // of files in the program
	}
	return a
})

func (a *axes) read(file string) {
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(line, "= "); ok {
			a.list = append(a.list, axis{name: name, ignore: map[string]bool{}})
			continue
		}
		a.addLine(line)
	}
}

func (a *axes) addLine(line string) {
	last := &a.list[len(a.list)-1]
	name, value, _ := strings.Cut(line, ":")

	switch name {
	case "ignore":
		for _, form := range words.Forms(value) {
			last.ignore[form] = true
		}
	case "family":
		last.family = strings.TrimSpace(value)
	case "gate":
		last.gate = words.Forms(value)
	case "bound":
		last.bound = true
	case "either":
		last.either = true
	case "alone":
		last.alone = true
	default:
		for phrase := range strings.SplitSeq(value, ",") {
			phrase, weak := strings.CutPrefix(strings.TrimSpace(phrase), "?")
			a.options = append(a.options, option{len(a.list) - 1, name, weak})
			a.book.Add(phrase, len(a.options)-1)
		}
	}
}

// stance is what a directive says about an axis.
type stance struct {
	*candidate
	wants   []string // options that are demanded
	rejects []string
	about   []string // to what the choice applies; empty for everything
	places  []string // where it holds; empty for everywhere
}

// choices finds different options of one choice.
func (f *finder) choices() {
	stances := make([][]stance, len(allAxes().list))
	for _, c := range f.all {
		for at, s := range c.choices() {
			stances[at] = append(stances[at], s)
		}
	}

	for at, list := range stances {
		f.compareStances(&allAxes().list[at], list)
	}
}

func (f *finder) compareStances(x *axis, list []stance) {
	for i, a := range list {
		if f.full() {
			return
		}
		for _, b := range list[i+1:] {
			if !x.divides(a, b) {
				continue
			}
			why := fmt.Sprintf("Only one option can be chosen for %s: %s.", x.name, optionsOf(a, b))
			f.report(a.candidate, b.candidate, "choice", why, x.family)
		}
	}
}

// divides reports whether two stances choose differently for the same thing in the same case.
func (x *axis) divides(a, b stance) bool {
	if !x.clash(a, b) || isChoiceExcepted(a, b) || isChoiceExcepted(b, a) {
		return false
	}
	if areApart(a.places, b.places) {
		return false
	}
	isSameSubject := x.alone || sameSubject(a.about, b.about, x.bound)
	return isSameSubject && sameCase(a.Directive, b.Directive)
}

// isChoiceExcepted reports whether a choice falls under an exception of another.
func isChoiceExcepted(no, yes stance) bool {
	return len(no.Except) > 0 && isExcepted(no.Directive, yes.Directive)
}

func optionsOf(a, b stance) string {
	return strings.Join(a.words(), ", ") + " against " + strings.Join(b.words(), ", ")
}

// words returns the options of a stance for people.
func (s stance) words() []string {
	list := slices.Clone(s.wants)
	if len(list) > 0 {
		return list
	}
	for _, name := range s.rejects {
		list = append(list, "not "+name)
	}
	return list
}

// clash reports whether two stances leave no common option.
func (x *axis) clash(a, b stance) bool {
	switch {
	case a.onlyRejects() && b.onlyRejects():
		return x.either && a.rejects[0] != b.rejects[0]
	case a.allows() && b.allows():
		return false
	}
	return wantsOther(a, b)
}

// wantsOther reports whether one stance wants what the other does not.
func wantsOther(a, b stance) bool {
	if len(a.wants) > 0 && len(b.wants) > 0 {
		return share(a.wants, b.wants) == 0
	}
	return rejectsAll(a.rejects, b.wants) || rejectsAll(b.rejects, a.wants)
}

func (s stance) allows() bool { return s.Strength == directive.May }

// onlyRejects reports whether a stance rejects one option and wants none.
func (s stance) onlyRejects() bool { return len(s.rejects) == 1 && len(s.wants) == 0 }

// rejectsAll reports whether every option that is wanted is rejected.
func rejectsAll(rejects, wants []string) bool {
	if len(wants) == 0 || len(rejects) == 0 {
		return false
	}
	for _, want := range wants {
		if !slices.Contains(rejects, want) {
			return false
		}
	}

	return true
}

// stancesOf returns what a directive says, by the index of the axis.
func stancesOf(c *candidate) map[int]stance {
	stances := map[int]stance{}
	setsOrder := c.Negative && len(c.Before)+len(c.After) > 0
	if setsOrder || c.Strength == directive.May && !c.Negative && !c.Only {
		return stances
	}

	found := takeOptions(stances, c, c.Options, c.Negative)
	if !c.Negative {
		takeOptions(stances, c, c.Rejected, true)
	}
	if len(stances) == 0 {
		return stances
	}

	taken := takenBy(found)
	places := without(placesOf(c.Directive), optionForms(c, taken))
	for at, s := range stances {
		s.about = aboutOf(c, &allAxes().list[at], taken)
		s.places = places
		s.wants = without(s.wants, s.rejects)
		stances[at] = s
	}

	return stances
}

// takeOptions enters the options that some words of a directive name as wanted or rejected, and returns
// what was found.
func takeOptions(stances map[int]stance, c *candidate, tokens []words.Token, rejected bool) []words.Found {
	found := allAxes().book.Find(tokens)
	for _, f := range found {
		o := allAxes().options[f.ID]
		isIdle := o.weak && !chooses(c.Directive) || !passes(c.Directive, allAxes().list[o.axis].gate)
		if isIdle || isAmbiguous(f, found) || isTurned(c, tokens[f.At:f.At+f.Length]) {
			continue
		}

		s := stances[o.axis]
		s.candidate = c
		if rejected {
			s.rejects = appendOnce(s.rejects, o.name)
		} else {
			s.wants = appendOnce(s.wants, o.name)
		}
		stances[o.axis] = s
	}

	return found
}

// isTurned reports whether words are what the other reading of "skip the hooks" is about: to skip hooks,
// and to have no hooks.
func isTurned(c *candidate, phrase []words.Token) bool {
	if c.Omits == "" {
		return false
	}
	hasVerb := slices.ContainsFunc(phrase, func(t words.Token) bool { return t.Form == c.Omits })
	return hasVerb == c.Turned
}

// isAmbiguous reports whether the same words name another option of the same choice as well.
func isAmbiguous(f words.Found, found []words.Found) bool {
	own := allAxes().options[f.ID]
	return slices.ContainsFunc(found, func(other words.Found) bool {
		o := allAxes().options[other.ID]
		return other.At == f.At && other.Length == f.Length && o.axis == own.axis && o.name != own.name
	})
}

// takenBy returns the indices of the words of which phrases consist.
func takenBy(found []words.Found) map[int]bool {
	taken := map[int]bool{}
	for _, f := range found {
		for i := range f.Length {
			taken[f.At+i] = true
		}
	}
	return taken
}

// optionForms returns the words of the options that a directive names.
func optionForms(c *candidate, taken map[int]bool) []string {
	var forms []string
	for i, t := range c.Options {
		if taken[i] {
			forms = append(forms, t.Form)
		}
	}
	return forms
}

// passes reports whether a directive has one of the words of a gate.
func passes(d *directive.Directive, gate []string) bool {
	return len(gate) == 0 || slices.ContainsFunc(gate, d.Has)
}

func appendOnce[T comparable](list []T, one T) []T {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

func without(list, others []string) []string {
	return slices.DeleteFunc(list, func(name string) bool { return slices.Contains(others, name) })
}

// chooserActions choose an option.
var chooserActions = []string{
	"use", "prefer", "install", "write", "create", "run", "format", "answer", "", "style", "log", "add",
	"declare", "test", "follow", "speak", "give", "show", "include", "begin", "store", "access", "verify",
	"manage", "test_", "indent", "name", "sort", "sign", "quote", "keep", "set", "implement", "make", "lint", "put", "deploy", "return", "translate", "have", "build",
}

// addingActions are about a part of an option rather than the option: "add no npm packages".
var addingActions = map[string]bool{"add": true, "create": true, "commit": true, "publish": true, "edit": true, "delete": true}

// chooses reports whether a directive chooses, rather than mentions, an option.
func chooses(d *directive.Directive) bool {
	if d.Negative || d.Only {
		return !addingActions[d.Action]
	}
	return slices.Contains(chooserActions, d.Action) && d.Strength >= directive.Should || d.Action == "use"
}

// aboutOf returns to what the choice applies: the words of a directive that are neither options nor
// common to the axis. taken are the words of options.
func aboutOf(c *candidate, x *axis, taken map[int]bool) []string {
	var about []string
	for i, t := range c.Options {
		isThing := slices.Contains(c.Things, t.Form)
		if taken[i] || !isThing || x.ignore[t.Form] {
			continue
		}
		about = appendOnce(about, t.Form)
	}
	if c.Action == "answer" && !x.ignore["answer_"] {
		about = appendOnce(about, "answer_")
	}

	return about
}

// sameSubject reports whether two choices apply to the same, or one of them to everything.
func sameSubject(a, b []string, bound bool) bool {
	if len(a) == 0 || len(b) == 0 {
		return !bound
	}
	if bound && (allBroad(a) || allBroad(b)) {
		return false
	}
	return share(a, b) >= 0.5 || share(b, a) >= 0.5
}

// sameCase reports whether the conditions of two choices can hold at once.
func sameCase(a, b *directive.Directive) bool {
	limitedA, limitedB := len(a.When) > 0, len(b.When) > 0
	switch {
	case !limitedA && !limitedB:
		return true
	case isContrary(a.Case, b.Case):
		return false
	case limitedA && limitedB:
		return meets(a.When, b.When)
	case a.Setting || b.Setting:
		return false
	}

	return isSweeping(a) || isSweeping(b)
}

// isSweeping reports whether a directive leaves no room for another choice.
func isSweeping(d *directive.Directive) bool {
	return d.Negative || d.Universal || d.Only || len(d.Instead) > 0
}
