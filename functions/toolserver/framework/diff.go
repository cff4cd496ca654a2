package framework

import (
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
type hunk struct {
	before, after []string
	first         bool // it begins with the first line of the file
}

var (
	changedLine = regexp.MustCompile(`(?m)^([-+][^-+]|@@ |\+\+\+ )`)
	firstLine   = regexp.MustCompile(`^@@ -[01][, ]`)
)

// parseDiff reads a unified diff, or bare lines that begin with - and +. It returns
// nothing for a text that is no diff.
func parseDiff(text string) []changedFile {
	if !changedLine.MatchString(text) {
		return nil
	}
	files := []changedFile{{}}
	f := &files[0]
	begin := func() {
		if f.name != "" || len(f.hunks) > 0 || f.whole {
			files = append(files, changedFile{})
			f = &files[len(files)-1]
		}
	}

	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	named := func(i int) bool { // a line that is removed may begin with two dashes, too
		return i >= 0 &&
			i+1 < len(lines) &&
			strings.HasPrefix(lines[i], "--- ") &&
			strings.HasPrefix(lines[i+1], "+++ ")
	}
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		switch {
		case strings.HasPrefix(line, "diff "):
			begin()
		case named(i):
			if f.name != "" || len(f.hunks) > 0 {
				begin()
			}
			f.whole = f.whole || strings.HasSuffix(line, " /dev/null")
		case named(i - 1):
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "+++ "), "\t")
			f.name, f.whole = strings.TrimPrefix(name, "b/"), f.whole || name == "/dev/null"
		case strings.HasPrefix(line, "rename "), strings.HasPrefix(line, "new file"), strings.HasPrefix(line, "deleted file"), strings.HasPrefix(line, "old mode"), strings.HasPrefix(line, "Binary "):
			f.whole = true
		case strings.HasPrefix(line, "@@"):
			f.hunks = append(f.hunks, hunk{first: firstLine.MatchString(line)})
		case strings.HasPrefix(line, "index "), strings.HasPrefix(line, `\ No newline`):
		default:
			if len(f.hunks) == 0 {
				f.hunks = append(f.hunks, hunk{})
			}
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
	prose    = []string{".md", ".txt", ".rst", ".adoc"}
	steering = regexp.MustCompile(`(?i)(^|/)(claude|agents?|gemini|skill|copilot-instructions|\.cursorrules|\.clinerules|\.windsurfrules|rules|persona)[^/]*$|\.mdc$|prompt|system[_-]?message|instruction|` +
		`(^|/)(package|tsconfig|composer|cdk|deno|vercel|firebase|manifest|settings|launch|tasks|hooks|angular|nx|turbo)[^/]*\.json$|schema|config|(^|/)\.(github|claude|cursor|codex|gemini|vscode|gitlab|circleci)/|` +
		`(^|/)(pyproject|cargo|pipfile|netlify|fly|wrangler|poetry)[^/]*\.toml$|(^|/)(requirements|constraints|cmakelists|robots|ads|humans)[^/]*\.txt$|` +
		`(^|/)(docker-)?compose[^/]*\.ya?ml$|(^|/)(openapi|swagger|chart|values|application|mkdocs|serverless|template|action|\.[^/]*)[^/]*\.(ya?ml|json|properties)$|(^|/)(k8s|helm|kubernetes|manifests|charts)/|\.lock$|(^|/)\.env|governance\.yaml$`)
)

// logic says why a hunk is not plain data; "" if it is.
func (f changedFile) logic(h hunk) string {
	if f.whole {
		return "a file is added, removed, renamed or made executable"
	}
	if steering.MatchString(f.name) && !translated.MatchString(f.name) {
		return "the file steers an agent, a build or a service"
	}
	if f.name == "" {
		return lineLogic(f.name, h)
	}

	kind := kindOf(f.name)
	switch kind {
	case "strings.xml":
		return markupLogicOf(h, nil)
	case ".json":
		return jsonLogic(f.name, h)
	case ".po":
		return translationLogic(h)
	case ".csv":
		return tableLogic(h, ',')
	case ".tsv":
		return tableLogic(h, '\t')
	case ".css", ".scss", ".less":
		return styleLogic(h)
	case "dockerfile":
		return imageLogic(h)
	}
	return f.logicByShape(kind, h)
}

// jsonLogic lets sentences in lists and values for people change.
func jsonLogic(name string, h hunk) string {
	if listLogic(name, h) == "" {
		return ""
	}
	return lineLogic(name, h)
}

// logicByShape reads a hunk by what is known of files of its kind: prose, keys and values, a
// programming language, wording, or markup.
func (f changedFile) logicByShape(kind string, h hunk) string {
	switch {
	case slices.Contains(prose, kind):
		return proseLogic(h)
	case formats[kind].line != nil:
		return settingsLogic(f.name, kind, h)
	case languages[kind] != nil:
		return programLogic(kind, h)
	case shapesOf(kind) != nil:
		return wordingLogic(h, shapesOf(kind))
	}

	if shown, ok := markups[kind]; ok {
		return markupLogicOf(h, shown)
	}
	return unreadable
}

const unreadable = "nothing here can read files of this kind, and what is unclear is LOGIC"

// programLogic reads a program without its documentation, and in JSX the texts between tags.
func programLogic(kind string, h hunk) string {
	why := codeLogic(undocumented(kind, h), *languages[kind])
	if why != "" &&
		(kind == ".jsx" || kind == ".tsx" || kind == ".js") &&
		elementLogic(h) == "" {
		return ""
	}
	return why
}

var (
	dataLine = regexp.MustCompile(`^\s*(?:"[^"{}\[\]]+"\s*:\s*(?:"[^"]*"|-?\d+(?:\.\d+)?)\s*,?|<(?:p|h[1-6]|li|td|th|span|strong|em|title|figcaption)>[^<>{}]*</(?:p|h[1-6]|li|td|th|span|strong|em|title|figcaption)>|(?:--)?[a-z-]*(?:color|font-size|margin|padding|width|height)\s*:\s*[^(){};]+;?|[A-Z][^=(){};<>]*[.!?])\s*$`)
	// decidingKey belongs to values that programs act on.
	decidingKey = regexp.MustCompile(`(?i)prompt|system|instruct|query|sql|regex|pattern|schema|key|token|url|uri|path|file|dir|env|role|permission|command|cmd|exec|args|host|port|mode|flag|enable|disable|allow|deny|admin|type|bin|main|entry|hook|cron|schedule|interval|version|status|level|max|min|count|size|limit`)
	jsonKey     = regexp.MustCompile(`^\s*"([^"]+)"\s*:`)
	styleLine   = regexp.MustCompile(`^\s*((?:--)?[a-z-]*(?:color|background|font|margin|padding|width|height|border|radius|gap|shadow|spacing|align)[a-z-]*)\s*:\s*[^{}()]+;?\s*$`)
)

var (
	// styleVariable is a colour or a length with a name.
	styleVariable = regexp.MustCompile(`^\s*((?:--|[$@])[\w-]+)\s*:\s*(?:#[0-9a-fA-F]{3,8}|-?[\d.]+(?:px|em|rem|%|pt))\s*;?\s*$`)
	styleComment  = text(`^\s*/\*\s*([^*]+?)\s*\*/\s*$`)
	// listed is a sentence in a list of JSON.
	listed = text(`^\s*"([^"\\]+)",?\s*$`)
)

// listLogic lets sentences in a list pass whose name, as far as it is there, is not one of
// texts that something acts on.
func listLogic(name string, h hunk) string {
	for _, line := range h.before {
		if isDecidingKey(line) {
			return "the list belongs to a key that code may decide by"
		}
	}

	gone, fresh := h.changed()
	for _, line := range slices.Concat(gone, fresh) {
		if !isListedSentence(line) {
			return "a changed line is no sentence: " + shorten(line)
		}
	}

	return wordingLogic(h, []shape{listed})
}

// isDecidingKey reports whether a line of JSON has a key that code may decide by.
func isDecidingKey(line string) bool {
	key := jsonKey.FindStringSubmatch(line)
	return key != nil && (logicWord.MatchString(key[1]) || decidingKey.MatchString(key[1]))
}

// isListedSentence reports whether a line is a sentence in a list of JSON.
func isListedSentence(line string) bool {
	found := listed.FindStringSubmatch(line)
	if found == nil || logicWord.MatchString(found[1]) {
		return false
	}
	return len(words(found[1])) >= 4
}

// changed are the lines of one side that the other side does not have.
func (h hunk) changed() (gone, fresh []string) {
	gone = slices.Clone(h.before)
	fresh = slices.Clone(h.after)
	for _, line := range h.after {
		if i := slices.Index(gone, line); i >= 0 {
			gone = slices.Delete(gone, i, i+1)
			j := slices.Index(fresh, line)
			fresh = slices.Delete(fresh, j, j+1)
		}
	}
	return gone, fresh
}

// opensLongText reports whether a line begins or ends a text of several lines in YAML, TOML
// or properties.
func opensLongText(line string) bool {
	for _, ending := range []string{"|", ">", "|-", ">-", `\`} {
		if strings.HasSuffix(line, ending) {
			return true
		}
	}
	return strings.Contains(line, `"""`) || strings.Contains(line, "'''")
}

// settingsLogic reads settings as a program, which finds quoted texts and comments, and then
// as lines of keys and values. In a longer text that goes over lines nothing is certain.
func settingsLogic(name, kind string, h hunk) string {
	if languages[kind] != nil && codeLogic(h, *languages[kind]) == "" {
		return ""
	}
	for _, line := range slices.Concat(h.before, h.after) {
		if opensLongText(strings.TrimSpace(line)) {
			return "the change may lie inside of a longer text"
		}
	}

	return keyedLogic(name, h, formats[kind])
}

// lineLogic lets lines pass that are plain data by themselves, with the same keys
// before and after.
func lineLogic(name string, h hunk) string {
	keys := map[string]int{}
	gone, fresh := h.changed()
	if name != "" || slices.ContainsFunc(fresh, jsonKey.MatchString) {
		return keyedLogic(name, h, formats[".json"])
	}

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
	if wordingLogic(h, []shape{styleComment}) == "" {
		return ""
	}

	gone, fresh := h.changed()
	for i, line := range slices.Concat(gone, fresh) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		property := styleLine.FindStringSubmatch(line)
		if property == nil {
			property = styleVariable.FindStringSubmatch(line)
		}

		if property == nil ||
			strings.Contains(line, "url") ||
			strings.Contains(line, "@") {
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
