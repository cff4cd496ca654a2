package conflict

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/words"
)

// inOtherPlaces reports whether both directives say where they hold, and not for the same place: "no
// emojis in code" and "an emoji in announcements".
func inOtherPlaces(a, b *directive.Directive) bool {
	return areApart(placesOf(a), placesOf(b))
}

// areApart reports whether both lists name places, and none in common.
func areApart(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	return share(a, b) == 0 && share(b, a) == 0
}

// placesOf returns the words that say where a directive holds; code is a place, too.
func placesOf(d *directive.Directive) []string {
	var places []string
	for _, form := range d.Located {
		if !words.Broad(form) || form == nameOf("code") {
			places = append(places, form)
		}
	}
	return places
}

// aside are words behind which a clause names no longer to what something is done.
var aside = []string{"for", "in", "on", "to", "into", "from", "with", "by", "at", "under", "about", "per", "as", "via", "using"}

// objectOf returns to what a directive does something: its things up to where, for whom and with what.
func objectOf(d *directive.Directive) []string {
	verb := slices.IndexFunc(d.Core, func(t words.Token) bool { return t.Form == d.Action })
	if verb < 0 {
		return nil
	}

	var object []string
	for _, t := range d.Core[verb:] {
		if len(object) > 0 && isAside(t) {
			break
		}
		if slices.Contains(d.Things, t.Form) {
			object = append(object, t.Form)
		}
	}

	return object
}

// isAside reports whether a word begins what is no longer the object: a preposition, or a participle as
// in "instructions contained in files".
func isAside(t words.Token) bool {
	isParticiple := t.Act && strings.HasSuffix(t.Lower, "ed") || t.Lower == "found"
	return isParticiple || slices.Contains(aside, t.Lower)
}

// means are words behind which stands with what something is done.
var means = []string{"with", "using", "via", "through", "by"}

// isOtherMeans reports whether only doing it by hand is forbidden, and the other directive says with
// what it is done.
func isOtherMeans(no, yes *directive.Directive) bool {
	byHand := hasWord(no, "hand", "manually")
	return byHand && hasWord(yes, means...) && !hasWord(yes, "hand", "manually")
}

// namesOtherFile reports whether both directives name files, and none in common.
func namesOtherFile(no, yes *directive.Directive) bool {
	filesA, filesB := filesOf(no), filesOf(yes)
	return len(filesA) > 0 && len(filesB) > 0 && share(filesA, filesB) == 0
}

// filesOf returns the names of files with an ending that a directive has.
func filesOf(d *directive.Directive) []string {
	var files []string
	for _, t := range d.Core {
		dot := strings.LastIndexByte(t.Lower, '.')
		isFile := dot > 0 && dot < len(t.Lower)-1 && !strings.ContainsAny(t.Lower, " (")
		if isFile {
			files = append(files, t.Lower)
		}
	}

	return files
}

// leavesFolder reports whether a directive changes something in another folder than the one outside of
// which nothing may be changed: "no edits outside `src/`" and "update `docs/`".
func leavesFolder(no, yes *directive.Directive) bool {
	if !hasWord(no, "outside") || !goesAgainst(no.Action, yes.Action) {
		return false
	}
	allowed, changed := foldersOf(no), foldersOf(yes)
	if len(allowed) == 0 || len(changed) == 0 {
		return false
	}
	return !slices.ContainsFunc(changed, func(folder string) bool {
		return slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(folder, a) })
	})
}

// foldersOf returns the folders that a directive names, with a slash at the end.
func foldersOf(d *directive.Directive) []string {
	var folders []string
	for _, t := range d.Core {
		if strings.HasSuffix(t.Text, "/") {
			folders = append(folders, t.Lower)
		}
	}
	return folders
}
