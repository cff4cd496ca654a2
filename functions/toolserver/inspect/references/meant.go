package references

import (
	"path"
	"regexp"
	"strings"
)

// isMeant reports whether a path that is missing clearly means one of this project.
func (p *project) isMeant(m mention) bool {
	isSample := hasPlaceholder(m.path) && !p.isNameAfterAll(m)
	isRooted := strings.HasPrefix(m.written, "/")
	switch {
	case m.path == "", isSample:
		return false
	case isRooted: // it may be an address of a service
		return p.looksLikeFile(m.path) && p.isMeantBelow(m)
	case strings.Contains(m.path, "/"):
		return p.isMeantBelow(m) || p.isMeantBeside(m)
	}

	return p.isMeantAlone(m)
}

// isMeantBelow says so of a path whose first folder is there.
func (p *project) isMeantBelow(m mention) bool {
	if !strings.Contains(m.path, "/") || !p.anchored(m.bases, m.path) {
		return false
	}
	if m.sentence.weak() && !p.hasParent(m.bases, m.path) {
		return false
	}

	return p.isMeantInside(m)
}

// isMeantInside says what a path must look like that is in a folder which is there.
func (p *project) isMeantInside(m mention) bool {
	if p.looksLikeFile(m.path) {
		return true
	}
	if m.sentence.another() {
		return false
	}
	if m.isFolder {
		return true
	}

	isImport := strings.HasPrefix(m.written, "./") && strings.Count(m.written, "/") < 3
	isPlain := path.Ext(m.path) == "" && strings.ToLower(m.path) == m.path
	return isPlain && !isImport && p.hasParent(m.bases, m.path)
}

// isMeantBeside says so of a path whose first folder is not there: it is a usual one of a
// project.
func (p *project) isMeantBeside(m mention) bool {
	isFile := p.looksLikeFile(m.path)
	isThere := p.endsWith(m.path) || p.anchored(m.bases, m.path)
	if !isFile || isThere || m.sentence.weak() {
		return false
	}

	name := strings.TrimPrefix(m.path, "../")
	first, _, _ := strings.Cut(name, "/")
	ending := strings.ToLower(path.Ext(name))
	return p.endings[ending] && isUsual(m.page.name, first)
}

// anchored reports whether the first folder of a path is there.
func (p *project) anchored(bases []string, name string) bool {
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	first, _, _ := strings.Cut(name, "/")
	for _, base := range bases {
		if p.entries[path.Join(base, first)] == folder {
			return true
		}
	}

	return false
}

// hasParent reports whether the folder that would hold a path is there.
func (p *project) hasParent(bases []string, name string) bool {
	parent := path.Dir(name)
	for _, base := range bases {
		if p.isFolder(path.Join(base, parent)) {
			return true
		}
	}

	return false
}

var plainName = regexp.MustCompile(`^(?:file|name|hello)\.\w+$`)

// isNameAfterAll says so of a path with parts that often are placeholders: its folder is
// there, and its last part is one that files have.
func (p *project) isNameAfterAll(m mention) bool {
	if !p.hasParent(m.bases, m.path) {
		return false
	}
	base := path.Base(m.path)
	isDeep := strings.Count(m.path, "/") > 1
	return !isPlaceholder(base) || isDeep && plainName.MatchString(base)
}

// isMeantAlone says so of a name without a folder. Such a name is often one for a kind of
// file, so something must tell that it is here: a word that says what it is, another name of
// the same list that is there, or files like it.
func (p *project) isMeantAlone(m mention) bool {
	switch {
	case len(p.named[m.path]) > 0, p.names[m.path], m.sentence.weak():
		return false
	case m.isFolder:
		return p.isFolderAlone(m)
	case p.looksLikeFile(m.path):
		return p.isFileAlone(m)
	}

	return isOurs(m.path) && m.isCalledFolder()
}

func (p *project) isFolderAlone(m mention) bool {
	if m.sentence.another() {
		return false
	}
	return m.isCalledFolder() && isOurs(m.path) || p.isListed(m)
}

func (p *project) isFileAlone(m mention) bool {
	if everywhere[m.path] || sampleFile.MatchString(m.path) || strings.HasPrefix(m.path, "_") {
		return false
	}
	if p.isListed(m) {
		return true
	}

	ending := path.Ext(m.path)
	if !p.siblings(path.Dir(m.page.name), ending) {
		return false
	}
	switch {
	case seen.MatchString(m.sentence.before):
		return true
	case codeEndings[ending]:
		return !anyOne.MatchString(m.sentence.before)
	case settingEndings[ending]:
		return false
	}

	return m.isCalledFile()
}

var (
	sampleFile   = regexp.MustCompile(`(?i)^(?:example|sample|demo|test)\d*\.\w+$`)
	calledFile   = regexp.MustCompile(`^ (?:file|script|page|document)\b`)
	calledFolder = regexp.MustCompile(`^ (?:sub)?(?:directory|folder|dir)\b`)
	anyOne       = regexp.MustCompile(`\b(?:an?|any|each|every|all|some|most|multiple|several|new|per|one) $`)
	theOne       = regexp.MustCompile(`(?:^|\b(?:the|our|this)) $`)
	seen         = regexp.MustCompile(`(?:^|[ (])(?:see|read|edit|open|consult|follow|refer to|` + keptIn + `) (?:the |also |file )*$`)
)

const keptIn = `(?:defined|documented|described|lives?|details|found|listed|configured|declared|explained|implemented|specified|available|included|kept|written down|is|are) in`

// isCalledFile reports whether the words around a name say that it is a certain file.
func (m mention) isCalledFile() bool {
	return calledFile.MatchString(m.sentence.after) && theOne.MatchString(m.sentence.before)
}

// isCalledFolder reports whether the words around a name say that it is a certain folder.
func (m mention) isCalledFolder() bool {
	return calledFolder.MatchString(m.sentence.after) && theOne.MatchString(m.sentence.before)
}

// leads matches what stands before a name that its item of a list, or its row, begins with.
var leads = regexp.MustCompile("^[ |`,0-9.\\[\\]x+-]*(?:and |& )?$")

// isListed reports whether a name begins an item of a list, and so does another one nearby that
// is there.
func (p *project) isListed(m mention) bool {
	if !m.item.leads {
		return false
	}

	items := m.page.items
	first := max(0, m.item.index-mostBeside)
	last := min(len(items), m.item.index+mostBeside)
	for _, other := range items[first:last] {
		if other.isBeside(m.item) && p.isAlike(other, m) {
			return true
		}
	}
	return false
}

const mostBeside = 20 // items of a list that are looked at on each side

// isBeside reports whether two code marks stand in the same list or passage.
func (it item) isBeside(other item) bool {
	if it.block || !it.leads || it.text == other.text {
		return false
	}
	if it.passage.list != 0 && it.passage.list == other.passage.list {
		return true
	}

	return it.passage.offset == other.passage.offset
}

// isAlike reports whether a code mark begins its item and names something of the same kind that
// is there.
func (p *project) isAlike(other item, m mention) bool {
	name := pathOf(other.text)
	trimmed := strings.TrimSuffix(name, "/")
	isFolder := trimmed != name
	switch {
	case trimmed == "", isFolder != m.isFolder, strings.Contains(trimmed, "/"), everywhere[name]:
		return false
	case !isFolder && !p.looksLikeFile(name):
		return false
	}

	for _, base := range m.bases {
		if p.entries[path.Join(base, trimmed)] != missing {
			return true
		}
	}

	return false
}
