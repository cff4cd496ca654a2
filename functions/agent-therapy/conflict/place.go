package conflict

import (
	"slices"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/words"
)

// inOtherPlaces reports whether both directives say where they hold, and not for the same place: "no
// emojis in code" and "an emoji in announcements".
func inOtherPlaces(a, b *directive.Directive) bool {
	placesA, placesB := placesOf(a), placesOf(b)
	if len(placesA) == 0 || len(placesB) == 0 {
		return false
	}
	return share(placesA, placesB) == 0 && share(placesB, placesA) == 0
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
	var object []string
	acted := false
	for _, t := range d.Core {
		if acted && len(object) > 0 && slices.Contains(aside, t.Lower) {
			break
		}
		acted = acted || t.Form == d.Action
		if acted && slices.Contains(d.Things, t.Form) {
			object = append(object, t.Form)
		}
	}
	return object
}
