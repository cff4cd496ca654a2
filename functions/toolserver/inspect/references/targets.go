package references

import (
	"path"
	"regexp"
	"strings"
)

// targets are the names that a Makefile, justfile or Taskfile defines.
type targets struct {
	file     string
	names    map[string]bool
	patterns []*regexp.Regexp
	open     bool // it may define further names, which reading does not tell
}

func newTargets(file string) *targets {
	return &targets{
		file:  file,
		names: map[string]bool{},
	}
}

func (t *targets) has(name string) bool {
	if t.names[name] {
		return true
	}
	for _, each := range t.patterns {
		if each.MatchString(name) {
			return true
		}
	}

	return false
}

// add takes the names of another file, each with a prefix.
func (t *targets) add(prefix string, other *targets) {
	for name := range other.names {
		t.names[prefix+name] = true
	}
	t.patterns = append(t.patterns, other.patterns...)
	t.open = t.open || other.open
}

// pattern adds a name in which one character stands for any text.
func (t *targets) pattern(name, wild string) {
	parts := strings.Split(name, wild)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	t.patterns = append(t.patterns, regexp.MustCompile("^"+strings.Join(parts, ".+")+"$"))
}

// fileIn is the first of some names that a folder has, "" for none.
func (p *project) fileIn(folder string, names ...string) string {
	for _, name := range names {
		joined := path.Join(folder, name)
		if p.isFile(joined) {
			return joined
		}
	}

	return ""
}

// fileAbove is a file of some names in a folder, or in the nearest above it.
func (p *project) fileAbove(folder string, names []string) string {
	for _, each := range above(folder) {
		if found := p.fileIn(each, names...); found != "" {
			return found
		}
	}
	return ""
}

// oneOf checks names that one of some files should define.
func (s *session) oneOf(at place, kind string, names []word, files []*targets) {
	if len(files) == 0 {
		return
	}
	for _, name := range names {
		if name.known && targetName.MatchString(name.text) && !hasPlaceholder(name.text) {
			s.target(at, kind, name.text, files)
		}
	}
}

func (s *session) target(at place, kind, name string, files []*targets) {
	isOpen := false
	for _, each := range files {
		if each.has(name) {
			s.report(at, kind, name, "")
			return
		}
		isOpen = isOpen || each.open
	}

	isMade := kind == MakeTarget && s.isFileHere(name)
	if !isOpen && !isMade && !s.page.defines(name) {
		s.report(at, kind, name, files[0].file+" does not define it")
	}
}

var targetName = regexp.MustCompile(`^\w[\w./:+-]*$`)

// isFileHere reports whether a target is a file, which make then takes for made.
func (s *session) isFileHere(name string) bool {
	for _, dir := range s.dirs {
		if s.project.isFile(path.Join(dir, name)) {
			return true
		}
	}
	return false
}
