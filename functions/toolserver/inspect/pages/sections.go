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
	if n.awaits() || isBound(n) {
		return true
	}

	names := n.handles()
	for _, each := range r.page.scripts {
		if slices.ContainsFunc(names, each.uses) {
			return true
		}
	}
	return false
}

// handles are the selectors by which scripts find an element: its id, its classes and the
// attributes that are for scripts.
func (n *node) handles() []string {
	var names []string
	if id := n.attr("id"); id != "" {
		names = append(names, "#"+id)
	}
	for _, class := range n.classes() {
		names = append(names, "."+class)
	}
	for _, a := range n.attributes {
		if strings.HasPrefix(a.name, "data-") {
			names = append(names, "["+a.name)
		}
	}
	return names
}

// awaits reports whether an element says itself that something will stand in it.
func (n *node) awaits() bool {
	return n.has("aria-live") ||
		n.has("aria-busy") ||
		n.has("contenteditable") ||
		liveRoles[n.attr("role")]
}

// isBound reports whether a framework is bound to an element.
func isBound(n *node) bool {
	for _, a := range n.attributes {
		for _, prefix := range bindings {
			if strings.HasPrefix(a.name, prefix) {
				return true
			}
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

// entitled are the elements whose headings are their titles and need nothing after them.
var entitled = []string{"li", "button", "label", "figcaption", "th", "dt", "legend", "nav", "noscript", "caption"}

// standsAlone reports whether a heading needs nothing after it: it is a link, a control, the
// title of a card or of a slide.
func (r *reader) standsAlone(n *node) bool {
	link := n.within("a")
	linked := link != nil && link.has("href")
	if linked || n.within(entitled...) != nil {
		return true
	}
	if r.scripted(n) || leadsAway(n) {
		return true
	}
	return isSlide(n) || r.isCard(n)
}

// isSlide reports whether an element stands on a slide.
func isSlide(n *node) bool {
	for p := n.parent; p != nil; p = p.parent {
		classes := p.classes()
		if slices.Contains(classes, "slides") || slices.Contains(classes, "reveal") {
			return true
		}
	}
	return false
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
	if around.tag == "body" || around.tag == "main" || around == r.root {
		return false
	}

	c := card{
		reader: r,
		media:  around.tag == "section" || around.tag == "article",
	}
	for _, child := range around.children {
		child.walk(c.visit)
	}
	return c.headings == 1 && c.filled
}

// card counts what is in an element.
type card struct {
	*reader
	media    bool // only pictures and the like count
	headings int
	filled   bool // with something besides headings
}

func (c *card) visit(n *node) bool {
	if isHeading(n.tag) {
		c.headings++
		return false
	}
	if c.media {
		c.filled = c.filled || shown[n.tag]
		return true
	}
	if len(n.children) == 0 {
		c.filled = c.filled || c.fills(n)
	}
	return true
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
	if f.found || f.over {
		return false
	}
	if n == f.heading {
		f.passed = true
		return false
	}
	if !f.passed {
		return true
	}
	return f.judge(n)
}

// judge looks at a node after the heading, and reports whether to go on into it.
func (f *follower) judge(n *node) bool {
	if isHeading(n.tag) && !isHidden(n) {
		f.found = n.tag > f.heading.tag
		f.over = !f.found
		return false
	}

	ofSite := n.tag == "footer" && n.parent.tag == "body"
	if ofSite {
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
