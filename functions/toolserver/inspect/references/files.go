package references

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// state of a file that a command names.
type state uint8

const (
	unsure state = iota // it need not be one of this project
	there
	absent
)

var foreign = regexp.MustCompile(`^(?:[A-Za-z][\w+.-]*://|[\w.-]+@|/|~|-|\$|[A-Za-z]:\\)|[:%@]|\.\.\.`)

// look finds a file from where the command runs.
func (s *session) look(name word) state {
	if len(s.dirs) == 0 || !name.isLocal() {
		return unsure
	}
	for _, dir := range s.dirs {
		found := s.lookIn(dir, name.text)
		if found != absent {
			return found
		}
	}

	isFetched := s.fetched && !strings.Contains(name.text, "/")
	if isFetched || hasPlaceholder(path.Clean(name.text)) {
		return unsure
	}

	return absent
}

// isLocal reports whether a word can be a path from the folder at hand.
func (w word) isLocal() bool {
	return w.known && w.text != "" && !foreign.MatchString(w.text)
}

func (s *session) lookIn(dir, name string) state {
	joined := path.Join(dir, name)
	switch {
	case s.project.exists(joined):
		return there
	case leadsOut(joined), s.project.isMade(joined), s.page.makes(joined):
		return unsure
	}

	return absent
}

// file checks an argument that may be a file to read. Only one that has a folder which is
// there, or a usual one, is missed.
func (s *session) file(at place, name word) {
	switch s.look(name) {
	case there:
		s.report(at, Path, name.text, "")
	case absent:
		if s.isPlausible(name.text) {
			s.report(at, Path, name.text, s.whyAbsent(name.text))
		}
	}
}

// required checks an argument that must be a file or folder of the project.
func (s *session) required(at place, name word) {
	switch s.look(name) {
	case there:
		s.report(at, Path, name.text, "")
	case absent:
		if s.isLikely(name.text) {
			s.report(at, Path, name.text, s.whyAbsent(name.text))
		}
	}
}

// isLikely reports whether an argument that must be there is likely to be of the project: its
// first folder is there or usual, or files like it are.
func (s *session) isLikely(name string) bool {
	name = path.Clean(name)
	first, _, inside := strings.Cut(name, "/")
	switch {
	case isOurs(first):
		return true
	case inside:
		return s.project.anchored(s.dirs, name)
	}

	return s.hasAlike(name)
}

// hasAlike reports whether a folder that a command may run in has a file whose name begins and
// ends as this one: requirements.txt is like requirements-dev.txt.
func (s *session) hasAlike(name string) bool {
	stem := alike.FindString(name)
	for _, dir := range s.dirs {
		entries, _ := s.project.tree.List(dir) // a folder that cannot be read has none
		for _, entry := range entries {
			if stem != "" && !entry.IsDir() && alike.FindString(entry.Name()) == stem {
				return true
			}
		}
	}

	return false
}

var alike = regexp.MustCompile(`^[A-Za-z]+`)

// whyAbsent tells that a file is in none of the folders where a command may run.
func (s *session) whyAbsent(name string) string {
	last := s.dirs[len(s.dirs)-1]
	return s.project.whyMissing(path.Join(last, name))
}

// isPlausible reports whether a path clearly means a file of the project.
func (s *session) isPlausible(name string) bool {
	name = path.Clean(name)
	first, _, inside := strings.Cut(name, "/")
	if !inside || !s.project.looksLikeFile(name) {
		return false
	}
	if s.project.anchored(s.dirs, name) {
		return true
	}
	ending := strings.ToLower(path.Ext(name))
	return isUsual(s.page.name, first) && s.project.endings[ending]
}

// isOwnScript reports whether a program that an interpreter runs clearly is one of the project.
func (s *session) isOwnScript(name string) bool {
	name = path.Clean(name)
	ending := path.Ext(name)
	if strings.Contains(name, "/") {
		return s.isPlausible(name) || ending == "" && s.isPlausibleProgram(name)
	}

	isAny := everywhere[name] || hasPlaceholder(name) || s.page.showsLanguage(ending)
	if ending == "" || isAny {
		return false
	}

	return slices.ContainsFunc(s.dirs, func(dir string) bool {
		return s.project.siblings(dir, ending)
	})
}

// isPlausibleProgram reports whether a path without an ending clearly means a program of the
// project.
func (s *session) isPlausibleProgram(name string) bool {
	return s.isPlausible(name+".sh") && s.project.hasParent(s.dirs, name)
}

// languages are the tags of blocks by the ending of the files that they show.
var languages = map[string]map[string]bool{
	".go": words("go golang"), ".py": words("python py python3"), ".js": words("js javascript node jsx"), ".mjs": words("js javascript"),
	".ts": words("ts typescript tsx"), ".rb": words("ruby rb"), ".sh": words("sh bash"), ".php": words("php"),
}

// showsLanguage reports whether a page shows programs of a language: a file of it that the page
// runs may be one of those.
func (p *page) showsLanguage(ending string) bool {
	tags := languages[ending]
	for _, it := range p.items {
		if it.block && !isShell(it.tag) && tags[it.tag] {
			return true
		}
	}

	return false
}
