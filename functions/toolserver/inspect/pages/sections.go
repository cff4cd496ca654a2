package pages

import (
	"slices"
	"strings"
)

// shown are the elements that are content without any text.
var shown = words(`audio button canvas embed iframe img image input math meter object picture progress select slot
	svg textarea video fencedframe portal model-viewer`)

// outlines are the elements that bound what belongs to a heading.
var outlines = []string{"section", "article", "aside", "nav", "main", "dialog", "fieldset", "details", "blockquote", "body"}

// checkSections reports sections without content, and headings that nothing follows.
func (r *reader) checkSections() {
	for _, n := range r.elements {
		switch {
		case n.tag == "section" || n.tag == "article":
			r.checkSection(n)
		case isHeading(n.tag):
			r.checkHeading(n)
		}
	}
}

// checkSection reports a section or an article without content; of nested ones only the
// outermost.
func (r *reader) checkSection(n *node) {
	around := n.within("section", "article")
	if r.fills(n) || isHidden(n) || around != nil && !r.fills(around) || n.within("noscript") != nil {
		return
	}
	r.wrong(r.line(n), "section_empty", "the "+n.tag+" has no content", openingTag(n))
}

// openingTag is a short form of the tag that opens an element.
func openingTag(n *node) string {
	text := "<" + n.tag
	for _, name := range []string{"id", "class"} {
		if n.has(name) {
			text += " " + name + `="` + n.attr(name) + `"`
		}
	}
	return text + ">"
}

// fills reports whether an element shows something: text, a picture or a control. What a
// script may fill counts, too.
func (r *reader) fills(n *node) bool {
	if n.tag == "" {
		return strings.TrimSpace(n.text) != ""
	}
	if n.tag == "script" {
		return isEmbed(n)
	}
	if unseen[n.tag] {
		return false
	}
	if r.showsItself(n) {
		return true
	}
	return slices.ContainsFunc(n.children, r.fills)
}

// isEmbed reports whether a script writes where it stands.
func isEmbed(n *node) bool {
	if !javaScript[typeOf(n)] {
		return false
	}
	text := n.content()
	return n.has("src") || strings.Contains(text, "document.write") || strings.Contains(text, "currentScript")
}

// painted reports whether styles show something in an element.
func (r *reader) painted(n *node) bool {
	style := strings.ToLower(n.attr("style"))
	if strings.Contains(style, "url(") || strings.Contains(style, "gradient") {
		return true
	}
	names := []string{"#" + n.attr("id")}
	for _, class := range n.classes() {
		names = append(names, "."+class)
	}
	for _, s := range r.page.sheets {
		if slices.ContainsFunc(names, func(name string) bool { return s.painted[name] }) {
			return true
		}
	}
	return false
}

// bindings begin the attributes through which frameworks fill elements.
var bindings = []string{"x-", "v-", "ng-", "hx-", "wire:", "phx-", "data-bind", "data-reactroot", "data-hx-", "data-controller", "data-turbo", "up-", "n:", ":", "*ng"}

// liveRoles are roles of elements for messages to come.
var liveRoles = words("status alert log timer progressbar marquee")

// scripted reports whether a script may fill an element: it knows its id, a class or an
// attribute of it, or a framework is bound to it.
func (r *reader) scripted(n *node) bool {
	if n.has("aria-live") || n.has("aria-busy") || n.has("contenteditable") || liveRoles[n.attr("role")] {
		return true
	}
	names := append([]string{n.attr("id")}, n.classes()...)
	if r.lost && names[0]+n.attr("class") != "" {
		return true
	}
	for _, a := range n.attributes {
		if slices.ContainsFunc(bindings, func(prefix string) bool { return strings.HasPrefix(a.name, prefix) }) {
			return true
		}
		if strings.HasPrefix(a.name, "data-") {
			names = append(names, a.name)
		}
	}
	for _, each := range r.page.scripts {
		if slices.ContainsFunc(names, each.uses) {
			return true
		}
	}
	return false
}

// mounted reports whether an element without any content is a place for a script of another
// host, which nobody can read.
func (r *reader) mounted(n *node) bool {
	isPlace := n.tag != "section" && n.tag != "article" && n.has("id")
	return r.foreign && isPlace && strings.TrimSpace(n.content()) == ""
}

// checkHeading reports a heading that nothing follows up to the next one of its level.
func (r *reader) checkHeading(n *node) {
	if isHidden(n) || strings.TrimSpace(n.content()) == "" || r.standsAlone(n) {
		return
	}
	if !r.followedBy(n) {
		r.wrong(r.line(n), "heading_empty", "nothing follows the heading "+shortened(n.content()), n.content())
	}
}

// standsAlone reports whether a heading needs nothing after it: it is a link, a control, the
// title of a card or of a slide.
func (r *reader) standsAlone(n *node) bool {
	if n.within("li", "button", "label", "figcaption", "th", "dt", "legend", "nav", "noscript", "caption") != nil {
		return true
	}
	if link := n.within("a"); link != nil && link.has("href") {
		return true
	}
	if r.scripted(n) || leadsAway(n) {
		return true
	}
	for p := n.parent; p != nil; p = p.parent {
		if p.attr("class") == "slides" || slices.Contains(p.classes(), "reveal") {
			return true
		}
	}
	return r.isCard(n)
}

// leadsAway reports whether a heading holds a link to somewhere else, or content of its own.
func leadsAway(n *node) bool {
	away := false
	n.walk(func(each *node) bool {
		link := each.tag == "a" && each.has("href") && !strings.HasPrefix(each.attr("href"), "#")
		away = away || link || shown[each.tag] && each.tag != "svg"
		return !away
	})
	return away
}

// isCard reports whether a heading is the only one of its element, and the content stands
// before it.
func (r *reader) isCard(n *node) bool {
	around := n.parent
	if around == nil || around.tag == "body" || around.tag == "main" || around.tag == "#document" {
		return false
	}
	headings := 0
	filled := false
	around.walk(func(each *node) bool {
		if isHeading(each.tag) {
			headings++
			return false
		}
		filled = filled || each != around && len(each.children) == 0 && r.fills(each)
		return true
	})
	return headings == 1 && filled
}

// followedBy reports whether content follows a heading, or a heading of a lower level.
func (r *reader) followedBy(heading *node) bool {
	f := follower{reader: r, heading: heading}
	r.boundOf(heading).walk(f.visit)
	return f.found
}

// follower looks for what follows a heading.
type follower struct {
	*reader
	heading *node
	passed  bool // the heading was met
	found   bool
	over    bool // the next heading was met
}

func (f *follower) visit(n *node) bool {
	switch {
	case f.found || f.over:
		return false
	case n == f.heading:
		f.passed = true
		return false
	case !f.passed:
		return true
	case isHeading(n.tag) && !isHidden(n):
		f.found = n.tag > f.heading.tag
		f.over = !f.found
		return false
	case n.tag == "footer" && n.parent.tag == "body":
		return false
	}
	f.found = f.isContent(n)
	return !f.found && !unseen[n.tag]
}

// isContent reports whether a node shows something by itself, whatever is nested in it.
func (r *reader) isContent(n *node) bool {
	if n.tag == "" {
		return strings.TrimSpace(n.text) != ""
	}
	if n.tag == "script" {
		return isEmbed(n)
	}
	return !unseen[n.tag] && r.showsItself(n)
}

// showsItself reports whether an element shows something without any text: a picture, a
// control, or what styles and scripts put there.
func (r *reader) showsItself(n *node) bool {
	if shown[n.tag] || strings.Contains(n.tag, "-") {
		return true
	}
	return r.painted(n) || r.scripted(n) || r.mounted(n)
}

// boundOf is the element in which the content of a heading must stand. A title of the page
// has all of the page.
func (r *reader) boundOf(heading *node) *node {
	if heading.tag != "h1" {
		if around := heading.within(outlines...); around != nil {
			return around
		}
	}
	return r.root
}
