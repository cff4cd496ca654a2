package pages

import (
	"bytes"
	"path"
	"strings"

	"golang.org/x/net/html"
)

// anchor checks that the place behind # is in the file that an address leads to.
func (s *scan) anchor(got answer, a address) answer {
	wanted, _, _ := strings.Cut(a.fragment, ":~:")
	if !isAnchor(wanted) {
		return got
	}

	plain := decoded(wanted)
	switch strings.ToLower(path.Ext(got.file)) {
	case ".html", ".htm":
		p := s.target(got.file)
		if p == nil || p.ids[wanted] || p.ids[plain] || p.makes(plain) {
			return got
		}
	case ".svg":
		if ids := s.symbols(got.file); ids[wanted] || ids[plain] {
			return got
		}
	default:
		return got
	}

	got.wrong = "anchor_missing"
	got.detail = s.site.NameOf(got.file) + " has no element with the id " + plain
	return got
}

// isAnchor reports whether the part behind # names a place. The top is always there; a path
// or a list of values is for a script.
func isAnchor(fragment string) bool {
	return fragment != "" &&
		!strings.EqualFold(fragment, "top") &&
		!strings.ContainsAny(fragment, "/!=?&")
}

// target is a page that a link leads to. It may be outside of the pages that are checked.
func (s *scan) target(file string) *page {
	s.outside = true
	defer func() { s.outside = false }()
	return s.page(file)
}

// makes reports whether a script of the page gives an element this id.
func (p *page) makes(id string) bool {
	for _, each := range p.scripts {
		if each.makes(id) {
			return true
		}
	}
	return false
}

// symbols are the ids in a picture of SVG.
func (s *scan) symbols(file string) set {
	ids := set{}
	text, err := s.site.tree.Read(file)
	if err != nil {
		return ids
	}

	tokens := html.NewTokenizer(bytes.NewReader(text))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return ids
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}

		for _, a := range tokens.Token().Attr {
			if a.Key == "id" {
				ids[a.Val] = true
			}
		}
	}
}
