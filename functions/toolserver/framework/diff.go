package framework

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// changedFile is a file of a diff. Its name is "" if the diff has no headers.
type changedFile struct {
	name  string
	whole bool // added, removed or renamed
	hunks []hunk
}

// hunk is one place of a change: the text with its surroundings, before and after.
type hunk struct{ before, after []string }

var changedLine = regexp.MustCompile(`(?m)^[-+][^-+]`)

// parseDiff reads a unified diff, or bare lines that begin with - and +. It returns
// nothing for a text that is no diff.
func parseDiff(text string) []changedFile {
	if !changedLine.MatchString(text) {
		return nil
	}
	files := []changedFile{{}}
	f, open := &files[0], false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- ") && !open:
			if f.name != "" || len(f.hunks) > 0 || f.whole {
				files = append(files, changedFile{})
				f = &files[len(files)-1]
			}
			f.whole = f.whole || strings.HasSuffix(line, " /dev/null")
			open = false
		case strings.HasPrefix(line, "--- "):
			f.whole = f.whole || strings.HasSuffix(line, " /dev/null")
		case strings.HasPrefix(line, "+++ "):
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "+++ "), "\t")
			f.name, f.whole = strings.TrimPrefix(name, "b/"), f.whole || name == "/dev/null"
		case strings.HasPrefix(line, "rename "), strings.HasPrefix(line, "new file"), strings.HasPrefix(line, "deleted file"), strings.HasPrefix(line, "old mode"), strings.HasPrefix(line, "Binary "):
			f.whole = true
		case strings.HasPrefix(line, "@@"):
			f.hunks, open = append(f.hunks, hunk{}), true
		case strings.HasPrefix(line, "index "), strings.HasPrefix(line, `\ No newline`):
		default:
			if len(f.hunks) == 0 {
				f.hunks = append(f.hunks, hunk{})
			}
			open = true
			f.hunks[len(f.hunks)-1].add(line)
		}
	}
	return files
}

func (h *hunk) add(line string) {
	content := line
	if line != "" && strings.IndexByte("-+ ", line[0]) >= 0 {
		content = line[1:]
	}
	if !strings.HasPrefix(line, "+") {
		h.before = append(h.before, content)
	}
	if !strings.HasPrefix(line, "-") {
		h.after = append(h.after, content)
	}
}

// Files that are texts for people, and those that steer agents, builds or services
// whatever their form.
var (
	prose    = []string{".md", ".txt", ".rst", ".adoc", ".po"}
	steering = regexp.MustCompile(`(?i)(^|/)(claude|agents|gemini|skill|copilot-instructions|\.cursorrules)[^/]*$|prompt|system[_-]?message|instruction|(^|/)(package|tsconfig|composer|cdk|deno|vercel|firebase|manifest|settings|launch|tasks|hooks)[^/]*\.json$|schema|config|(^|/)\.(github|claude|cursor|codex|gemini|vscode)/`)
)

// logic says why a hunk is not plain data; "" if it is.
func (f changedFile) logic(h hunk) string {
	switch kind := path.Ext(f.name); {
	case f.whole:
		return "a file is added, removed, renamed or made executable"
	case steering.MatchString(f.name):
		return "the file steers an agent, a build or a service"
	case slices.Contains(prose, kind):
		return ""
	case kind == ".html" || kind == ".htm":
		return htmlLogic(h)
	case kind == ".json" || f.name == "":
		return lineLogic(h)
	case kind == ".css" || kind == ".scss":
		return styleLogic(h)
	case languages[kind] != nil:
		return codeLogic(h, *languages[kind])
	}
	return "nothing here can read files of this kind, and what is unclear is LOGIC"
}

var (
	dataLine = regexp.MustCompile(`^\s*(?:"[^"{}\[\]]+"\s*:\s*(?:"[^"]*"|-?\d+(?:\.\d+)?)\s*,?|<(?:p|h[1-6]|li|td|th|span|strong|em|title|figcaption)>[^<>{}]*</(?:p|h[1-6]|li|td|th|span|strong|em|title|figcaption)>|(?:--)?[a-z-]*(?:color|font-size|margin|padding|width|height)\s*:\s*[^(){};]+;?|[A-Z][^=(){};<>]*[.!?])\s*$`)
	// decidingKey belongs to values that programs act on.
	decidingKey = regexp.MustCompile(`(?i)prompt|system|instruct|query|sql|regex|pattern|schema|key|token|url|uri|path|file|dir|env|role|permission|command|cmd|exec|args|host|port|mode|flag|enable|disable|allow|deny|admin|type|bin|main|entry|hook|cron|schedule|interval|version|status|level|max|min|count|size|limit`)
	jsonKey     = regexp.MustCompile(`^\s*"([^"]+)"\s*:`)
	styleLine   = regexp.MustCompile(`^\s*((?:--)?[a-z-]*(?:color|background|font|margin|padding|width|height|border|radius|gap|shadow|spacing|align)[a-z-]*)\s*:\s*[^{}()]+;?\s*$`)
)

// changed are the lines of one side that the other side does not have.
func (h hunk) changed() (gone, fresh []string) {
	gone, fresh = slices.Clone(h.before), slices.Clone(h.after)
	for _, line := range h.after {
		if i := slices.Index(gone, line); i >= 0 {
			gone = slices.Delete(gone, i, i+1)
			j := slices.Index(fresh, line)
			fresh = slices.Delete(fresh, j, j+1)
		}
	}
	return gone, fresh
}

// lineLogic lets lines pass that are plain data by themselves, with the same keys
// before and after.
func lineLogic(h hunk) string {
	keys := map[string]int{}
	gone, fresh := h.changed()
	for i, line := range slices.Concat(gone, fresh) {
		if key := jsonKey.FindStringSubmatch(line); key != nil {
			if logicWord.MatchString(key[1]) || decidingKey.MatchString(key[1]) {
				return "the value belongs to a key that code may decide by: " + shorten(key[1])
			}
			if i < len(gone) {
				keys[key[1]]--
			} else {
				keys[key[1]]++
			}
		}
		if strings.TrimSpace(line) != "" && !dataLine.MatchString(line) {
			return "a changed line is not plain data: " + shorten(line)
		}
	}
	for _, balance := range keys {
		if balance != 0 {
			return "a key is added, removed or renamed"
		}
	}
	return ""
}

// styleLogic lets values of harmless properties pass.
func styleLogic(h hunk) string {
	properties := map[string]int{}
	gone, fresh := h.changed()
	for i, line := range slices.Concat(gone, fresh) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		property := styleLine.FindStringSubmatch(line)
		if property == nil || strings.Contains(line, "url") || strings.Contains(line, "@") {
			return "a changed line is more than the value of a style: " + shorten(line)
		}
		if i < len(gone) {
			properties[property[1]]--
		} else {
			properties[property[1]]++
		}
	}
	for _, balance := range properties {
		if balance != 0 {
			return "a property is added or removed"
		}
	}
	return ""
}
