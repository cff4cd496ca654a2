package pages

import (
	"bytes"
	"path"
	"strings"
	"time"
)

// page is what is known of a page after it was read.
type page struct {
	Head
	file       string // from the root of the workspace
	from       here   // where its addresses are resolved from
	head       int    // the line of its head
	whole      bool   // it is a complete page, and no part of others
	icon       bool
	ids        set
	scripts    []*script
	foreign    bool // it runs scripts of other hosts
	imports    *importMap
	sheets     []*sheet
	anyStyle   bool // it has styles of other hosts
	preview    map[string]string
	menu       menu
	newest     time.Time // date in its text
	references []reference
	findings   []Finding
}

// at is a line of the page.
func (p *page) at(line int) place {
	return place{p.file, line}
}

// isWhole reports whether a page must have what every page has.
func (p *page) isWhole() bool {
	return p.whole && p.Refresh == ""
}

// reader reads one page.
type reader struct {
	*scan
	*page
	markup
	elements []*node             // in the order of the file, without those of templates
	dates    map[*node]time.Time // the newest in an element
}

// page reads a page, once in a scan. It is nil if the file cannot be read.
func (s *scan) page(file string) *page {
	if known, ok := s.pages[file]; ok {
		return known
	}

	text, err := s.site.tree.Read(file)
	if err != nil {
		s.skip("page."+s.site.NameOf(file), err.Error(), "")
		s.pages[file] = nil
		return nil
	}

	p := &page{
		file:    file,
		from:    here{path: "/" + s.site.NameOf(file)},
		head:    1,
		ids:     set{},
		imports: &importMap{},
		preview: map[string]string{},
	}

	s.pages[file] = p
	r := &reader{
		scan:   s,
		page:   p,
		markup: readMarkup(text),
	}

	r.read()
	p.whole = p.whole && !hasFrontMatter(text)
	return p
}

// hasFrontMatter reports whether a text begins with settings of a generator, which makes a
// page of it later.
func hasFrontMatter(text []byte) bool {
	return bytes.HasPrefix(text, []byte("---\n")) || bytes.HasPrefix(text, []byte("+++\n"))
}

// read takes the facts out of the tree, and reports what is wrong with the page by itself.
func (r *reader) read() {
	r.listElements()
	if r.deep > 0 {
		r.wrong(r.lines.at(r.deep), "too_deep", "more than 512 elements are open here", "")
	}

	r.readHead()
	r.readDates()
	r.readStyles()
	r.readScripts()
	r.readLinks()
	r.readImages()
	r.readIcons()
	r.readPreview()
	r.readMenu()

	r.checkViewport()
	r.checkPlaceholders()
	r.checkSections()
}

// listElements lists the elements of the page and their ids.
func (r *reader) listElements() {
	r.root.walk(func(n *node) bool {
		if n.tag == "" {
			return false
		}

		r.elements = append(r.elements, n)
		r.ids[n.attr("id")] = true
		if n.tag == "a" || n.tag == "map" {
			r.ids[n.attr("name")] = true
		}
		return n.tag != "template"
	})
}

// each visits the elements with one of some tags.
func (r *reader) each(visit func(*node), tags ...string) {
	wanted := words(strings.Join(tags, " "))
	for _, n := range r.elements {
		if wanted[n.tag] {
			visit(n)
		}
	}
}

// wrong reports something about a line of the page.
func (r *reader) wrong(line int, id, detail, evidence string) {
	r.findings = append(r.findings, wrongAt(r.page.at(line), id, detail, evidence))
}

// line is the line of an element.
func (r *reader) line(n *node) int {
	return r.lines.at(n.at)
}

// readHead reads what the head says about the page as a whole.
func (r *reader) readHead() {
	r.whole = r.doctype
	for _, n := range r.elements {
		r.Head.read(n, r.lines)
		switch n.tag {
		case "html", "head":
			r.head = r.line(n)
			r.whole = true
		case "body", "title":
			r.whole = true
		case "base":
			r.readBase(n)
		case "meta":
			r.readRefresh(n)
		}
	}

	name := path.Base(r.file)
	r.Hidden = r.Hidden || name == "404.html" || name == "500.html"
}

// readRefresh notes where the page leads at once.
func (r *reader) readRefresh(n *node) {
	if r.Refresh != "" && strings.EqualFold(n.attr("http-equiv"), "refresh") {
		r.refer(&toRedirect, n, "content", r.Refresh)
	}
}

// readBase reads the address from which the others are resolved; the first one counts.
func (r *reader) readBase(n *node) {
	if !n.has("href") || r.from.remote != "" || r.from.path != r.place() {
		return
	}

	a, ok := r.site.resolve(r.from, n.attr("href"))
	switch {
	case ok && a.local:
		r.from.path = a.path
	case ok:
		r.from.remote = a.remote
	}
}

// place is the address of the page itself.
func (r *reader) place() string {
	return "/" + r.site.NameOf(r.file)
}
