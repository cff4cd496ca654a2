package pages

import (
	"regexp"
	"strings"
)

// Head is what a page says about itself.
type Head struct {
	Canonical     string // its address, "" if it does not say
	CanonicalLine int
	Hidden        bool   // from search engines, or it only leads elsewhere
	Refresh       string // where it leads at once, "" if it stays
}

// ReadHead reads what a page says about itself.
func ReadHead(text []byte) Head {
	m := readMarkup(text)
	var h Head
	m.root.walk(func(n *node) bool {
		h.read(n, m.lines)
		return true
	})
	return h
}

// refreshed reads the content of a refresh: seconds, and an address.
var refreshed = regexp.MustCompile(`(?is)^\s*([\d.]+)\s*[;,]?\s*(?:url\s*=\s*)?['"]?\s*([^'"]*?)\s*['"]?\s*$`)

// read takes what one element says.
func (h *Head) read(n *node, lines lines) {
	switch n.tag {
	case "link":
		rel := strings.Fields(strings.ToLower(n.attr("rel")))
		for _, each := range rel {
			if each == "canonical" {
				h.Canonical = n.attr("href")
				h.CanonicalLine = lines.at(n.at)
			}
		}
	case "meta":
		content := n.attr("content")
		robots := strings.EqualFold(n.attr("name"), "robots")
		h.Hidden = h.Hidden || robots && strings.Contains(strings.ToLower(content), "noindex")
		if !strings.EqualFold(n.attr("http-equiv"), "refresh") {
			return
		}

		h.Hidden = true
		if found := refreshed.FindStringSubmatch(content); found != nil {
			h.Refresh = found[2]
		}
	}
}
