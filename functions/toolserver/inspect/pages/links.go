package pages

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// unasked are relations of links that need no request, or none to a file.
var unasked = words("preconnect dns-prefetch pingback webmention edituri authorization_endpoint token_endpoint micropub hub self me openid.server")

// fileAttributes are the attributes with the address of a file, by their element.
var fileAttributes = map[string]string{
	"video":  "src",
	"audio":  "src",
	"track":  "src",
	"embed":  "src",
	"object": "data",
}

// readLinks notes the addresses of pages and of files.
func (r *reader) readLinks() {
	for _, n := range r.elements {
		if name, ok := fileAttributes[n.tag]; ok {
			r.referIf(&toFile, n, name)
		}

		switch n.tag {
		case "a", "area":
			r.readAnchor(n)
		case "link":
			r.readRelation(n)
		case "iframe", "frame":
			r.referIf(&toFrame, n, "src")
		case "source":
			if n.within("picture") == nil {
				r.referIf(&toFile, n, "src")
			}
		case "form":
			r.readForm(n)
		}
	}
}

// referIf notes the address of an attribute, if it is there and not empty.
func (r *reader) referIf(u *use, n *node, name string) {
	if strings.TrimSpace(n.attr(name)) != "" {
		r.refer(u, n, name, n.attr(name))
	}
}

// readAnchor notes where a link leads. An empty address is the page itself.
func (r *reader) readAnchor(n *node) {
	for _, name := range []string{"href", "xlink:href"} {
		if !n.has(name) {
			continue
		}

		address := strings.TrimSpace(n.attr(name))
		if code, ok := cutFold(address, "javascript:"); ok {
			r.readHandler(n, name, code)
			return
		}
		if onDisk.MatchString(address) {
			r.wrong(r.line(n), "link_dead", "the address is a file on one machine", address)
			return
		}

		r.refer(&toPage, n, name, address)
		return
	}
}

// onDisk finds addresses of files that only one machine has.
var onDisk = regexp.MustCompile(`^(?i:file:|[a-z]:[\\/])`)

// cutFold cuts a prefix in any letter case.
func cutFold(text, prefix string) (string, bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

// pageRelations are the relations of links to pages.
var pageRelations = words("canonical alternate next prev prefetch prerender help author license index up amphtml search")

// readRelation notes the file of a link element. Icons and styles are read elsewhere.
func (r *reader) readRelation(n *node) {
	rel := strings.Fields(strings.ToLower(n.attr("rel")))
	if len(rel) == 0 || isIcon(rel) || anyOf(rel, unasked) {
		return
	}

	r.readPreloadedImages(n)
	r.referIf(useOf(n, rel), n, "href")
	if slices.Contains(rel, "manifest") {
		r.readManifest(n.attr("href"))
	}
}

// useOf is what a link element is for.
func useOf(n *node, rel []string) *use {
	if slices.Contains(rel, "preload") && strings.EqualFold(n.attr("as"), "image") {
		return &toImage
	}
	if anyOf(rel, pageRelations) {
		return &toFrame
	}
	return &toFile
}

// anyOf reports whether one of the words is in a set.
func anyOf(list []string, wanted set) bool {
	return slices.ContainsFunc(list, func(each string) bool { return wanted[each] })
}

// readForm notes the page that a form leads to. Other addresses are for the server, which
// need not have a file for them.
func (r *reader) readForm(n *node) {
	address := n.attr("action")
	bare, _, _ := strings.Cut(address, "?")
	bare, _, _ = strings.Cut(bare, "#")
	ending := strings.ToLower(path.Ext(bare))
	if ending == ".html" || ending == ".htm" {
		r.refer(&toFrame, n, "action", address)
	}
}
