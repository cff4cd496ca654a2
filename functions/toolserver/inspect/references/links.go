package references

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"strings"
)

var (
	scheme      = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:|//)`)
	template    = regexp.MustCompile(`\{\{|\{%|\$\{|<%|\$\(|%[A-Z_]+%|[<>{}|*]|\.\.\.|…`)
	sampleLinks = words("url link uri href path file address target image img src example dest destination link-url image-url")
)

// link checks a destination as it is written in a page.
func (c *checker) link(at place, destination string) {
	if destination == "" || scheme.MatchString(destination) || template.MatchString(destination) || strings.Contains(destination, "://") {
		return
	}

	name, anchor, _ := strings.Cut(destination, "#")
	name, _, _ = strings.Cut(name, "?")
	name = decoded(name)
	if name == "" {
		c.anchorHere(at, destination, anchor)
		return
	}

	places := c.project.placesOf(at.doc, name)
	if len(places) == 0 {
		return // it leads out of the project
	}
	found := c.project.firstOf(places)
	switch {
	case found != "":
		c.anchorThere(at, found, destination, anchor)
	case isSample(name), c.madeAll(places), c.project.hasAddress(name):
		return
	default:
		c.report(at, Link, destination, c.project.whyMissing(places[0]))
	}
}

func (c *checker) anchorHere(at place, destination, anchor string) {
	if strings.Contains(destination, "?") {
		return
	}
	c.report(at, Anchor, destination, c.project.anchor(at.doc, decoded(anchor)))
}

// anchorThere checks the anchor of a link to something that is there. That of a folder is
// in its README.
func (c *checker) anchorThere(at place, found, destination, anchor string) {
	if c.project.isFolder(found) {
		c.report(at, Link, destination, "")
		return
	}

	why := c.project.anchor(found, decoded(anchor))
	if why != "" {
		c.report(at, Anchor, destination, why)
		return
	}

	c.report(at, Link, destination, "")
}

// placesOf are the paths that a link can mean: from the page, or from the root. The pages
// of a site may be linked from the root of the site and without an ending.
func (p *project) placesOf(doc, name string) (places []string) {
	add := func(folder string) {
		joined := path.Join(folder, name)
		if !leadsOut(joined) {
			places = append(places, joined)
		}
	}

	here := path.Dir(doc)
	if strings.HasPrefix(name, "/") {
		add(".")
	} else {
		add(here)
		if !strings.HasPrefix(name, "../") {
			add(".")
		}
	}

	if len(places) > 0 && (p.isSite() || isHTML(doc)) {
		places = append(places, p.sitePlaces(doc, name)...)
	}

	return places
}

// assets are folders that the generators of sites copy to the root of the site.
var assets = []string{"", "static", "public", "assets", "docs", "content", "src/pages", "src/content/docs"}

// pageEndings are those of the files that a page of a site is made from.
var pageEndings = []string{".md", ".mdx", ".html", ".rst", ".ipynb", "/index.md", "/index.mdx", "/_index.md", "/README.md", "/index.html"}

// sitePlaces are the files that the address of a page of a site can mean. A page is served
// as a folder of its name, so a relative address may begin there.
func (p *project) sitePlaces(doc, name string) (places []string) {
	here := path.Dir(doc)
	folders := []string{here, strings.TrimSuffix(doc, path.Ext(doc))}
	inside := []string{""}
	if strings.HasPrefix(name, "/") {
		folders = above(here)
		inside = assets
	}

	for _, folder := range folders {
		for _, asset := range inside {
			joined := path.Join(folder, asset, name)
			if leadsOut(joined) {
				continue
			}

			places = append(places, joined)
			stem := strings.TrimSuffix(joined, ".html")
			for _, ending := range pageEndings {
				places = append(places, stem+ending)
			}
		}
	}

	return places
}

var frontMatterAddress = regexp.MustCompile(`(?m)^(?:slug|permalink|url|path|redirect_from|aliases):\s*\[?["']?([^\s"'\]]+)`)

// hasAddress reports whether a page of a site may have an address that is not that of its file.
func (p *project) hasAddress(name string) bool {
	ending := path.Ext(name)
	if !p.isSite() || ending != "" && ending != ".xml" {
		return false
	}

	isRooted := strings.HasPrefix(name, "/")
	isTop := !strings.Contains(strings.Trim(name, "/"), "/")
	if isRooted && isTop {
		return true // a redirect, or a feed
	}

	return p.ownAddresses()[path.Base(name)]
}

// ownAddresses are the last parts of those that pages give themselves, read once.
func (p *project) ownAddresses() map[string]bool {
	if p.addresses != nil {
		return p.addresses
	}
	p.addresses = map[string]bool{}
	for _, name := range p.sorted() {
		if p.entries[name] == file && isMarkdown(name) {
			p.readAddresses(name)
		}
	}

	return p.addresses
}

func (p *project) readAddresses(name string) {
	text, err := p.text(name)
	if err != nil || !bytes.HasPrefix(text, []byte("---")) {
		return
	}
	matter, _, _ := bytes.Cut(text[3:], []byte("\n---"))
	for _, m := range frontMatterAddress.FindAllSubmatch(matter, -1) {
		p.addresses[path.Base(string(m[1]))] = true
	}
}

// firstOf is the first path that is there, "" for none.
func (p *project) firstOf(places []string) string {
	for _, each := range places {
		if p.exists(each) {
			return each
		}
	}
	return ""
}

// madeAll reports whether one of the paths is made by a build or left out by git.
func (c *checker) madeAll(places []string) bool {
	for _, each := range places {
		if c.project.isMade(each) {
			return true
		}
	}
	return false
}

var hasLetter = regexp.MustCompile(`[\pL\d]`)

// isSample reports whether a destination only shows what a link looks like.
func isSample(name string) bool {
	return sampleLinks[strings.ToLower(name)] || !hasLetter.MatchString(name) || hasPlaceholder(name)
}

// decoded is a text without percent signs; as it is if they mean nothing.
func decoded(text string) string {
	plain, err := url.PathUnescape(text)
	if err != nil {
		return text
	}
	return plain
}

// whyMissing tells that a path does not exist, and what may be meant instead.
func (p *project) whyMissing(name string) string {
	if moved := p.named[path.Base(name)]; len(moved) == 1 {
		return "there is no " + name + "; the project has " + moved[0]
	}
	return "there is no " + name
}
