package references

import (
	"path"
	"regexp"
	"strings"
)

var (
	lineSuffix = regexp.MustCompile(`(?::\d+(?:[:-]\d+)?|#L?\d+(?:-L?\d+)?|::[\w:\[\]-]+)$`)
	pathText   = regexp.MustCompile(`^[\w./][\w./-]*[\w/-]$`)
	notPath    = regexp.MustCompile(`\.\.\.|//`)
	member     = regexp.MustCompile(`\.[A-Z]\w*$`)
	host       = regexp.MustCompile(`^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|in|ai|co|app|de|eu|uk|us|me|tv|gov|edu|internal|local|localhost|sh|cloud|tech|xyz|info|so|gg|ly)/`)
)

// placeholders are parts of paths that stand for any name.
var placeholders = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(?:path|to|your|my|foo|bar|baz|qux|foobar|name|some|any|xxx+|yyyy|nnnn+|v?x\.y\.z|mm|dd)$`),
	regexp.MustCompile(`(?i)^(?:user|username|owner|org|project|project-?name|filename|placeholder|hello|myproject|myapp|yourapp)$`),
	regexp.MustCompile(`(?i)^(?:your|my|some|any|the|foo|bar)[-_]`),
	regexp.MustCompile(`(?i)^(?:foo|bar|baz|myfile|file|filename|name|hello|foo_test|untitled)\.\w+$`),
	regexp.MustCompile(`YYYY|XXX|NNN|HASH|^My[A-Z]|^[A-Z]+(?:_[A-Z]+)+$|(?i:x\.x)`),
}

func isPlaceholder(part string) bool {
	for _, each := range placeholders {
		if each.MatchString(part) {
			return true
		}
	}
	return false
}

// hasPlaceholder reports whether a part of a path stands for any name.
func hasPlaceholder(name string) bool {
	for _, part := range strings.Split(name, "/") {
		if isPlaceholder(part) {
			return true
		}
	}
	return false
}

// pathOf is the path that a code mark names, "" if it names none.
func pathOf(mark string) string {
	name := lineSuffix.ReplaceAllString(mark, "")
	if !pathText.MatchString(name) || notPath.MatchString(name) {
		return ""
	}
	if host.MatchString(strings.TrimPrefix(name, "./")) {
		return ""
	}

	return name
}

// mention is a path in a code mark, with what is known of the place.
type mention struct {
	page     *page
	item     item
	written  string
	path     string   // without what leads to the page or the root, and without a slash at the end
	isFolder bool     // it ends with a slash
	bases    []string // folders that it may begin at
	sentence sentence
}

func (p *project) mention(in *page, it item, written string) mention {
	path := strings.TrimPrefix(strings.TrimPrefix(written, "./"), "/")
	return mention{
		page:     in,
		item:     it,
		written:  written,
		path:     strings.TrimSuffix(path, "/"),
		isFolder: strings.HasSuffix(written, "/"),
		bases:    p.bases(in.name, it.around),
		sentence: sentenceOf(it),
	}
}

// path checks a code mark that may be a path.
func (c *checker) path(p *page, it item) {
	name := pathOf(it.text)
	if name == "" || isPast(p.name, it.titles) {
		return
	}

	m := c.project.mention(p, it, name)
	at := place{p.name, p.line(it.offset)}
	if c.project.isThere(m) {
		isPath := strings.Contains(name, "/") || c.project.looksLikeFile(name)
		if isPath {
			c.report(at, Path, it.text, "")
		}
		return
	}

	if !m.isExcused() && c.project.isMeant(m) {
		c.report(at, Path, name, c.project.whyMissing(m.path))
	}
}

// isExcused reports whether the page tells that a path need not be there.
func (m mention) isExcused() bool {
	return m.page.shows(m.written) || m.page.makes(m.written) || isMuted(m.item)
}

// bases are the folders that a path may begin at: that of the page, the root, and those that
// the words around it name.
func (p *project) bases(doc string, around []string) []string {
	bases := []string{path.Dir(doc)}
	if bases[0] != "." {
		bases = append(bases, ".")
	}

	for _, word := range around {
		word = strings.Trim(word, "`*_():,/")
		if pathText.MatchString(word) && len(bases) < mostBases {
			bases = append(bases, p.foldersBelow(bases, word)...)
		}
	}

	return bases
}

const mostBases = 20

// foldersBelow are the folders of a name that some folders have.
func (p *project) foldersBelow(bases []string, name string) (folders []string) {
	for _, base := range bases {
		joined := path.Join(base, name)
		isNew := joined != base && !leadsOut(joined)
		if isNew && p.entries[joined] == folder {
			folders = append(folders, joined)
		}
	}

	return folders
}

// isThere reports whether a path exists, as it is written or as people shorten it, or need not.
func (p *project) isThere(m mention) bool {
	between := above(path.Dir(m.page.name))
	for _, base := range append(between, m.bases...) {
		joined := path.Join(base, strings.TrimPrefix(m.written, "/"))
		if leadsOut(joined) || p.exists(joined) || p.isMade(joined) {
			return true
		}
		if p.hasStem(joined) || p.hasMember(joined) {
			return true
		}
	}

	return false
}

// hasMember reports whether a path is a package with the name of something in it.
func (p *project) hasMember(name string) bool {
	stem := member.ReplaceAllString(name, "")
	return stem != name && p.exists(stem)
}

// hasStem reports whether a file has this name and an ending besides.
func (p *project) hasStem(name string) bool {
	if path.Ext(name) != "" {
		return false
	}
	for ending := range p.endings {
		if ending != "" && p.entries[name+ending] == file {
			return true
		}
	}

	return false
}
