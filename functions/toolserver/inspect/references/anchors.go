package references

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// explicitID is an anchor that a heading names itself: Title {#name}.
var explicitID = regexp.MustCompile(`^(.*?)\s*\{[^}]*#([\w:.-]+)[^}]*\}\s*$`)

// slugs counts the anchors of a page, since a second heading of the same text gets -1.
type slugs map[string]int

// of gives the anchors of a heading. The common forge drops emoji; the form with them is
// one that generators of sites make, as is the one without repeated hyphens.
func (s slugs) of(heading string) (all []string) {
	slug := s.next(slugOf(heading, false))
	all = append(all, slug)
	if withEmoji := slugOf(heading, true); withEmoji != slug {
		all = append(all, withEmoji)
	}
	return all
}

// next is a slug that was not given yet.
func (s slugs) next(slug string) string {
	n, used := s[slug]
	if !used {
		s[slug] = 0
		return slug
	}

	for {
		n++
		numbered := slug + "-" + strconv.Itoa(n)
		if _, taken := s[numbered]; !taken {
			s[slug] = n
			s[numbered] = 0
			return numbered
		}
	}
}

// slugOf is a heading in lower case, without punctuation, with hyphens for spaces.
func slugOf(heading string, symbols bool) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(heading)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-', r == '_', unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc):
			b.WriteRune(r)
		case symbols && unicode.Is(unicode.So, r):
			b.WriteRune(r)
		}
	}

	return b.String()
}

var (
	hyphens = regexp.MustCompile(`-{2,}`)
	counted = regexp.MustCompile(`_(\d+)$`)
)

// loose is an anchor as generators of sites have it that join hyphens, or number by _1.
func loose(anchor string) string {
	anchor = counted.ReplaceAllString(anchor, "-$1")
	return strings.Trim(hyphens.ReplaceAllString(anchor, "-"), "-")
}

var (
	lineAnchor  = regexp.MustCompile(`^L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?$`)
	otherAnchor = regexp.MustCompile(`^(?:|top|:~:.*|!.*|/.*)$`)
)

// anchor tells why an anchor of a file leads nowhere, "" if it does not.
func (p *project) anchor(name, anchor string) (why string) {
	if otherAnchor.MatchString(anchor) {
		return ""
	}
	if lines := lineAnchor.FindStringSubmatch(anchor); lines != nil {
		return p.lineOf(name, lines)
	}

	known := p.anchorsOf(name)
	if known == nil {
		return ""
	}
	wanted := strings.ToLower(strings.TrimPrefix(anchor, "user-content-"))
	if known[wanted] || known[strings.ToLower(anchor)] {
		return ""
	}
	if p.isSite() && p.hasLoose(name, wanted) {
		return ""
	}

	return fmt.Sprintf("%s has no heading or id for #%s", name, anchor)
}

// anchorsOf are the places in a page; nil if the file is no page.
func (p *project) anchorsOf(name string) map[string]bool {
	switch {
	case isMarkdown(name):
		read, err := p.page(name)
		if err != nil {
			return nil
		}
		return read.anchors
	case isHTML(name):
		return p.idsOf(name)
	}

	return nil
}

// idsOf are the places in a page of HTML, read once.
func (p *project) idsOf(name string) map[string]bool {
	if known, ok := p.ids[name]; ok {
		return known
	}

	text, err := p.text(name)
	if err != nil {
		return nil
	}
	ids := map[string]bool{}
	for _, id := range readHTML(text).ids {
		ids[strings.ToLower(id)] = true
	}
	p.ids[name] = ids
	return ids
}

// hasLoose reports whether a file has an anchor that differs in hyphens only.
func (p *project) hasLoose(name, wanted string) bool {
	known := p.loose[name]
	if known == nil {
		known = map[string]bool{}
		for each := range p.anchorsOf(name) {
			known[loose(each)] = true
		}
		p.loose[name] = known
	}
	return known[loose(wanted)]
}

// lineOf tells why a file has no such line.
func (p *project) lineOf(name string, lines []string) string {
	count := p.linesOf(name)
	for _, each := range lines[1:] {
		number, err := strconv.Atoi(each)
		if err == nil && count > 0 && number > count {
			return fmt.Sprintf("%s has %d lines", name, count)
		}
	}
	return ""
}

// linesOf is how many lines a file has, 0 if that is not known.
func (p *project) linesOf(name string) int {
	if known, ok := p.lines[name]; ok {
		return known
	}

	text, _ := p.text(name) // a file that cannot be read has no known lines
	count := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		count++
	}
	p.lines[name] = count
	return count
}

// siteFiles are the settings of generators that make a site from pages.
var siteFiles = strings.Fields(`mkdocs.yml mkdocs.yaml docusaurus.config.js docusaurus.config.ts _config.yml
	hugo.toml hugo.yaml book.toml conf.py antora.yml astro.config.mjs astro.config.ts _quarto.yml docfx.json
	SUMMARY.md _sidebar.md .vitepress .vuepress .eleventy.js zensical.toml mint.json docs.json theme.config.tsx
	sidebars.js gatsby-config.js`)

// isSite reports whether pages of the project become a site, whose links have rules of their own.
func (p *project) isSite() bool {
	for _, name := range siteFiles {
		if len(p.named[name]) > 0 {
			return true
		}
	}
	return false
}
