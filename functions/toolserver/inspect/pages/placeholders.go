package pages

import (
	"slices"
	"strings"
	"unicode"
)

// defaultPlaceholders are looked for unless the workspace file names others.
var defaultPlaceholders = []string{"--", "lorem ipsum", "TODO"}

// filler are the parts of the text that follows after lorem ipsum.
var filler = []string{"dolor sit amet", "consectetur adipiscing", "consectetur adipisicing"}

// standIn is a placeholder as it is looked for.
type standIn struct {
	text  string
	whole bool // it counts only as all of the text of an element
	exact bool // it counts only in these letters
}

// standIns are the placeholders of the website. Signs count only alone; words in capitals
// only in capitals; other words in any letters.
func (s *Site) standIns() []standIn {
	if s.placeholders != nil {
		return s.placeholders
	}

	list := s.config.Placeholders
	if len(list) == 0 {
		list = defaultPlaceholders
	}

	for _, text := range list {
		s.placeholders = append(s.placeholders, standInOf(text))
		if strings.EqualFold(text, "lorem ipsum") {
			for _, more := range filler {
				s.placeholders = append(s.placeholders, standInOf(more))
			}
		}
	}
	return s.placeholders
}

func standInOf(text string) standIn {
	text = strings.Join(strings.Fields(text), " ")
	p := standIn{
		text:  text,
		whole: !strings.ContainsFunc(text, unicode.IsLetter),
		exact: text == strings.ToUpper(text),
	}
	if !p.exact {
		p.text = strings.ToLower(text)
	}
	return p
}

// find is the place of the placeholder in a text, -1 if it is not there. Lower is the text in
// small letters. The placeholder is no part of a longer word or of the name of a file.
func (p standIn) find(text, lower string) int {
	if p.whole || p.text == "" {
		return -1
	}
	if !p.exact {
		text = lower
	}

	at := 0
	for {
		next := strings.Index(text[at:], p.text)
		if next < 0 {
			return -1
		}

		begin := at + next
		at = begin + len(p.text)
		if !joins(text[:begin], text[at:]) {
			return begin
		}
	}
}

// joins reports whether what stands around a word belongs to it.
func joins(before, after string) bool {
	if before != "" && isJoint(lastRune(before)) {
		return true
	}

	next, ok := firstRune(after)
	if !ok {
		return false
	}
	if next == '.' || next == '-' || next == '/' {
		further, ok := firstRune(after[1:])
		return ok && unicode.IsLetter(further)
	}
	return isJoint(next)
}

func isJoint(c rune) bool {
	return c == '_' || c == '/' || c == '#' || c == '@' || unicode.IsLetter(c) || unicode.IsDigit(c)
}

// checkPlaceholders reports texts that were never written.
func (r *reader) checkPlaceholders() {
	skips := func(n *node) bool {
		return unseen[n.tag] || quoted[n.tag] || n.tag == "textarea"
	}

	for _, each := range blocksIn(r.root, skips) {
		lower := strings.ToLower(each.text)
		for _, p := range r.site.standIns() {
			if at := p.find(each.text, lower); at >= 0 {
				r.wrong(r.lines.at(each.at(at)), "placeholder", "the text holds "+p.text, each.text)
				break
			}
		}
	}

	for _, n := range r.elements {
		r.checkWhole(n)
		r.checkAttributes(n)
	}
}

// checkWhole reports an element whose whole text stands for a value. A script may fill it.
func (r *reader) checkWhole(n *node) {
	if !isLeaf(n) || !mayHoldValue(n) {
		return
	}

	text := strings.TrimSpace(n.content())
	whole := slices.ContainsFunc(r.site.standIns(), func(p standIn) bool {
		return p.whole && text == p.text
	})
	if !whole || r.inCode(n) || isHidden(n) || r.scripted(n) {
		return
	}

	r.wrong(r.line(n), "placeholder", "the text of the element is "+text, text)
}

// mayHoldValue reports whether the text of an element is shown as a value.
func mayHoldValue(n *node) bool {
	return n.tag != "option" && !unseen[n.tag] && !quoted[n.tag]
}

// isLeaf reports whether an element holds nothing but text.
func isLeaf(n *node) bool {
	return len(n.children) > 0 && !slices.ContainsFunc(n.children, func(c *node) bool {
		return c.tag != "" && c.tag != "br" && c.tag != "wbr"
	})
}

// inCode reports whether an element stands in text that is shown as it is.
func (r *reader) inCode(n *node) bool {
	return n.within("code", "kbd", "pre", "samp", "tt", "var", "xmp", "textarea", "template") != nil
}

// spoken are the attributes with texts that people read or hear.
var spoken = words("alt title aria-label placeholder")

// checkAttributes reports texts in attributes that were never written.
func (r *reader) checkAttributes(n *node) {
	for _, a := range n.attributes {
		if !isSpoken(n, a) {
			continue
		}

		lower := strings.ToLower(a.value)
		for _, p := range r.site.standIns() {
			if p.find(a.value, lower) >= 0 {
				r.wrong(r.lines.at(a.at), "placeholder", a.name+" holds "+p.text, a.value)
				break
			}
		}
	}
}

// isSpoken reports whether people read or hear the value of an attribute.
func isSpoken(n *node, a attribute) bool {
	switch a.name {
	case "content":
		return n.tag == "meta"
	case "value":
		return n.tag == "input"
	}
	return spoken[a.name]
}
