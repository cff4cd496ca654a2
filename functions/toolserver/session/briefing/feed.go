package briefing

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"html"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"
)

// errNoFeed says that a document has no items of RSS or Atom.
var errNoFeed = errors.New("the document is no RSS or Atom feed")

// entry is an item of a feed as it stands there, with markup.
type entry struct {
	title   string
	summary string
	date    string
}

// parseFeed reads the items of RSS (0.9 to 2.0) and Atom. What follows a damaged place is
// left out.
func parseFeed(document []byte) ([]entry, error) {
	reader := xml.NewDecoder(bytes.NewReader(document))
	reader.Strict = false
	reader.Entity = xml.HTMLEntity
	reader.CharsetReader = charset.NewReaderLabel

	var list []entry
	isFeed := false
	for len(list) < maxEntries {
		token, err := reader.RawToken()
		if err != nil {
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}

		switch strings.ToLower(start.Name.Local) {
		case "rss", "rdf", "feed", "channel":
			isFeed = true
		case "item", "entry":
			if isFeed {
				list = append(list, readEntry(reader))
			}
		}
	}

	if !isFeed {
		return nil, errNoFeed
	}
	return list, nil
}

// readEntry reads up to the end of an item.
func readEntry(reader *xml.Decoder) entry {
	var e entry
	for {
		token, err := reader.RawToken()
		if err != nil {
			return e
		}
		switch token := token.(type) {
		case xml.StartElement:
			e.set(token.Name, readText(reader, token.Name))
		case xml.EndElement:
			name := strings.ToLower(token.Name.Local)
			if name == "item" || name == "entry" {
				return e
			}
		}
	}
}

// members are the names of what is kept of an item, and what they mean.
var members = map[string]string{
	"title":       "title",
	"description": "summary",
	"summary":     "summary",
	"subtitle":    "summary",
	"content":     "summary",
	"pubdate":     "date",
	"published":   "date",
	"date":        "date",
	"updated":     "date",
}

// namespaces are the prefixes of members. Others have members of the same name that mean
// something else, such as media:title.
var namespaces = []string{"", "dc", "atom"}

// set keeps a member of an item. Of several with one meaning the first one counts.
func (e *entry) set(name xml.Name, text string) {
	if !slices.Contains(namespaces, name.Space) {
		return
	}
	switch members[strings.ToLower(name.Local)] {
	case "title":
		e.title = cmp.Or(e.title, text)
	case "summary":
		e.summary = cmp.Or(e.summary, text)
	case "date":
		e.date = cmp.Or(e.date, text)
	}
}

// readText is the content of an element as HTML, up to its end.
func readText(reader *xml.Decoder, name xml.Name) string {
	var b strings.Builder
	for depth := 1; depth > 0; {
		token, err := reader.RawToken()
		if err != nil {
			break
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name == name {
				depth++
			}
			b.WriteString("<" + token.Name.Local + ">")
		case xml.EndElement:
			if token.Name == name {
				depth--
			}
			b.WriteString("</" + token.Name.Local + ">")
		case xml.CharData:
			b.WriteString(html.EscapeString(string(token[:min(len(token), maxRaw)])))
		}
	}

	text := strings.TrimSuffix(b.String(), "</"+name.Local+">")
	return strings.TrimSpace(text)
}
