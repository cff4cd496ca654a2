package pages

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// menu is the navigation of a page.
type menu struct {
	line   int // 0 for a page without one
	links  int
	opens  bool // something opens and closes it
	rigid  bool // it stands in a row that styles neither break nor hide
	marked bool // classes of a framework adapt it
}

// minor are the names of navigations inside of a page, which need no button.
var minor = regexp.MustCompile(`(?i)breadcrumb|crumb|pagination|pager|paging|toc|contents|social|footer|skip|share|tag|related|prev|next|tabs|language|lang-|legal`)

// readMenu finds the navigation of the website in the page: the one with most links.
func (r *reader) readMenu() {
	var best *node
	most := 0
	r.each(func(n *node) {
		name := n.attr("id") + " " + n.attr("class") + " " + n.attr("aria-label")
		inside := n.within("main", "article", "aside", "footer", "section", "nav") != nil
		if inside || minor.MatchString(name) || isHidden(n) {
			return
		}
		if links := countLinks(n); links > most {
			best, most = n, links
		}
	}, "nav")
	if best == nil {
		return
	}

	r.menu = menu{
		line:   r.line(best),
		links:  most,
		opens:  r.opensMenu(),
		marked: r.isMarked(best),
	}

	r.menu.rigid = r.isRigid(best)
}

func countLinks(n *node) int {
	count := 0
	n.walk(func(each *node) bool {
		if each.tag == "a" && each.has("href") {
			count++
		}
		return true
	})
	return count
}

// opening are names of what opens a navigation.
var opening = regexp.MustCompile(`(?i)menu|burger|toggle|drawer|nav|☰|≡`)

// opensMenu reports whether something on the page opens a navigation.
func (r *reader) opensMenu() bool {
	for _, n := range r.elements {
		if r.isOpener(n) {
			return true
		}
	}
	return false
}

func (r *reader) isOpener(n *node) bool {
	for _, name := range []string{"aria-controls", "aria-expanded", "popovertarget", "data-toggle", "data-bs-toggle", "data-collapse-toggle", "data-menu-toggle"} {
		if n.has(name) {
			return true
		}
	}

	switch n.tag {
	case "summary":
		return n.within("nav", "header") != nil
	case "button", "label", "input":
	case "a", "div", "span":
		if n.attr("role") != "button" && !burger.MatchString(n.attr("class")+" "+n.attr("id")) {
			return false
		}
	default:
		return false
	}

	name := strings.Join([]string{n.attr("id"), n.attr("class"), n.attr("aria-label"), n.attr("for"), n.attr("title"), n.attr("onclick")}, " ")
	return opening.MatchString(name + " " + n.content())
}

var burger = regexp.MustCompile(`(?i)burger|(menu|nav)-?_?(toggle|btn|button|icon|trigger)|toggle-?(menu|nav)`)

// adapting are classes of frameworks that depend on the width of the screen.
var adapting = regexp.MustCompile(`(?:^|\s)(sm|md|lg|xl|2xl|max-\w+):|navbar-expand|d-(sm|md|lg)-|w3-hide-|hide-on-|uk-visible|flex-wrap|is-hidden-|hidden-(xs|sm)`)

// isMarked reports whether classes in the navigation or around it adapt it.
func (r *reader) isMarked(n *node) bool {
	found := false
	n.walk(func(each *node) bool {
		found = found || adapting.MatchString(each.attr("class"))
		return !found
	})
	for p := n; p != nil && !found; p = p.parent {
		found = adapting.MatchString(p.attr("class"))
	}
	return found
}

// isRigid reports whether styles put the navigation in one row, and nothing in them breaks,
// scrolls or hides it on a narrow screen.
func (r *reader) isRigid(n *node) bool {
	if r.anyStyle {
		return false
	}

	names := []string{"nav"}
	for _, class := range n.classes() {
		names = append(names, "."+class)
	}
	row := false
	for _, s := range r.page.sheets {
		if s.adapts || s.wraps {
			return false
		}
		row = row || slices.ContainsFunc(names, func(name string) bool { return s.rows[name] })
	}
	return row
}

// Bounds of a navigation.
const (
	fewLinks  = 3 // that need no button
	manyLinks = 6 // that do not fit into a row on a phone
)

// judgeMenus reports pages whose navigation cannot be used on a phone: it has no button, and
// many pages of the website have one; or it is a long row that nothing breaks.
func (s *scan) judgeMenus(list []*page) {
	if !s.site.requires("mobile_nav") {
		return
	}

	usual := opensUsually(list)
	for _, p := range list {
		if p.whole && p.menu.shut(usual) {
			detail := fmt.Sprintf("nothing opens the navigation with its %d links", p.menu.links)
			s.found(wrongAt(p.at(p.menu.line), "menu_without_toggle", detail, "<nav>"))
		}
	}
}

// opensUsually reports whether many pages with a navigation have something that opens it.
func opensUsually(list []*page) bool {
	menus, opened := 0, 0
	for _, p := range list {
		if p.menu.line == 0 {
			continue
		}

		menus++
		if p.menu.opens {
			opened++
		}
	}
	return menus > 1 && 3*opened >= menus
}

// shut reports whether the navigation cannot be used on a phone.
func (m menu) shut(usual bool) bool {
	if m.line == 0 || m.opens || m.marked {
		return false
	}
	return usual && m.links >= fewLinks || m.rigid && m.links >= manyLinks
}

var fixedWidth = regexp.MustCompile(`(?i)width\s*=\s*\d{3,}`)

// checkViewport reports a page that phones show as on a large screen.
func (r *reader) checkViewport() {
	if !r.site.requires("mobile_nav") || !r.page.isWhole() {
		return
	}

	content, line := "", r.head
	r.each(func(n *node) {
		if strings.EqualFold(n.attr("name"), "viewport") {
			content, line = strings.TrimSpace(n.attr("content")), r.line(n)
		}
	}, "meta")
	switch {
	case content == "":
		r.wrong(line, "viewport_missing", "the page has no viewport", "")
	case fixedWidth.MatchString(content):
		r.wrong(line, "viewport_missing", "the viewport has a fixed width", content)
	}
}
