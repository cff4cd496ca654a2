package framework

import (
	"encoding/csv"
	"path"
	"regexp"
	"slices"
	"strings"
)

// format is how a line of a file of keys and values is read: groups 1 and 2 are the key and
// the value.
type format struct {
	line     *regexp.Regexp
	comments []string
}

var formats = map[string]format{
	".json":       {regexp.MustCompile(`^\s*"([^"]+)"\s*:\s*(.*?),?\s*$`), nil},
	".json5":      {regexp.MustCompile(`^\s*["']?([\w.@-]+)["']?\s*:\s*(.*?),?\s*$`), []string{"//"}},
	".yaml":       {regexp.MustCompile(`^(\s*(?:- )?[A-Za-z][\w.-]*)\s*:\s+(.*?)\s*$`), []string{"#"}},
	".toml":       {regexp.MustCompile(`^\s*([A-Za-z][\w.-]*)\s*=\s*(.*?)\s*$`), []string{"#"}},
	".ini":        {regexp.MustCompile(`^\s*([A-Za-z][\w.-]*)\s*[=:]\s*(.*?)\s*$`), []string{";", "#"}},
	".properties": {regexp.MustCompile(`^\s*([A-Za-z][\w.-]*)\s*[=:]\s*(.*?)\s*$`), []string{"#", "!"}},
	".strings":    {regexp.MustCompile(`^\s*"([^"]+)"\s*=\s*(".*?");\s*$`), []string{"//"}},
}

var (
	// translated are files that hold nothing but texts for people.
	translated = regexp.MustCompile(`(?i)(^|/)(locales?|i18n|l10n|lang|langs|translations?)/|(^|/)messages[^/]*\.properties$|\.lproj/|\.strings$|\.arb$`)
	// textKey and factKey name texts and facts for people, numberKey facts that are numbers.
	textKey   = regexp.MustCompile(`(?i)^(notice|note|intro|introduction|body|content|about|bio|tagline|slogan|quote|question|answer|excerpt|abstract|caption_text)$`)
	factKey   = regexp.MustCompile(`(?i)^(name|(first|last|full|display|sur)_?name|author|artist|city|town|country|street|address|phone|fax|opening_?hours|birthday)$`)
	numberKey = regexp.MustCompile(`(?i)^(price|cost|amount|quantity|stock|rating|population|year|age|phone|fax)$`)
	number    = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
	phone     = regexp.MustCompile(`^\+?[\d ()/-]{4,}$`)
	switches  = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|null|none|enabled|disabled|always|never|admin|root|y|n)$`)
	// holes are places in a text that a program fills.
	holes = regexp.MustCompile(`%[-+ #0-9.$]*[a-zA-Z@]|\{[^{}]*\}|\$\w+|<[^<>]*>|\\[a-z]`)
)

// keyedLogic compares lines of keys and values: the keys are the same, and the values are
// what people read.
func keyedLogic(name string, h hunk, f format) string {
	gone, fresh := h.changed()
	gone, fresh = f.withoutComments(gone), f.withoutComments(fresh)
	if len(gone) != len(fresh) {
		return "a key is added or removed"
	}

	for i := range gone {
		old := f.line.FindStringSubmatch(gone[i])
		now := f.line.FindStringSubmatch(fresh[i])
		switch {
		case old == nil || now == nil:
			return "a changed line is not plain data: " + shorten(fresh[i])
		case old[1] != now[1]:
			return "a key is added, removed or renamed"
		case !shownValue(name, old[1], old[2], now[2]):
			return "the value belongs to a key that code may decide by: " + shorten(old[1])
		}
	}

	return ""
}

// withoutComments leaves out what no program reads; a comment that a tool obeys stays.
func (f format) withoutComments(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		text := strings.TrimSpace(line)
		return text == "" ||
			slices.ContainsFunc(f.comments, func(mark string) bool {
				return strings.HasPrefix(text, mark) && !obeyed(text)
			})
	})
}

// shownValue reports whether a change of a value is one of a text or a fact for people.
func shownValue(file, key, before, after string) bool {
	key = strings.TrimPrefix(strings.TrimSpace(key), "- ")
	key = strings.TrimSpace(key[strings.LastIndexByte(key, '.')+1:])
	old, oldQuoted := unquoted(before)
	now, nowQuoted := unquoted(after)
	sameHoles := slices.Equal(holes.FindAllString(old, -1), holes.FindAllString(now, -1))
	if oldQuoted != nowQuoted || !sameHoles {
		return false
	}

	isShown := isShownValue
	if translated.MatchString(file) {
		isShown = isTranslation
	}
	return isShown(key, old) && isShown(key, now)
}

// isTranslation reports whether a value of a file of translations is text.
func isTranslation(key, value string) bool {
	if switches.MatchString(value) || strings.Contains(value, "://") {
		return false
	}
	isPhrase := strings.Contains(value, " ")
	return isPhrase || !decidingKey.MatchString(key)
}

// isShownValue reports whether a key stands for a number, a text or a fact for people, and the
// value is one.
func isShownValue(key, value string) bool {
	if numberKey.MatchString(key) && isNumber(value) {
		return true
	}
	return isForPeople(key) && isText(value)
}

// isNumber reports whether a value is a number or the number of a telephone.
func isNumber(value string) bool {
	return number.MatchString(value) || phone.MatchString(value)
}

// isForPeople reports whether a key stands for a text or a fact that people read.
func isForPeople(key string) bool {
	return display.MatchString(key) || textKey.MatchString(key) || factKey.MatchString(key)
}

// isText reports whether a value reads like a name or a sentence and not like a switch.
func isText(value string) bool {
	if switches.MatchString(value) || logicWord.MatchString(value) || !letters.MatchString(value) {
		return false
	}
	return beginsUpper(value) || strings.Contains(value, " ")
}

// beginsUpper reports whether a text begins with a capital letter.
func beginsUpper(text string) bool {
	return text != "" && strings.ToLower(text[:1]) != text[:1]
}

func unquoted(value string) (text string, quoted bool) {
	if n := len(value); n > 1 &&
		(value[0] == '"' || value[0] == '\'') &&
		value[n-1] == value[0] {
		return value[1 : n-1], true
	}
	return value, false
}

// tableLogic lets cells of a table change that are texts and facts. The first line names the
// columns.
func tableLogic(h hunk, comma rune) string {
	gone, fresh := h.changed()
	if len(gone) != len(fresh) {
		return "rows are added or removed"
	}
	if h.first && len(h.before) > 0 && slices.Contains(gone, h.before[0]) {
		return "the names of the columns change"
	}

	for i := range gone {
		old := cells(gone[i], comma)
		now := cells(fresh[i], comma)
		if old == nil || len(old) != len(now) {
			return "columns are added or removed"
		}
		if !slices.EqualFunc(old, now, isPlainChange) {
			return "a cell changes that code may decide by"
		}
	}

	return ""
}

// isPlainChange reports whether a cell stays, or is text before and after.
func isPlainChange(old, now string) bool {
	return old == now || plainCell(old) && plainCell(now)
}

func cells(line string, comma rune) []string {
	reader := csv.NewReader(strings.NewReader(line))
	reader.Comma = comma
	row, err := reader.Read()
	if err != nil {
		return nil
	}
	return row
}

func plainCell(cell string) bool {
	return (number.MatchString(cell) || letters.MatchString(cell)) &&
		!switches.MatchString(cell) &&
		!logicWord.MatchString(cell)
}

// translationLogic lets the translations of a catalogue change, and not what they are found by.
func translationLogic(h hunk) string {
	gone, fresh := h.changed()
	if len(gone) != len(fresh) {
		return "entries are added or removed"
	}

	for i := range gone {
		old := strings.TrimSpace(gone[i])
		now := strings.TrimSpace(fresh[i])
		if strings.HasPrefix(old, "# ") && strings.HasPrefix(now, "# ") {
			continue
		}
		shown := strings.HasPrefix(old, "msgstr ") && strings.HasPrefix(now, "msgstr ")
		if !shown || !slices.Equal(holes.FindAllString(old, -1), holes.FindAllString(now, -1)) {
			return "what texts are found by changes, or what a program fills into them"
		}
	}

	return ""
}

// frontMatter is a line of keys at the head of a text, which programs read.
var frontMatter = regexp.MustCompile(`^\s*[a-z_][\w-]*:\s*\S*\s*$`)

func proseLogic(h hunk) string {
	gone, fresh := h.changed()
	if slices.ContainsFunc(slices.Concat(gone, fresh), frontMatter.MatchString) {
		return "a line changes that looks like a setting"
	}
	return ""
}

// imageLogic lets comments and labels of a Dockerfile change.
func imageLogic(h hunk) string {
	gone, fresh := h.changed()
	for _, line := range slices.Concat(gone, fresh) {
		text := strings.TrimSpace(line)
		if text != "" &&
			!strings.HasPrefix(text, "#") &&
			!strings.HasPrefix(text, "LABEL ") {
			return "an instruction changes: " + shorten(text)
		}
	}
	return codeLogic(h, *hash)
}

// kindOf is the ending of a file name, or the name of a format that has none.
func kindOf(name string) string {
	base := strings.ToLower(path.Base(name))
	switch {
	case strings.HasPrefix(base, "dockerfile"), strings.HasPrefix(base, "containerfile"):
		return "dockerfile"
	case base == "makefile", base == "gnumakefile":
		return "makefile"
	case base == "strings.xml":
		return base
	case strings.HasSuffix(base, ".blade.php"):
		return ".blade"
	case papers.MatchString(base):
		return "plain"
	}

	switch kind := path.Ext(base); kind {
	case ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8":
		return "manual"
	case ".arb":
		return ".json"
	case ".jsonc":
		return ".json5"
	case ".yml":
		return ".yaml"
	case ".cfg":
		return ".ini"
	default:
		return kind
	}
}
