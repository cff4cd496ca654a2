package references

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// markup is what a piece of HTML links to and what can be linked to in it.
type markup struct {
	links    []target
	ids      []string
	headings []string // texts of headings
}

// leading are the attributes that lead to a file.
var leading = words("href src srcset poster data-src")

// readHTML reads a piece of HTML. Comments, scripts and styles are no part of it.
func readHTML(source []byte) (found markup) {
	tokens := html.NewTokenizer(bytes.NewReader(source))
	offset := 0
	heading, inHeading := "", false
	for {
		kind := tokens.Next()
		raw := slices.Clone(tokens.Raw())
		token := tokens.Token()
		switch kind {
		case html.ErrorToken:
			return found
		case html.StartTagToken, html.SelfClosingTagToken:
			found.tag(token, raw, offset)
			if isHeading(token.Data) {
				heading, inHeading = "", true
			}
		case html.TextToken:
			if inHeading {
				heading += token.Data
			}
		case html.EndTagToken:
			if inHeading && isHeading(token.Data) {
				found.headings = append(found.headings, strings.TrimSpace(heading))
				inHeading = false
			}
		}
		offset += len(raw)
	}
}

func isHeading(tag string) bool {
	return len(tag) == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6'
}

func (m *markup) tag(token html.Token, raw []byte, offset int) {
	for _, attribute := range token.Attr {
		switch {
		case attribute.Key == "id", attribute.Key == "name":
			m.ids = append(m.ids, attribute.Val)
		case leading[attribute.Key]:
			at := max(bytes.Index(raw, []byte(attribute.Val)), 0)
			m.lead(attribute, offset+at)
		}
	}
}

// lead adds the addresses of an attribute.
func (m *markup) lead(attribute html.Attribute, offset int) {
	value := strings.TrimSpace(attribute.Val)
	if attribute.Key != "srcset" {
		m.links = append(m.links, target{value, offset})
		return
	}

	for candidate := range strings.SplitSeq(value, ",") {
		if fields := strings.Fields(candidate); len(fields) > 0 {
			m.links = append(m.links, target{fields[0], offset})
		}
	}
}

func isHTML(name string) bool {
	ending := strings.ToLower(path.Ext(name))
	return ending == ".html" || ending == ".htm"
}

// html checks the links of a page of HTML.
func (c *checker) html(name string, source []byte) {
	for _, link := range readHTML(source).links {
		before := source[:link.offset]
		line := bytes.Count(before, []byte("\n")) + 1
		c.link(place{name, line}, link.text)
	}
}
