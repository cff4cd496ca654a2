package conflict

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/words"
)

// exclusives finds what one instruction limits with "only" and another opens or places elsewhere.
func (f *finder) exclusives() {
	for _, a := range f.all {
		if f.full() {
			return
		}
		if a.Only && !a.Negative && a.Strength != directive.States {
			f.compareOnly(a)
		}
	}
}

func (f *finder) compareOnly(only *candidate) {
	for _, other := range f.all {
		if other == only || other.Negative || other.Only || other.Strength == directive.States {
			continue
		}
		if goesBeyond(only.Directive, other.Directive) {
			f.report(only, other, "only", "One instruction allows only what it names, the other goes beyond it.", "")
		}
	}
}

func goesBeyond(only, other *directive.Directive) bool {
	return opensUp(only, other) || opensActors(only, other) || placesElsewhere(only, other) || takesOtherKind(only, other)
}

// takesOtherKind reports whether one directive does something with "economy class only" and the other
// the same with business class.
func takesOtherKind(only, other *directive.Directive) bool {
	isSameAct := only.Action != "" && only.Action == other.Action
	isStrict := len(only.When) == 0 && other.Strength == directive.Must
	if !isSameAct || !isStrict {
		return false
	}
	return len(only.Things) == 2 && isOtherKind(only, other)
}

// isOtherKind reports whether a directive is about another kind of the thing that one with two words names.
func isOtherKind(only, other *directive.Directive) bool {
	if len(other.Things) < 2 {
		return false
	}
	kind, thing := only.Things[0], only.Things[1]
	otherKind, otherThing := other.Things[0], other.Things[1]
	if thing != otherThing || slices.Contains(other.Things, kind) {
		return false
	}
	return !words.Broad(otherKind)
}

// opensUp reports whether one directive says "only X" and the other "any X".
func opensUp(only, open *directive.Directive) bool {
	limited := behind(only.Core, "only", "solely", "exclusively")
	if limited == "" || len(only.When) > 0 || len(open.When) > 0 {
		return false
	}
	freed := behind(open.Core, "any", "every", "whatever")
	isSpecific := !words.Broad(limited) && hasWord(open, "any", "whatever")
	return limited == freed && (only.Action == open.Action || words.Broad(limited) || isSpecific)
}

// opensActors reports whether one directive lets only some do what the other lets everybody do.
func opensActors(only, open *directive.Directive) bool {
	isActor := len(only.Core) > 0 && only.Core[0].Lower == "only"
	if !isActor || only.Action == "" || only.Action != open.Action || only.Action == directive.Use {
		return false
	}
	if share(open.Things, only.Things) < 0.5 {
		return false
	}
	return doesItself(open) || hasWord(open, "any", "every", "everyone", "everybody", "anyone", "anybody", "all")
}

// doesItself reports whether a directive tells the agent to do something in person.
func doesItself(d *directive.Directive) bool {
	return d.Strength == directive.Must && (hasWord(d, "yourself", "itself") || isOnItsOwn(d))
}

// behind returns the form of the first word with a meaning behind one of some words.
func behind(tokens []words.Token, wanted ...string) string {
	for i, t := range tokens {
		if !slices.Contains(wanted, t.Lower) {
			continue
		}
		for _, next := range tokens[i+1:] {
			if !next.Mark && !next.Act && !words.Empty(next.Lower) {
				return next.Form
			}
		}
	}

	return ""
}

// places are prepositions of where something is done, or with what.
var places = []string{"from", "in", "on", "with", "via", "through", "by", "using", "to", "into", "at"}

// placesElsewhere reports whether one directive does something "only from X" and the other does the
// same from somewhere else.
func placesElsewhere(only, other *directive.Directive) bool {
	if only.Action == "" || only.Action == directive.Use || only.Action != other.Action {
		return false
	}

	preposition, place := onlyPlace(only.Core)
	if preposition == "" {
		return false
	}
	elsewhere := behind(other.Core, preposition)
	if elsewhere == "" || elsewhere == place || slices.Contains(other.Things, place) {
		return false
	}

	rest := func(d *directive.Directive, at string) []string {
		return slices.DeleteFunc(slices.Clone(d.Things), func(form string) bool { return form == at })
	}
	a, b := rest(only, place), rest(other, elsewhere)
	return len(a) == 0 || share(a, b) >= 0.6
}

// onlyPlace returns the preposition behind "only" and the place behind it.
func onlyPlace(tokens []words.Token) (preposition, place string) {
	for i, t := range tokens[:max(0, len(tokens)-2)] {
		next := tokens[i+1].Lower
		if t.Lower == "only" && slices.Contains(places, next) {
			return next, behind(tokens[i+1:], next)
		}
	}
	return "", ""
}

// antonyms are actions that undo each other as standing rules.
var antonyms = [][2]string{
	{"enable", "disable"}, {"show", "hide"}, {"include", "exclude"}, {"accept", "reject"},
	{"keep", "delete"}, {"enable", "delete"}, {"preserve", "overwrite"}, {"keep", "overwrite"}, {"store", "delete"}, {"add", "skip"}, {"run", "skip"}, {"split", "batch"},
	{"reveal", "hide"}, {"follow", "ignore"}, {"report", "ignore"}, {"encourag", "discourag"},
	{"help", "reject"}, {"open", "close"}, {"pin", "upgrade"}, {"lock", "unlock"}, {"proceed", "stop"},
	{"catch", "ignore"}, {"fix", "ignore"}, {"verify", "skip"}, {"obey", "ignore"}, {"mask", "show"}, {"redact", "show"},
	{"encrypt", "decrypt"}, {"archive", "delete"}, {"preserve", "delete"}, {"rotate", "keep"}, {"mute", "enable"},
	{"start", "stop"}, {"block", "allow"}, {"trust", "verify"}, {"merge", "split"}, {"expand", "shorten"},
}

// antonymPairs finds actions on the same thing that undo each other.
func (f *finder) antonymPairs() {
	byAction := map[string][]*candidate{}
	for _, c := range f.all {
		if !c.Negative && c.Strength >= directive.Should {
			byAction[c.Action] = append(byAction[c.Action], c)
		}
	}

	for _, pair := range antonyms {
		for _, a := range byAction[pair[0]] {
			for _, b := range byAction[pair[1]] {
				if undoes(a.Directive, b.Directive) {
					f.report(a, b, "opposite", "The two instructions ask for actions that undo each other.", "")
				}
			}
		}
	}
}

// undoes reports whether two directives act on just the same things in the same case.
func undoes(a, b *directive.Directive) bool {
	if isInSequence(a) || isInSequence(b) || !sameCase(a, b) {
		return false
	}

	isVague := allBroad(a.Things) || allBroad(b.Things)
	if isVague {
		inSameCase := len(a.When) > 0 && len(b.When) > 0
		return inSameCase
	}
	return alikeThings(a.Things, b.Things) || sameObject(withoutAmounts(objectOf(a)), withoutAmounts(objectOf(b)))
}

// isInSequence reports whether a directive comes before or after something else.
func isInSequence(d *directive.Directive) bool { return len(d.Before)+len(d.After) > 0 }

// alikeThings reports whether two lists name the same things; amounts do not count.
func alikeThings(a, b []string) bool {
	a, b = withoutAmounts(a), withoutAmounts(b)
	return len(a) > 0 && len(b) > 0 && share(a, b) >= 0.6 && share(b, a) >= 0.6
}

func withoutAmounts(things []string) []string {
	return slices.DeleteFunc(slices.Clone(things), func(form string) bool {
		return isMeasure(form) || strings.ContainsAny(form, "0123456789")
	})
}
