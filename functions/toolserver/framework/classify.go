package framework

import (
	"regexp"
	"strings"
)

// Classification is the verdict of the permission protocol about a change.
type Classification struct {
	Kind       string   `json:"kind"` // DATA or LOGIC
	Confidence string   `json:"confidence"`
	Evidence   []string `json:"evidence"`
	MayProceed bool     `json:"may_proceed"`
}

var (
	logicWord = regexp.MustCompile(`(?i)\b(logic|function|algorithm|condition|prompt|schema|config\w*|setting|permission|dependenc\w+|rename|refactor|endpoint|route|workflow|deploy\w*|migrat\w+|delete|remove|drop|disable|enable|bypass|retry|timeout|limit|handler|class|method|module|database|query|script|rule|policy|token|secret|password|key)\b`)
	dataWord  = regexp.MustCompile(`(?i)\b(typo|spelling|wording|translation|caption|headline|copy|label text|phone number|opening hours|address|date in the text|price in the text|alt text|colou?r|font size|image)\b`)
	dataLine  = regexp.MustCompile(`^\s*(?:"[^"{}\[\]]+"\s*:\s*(?:"[^"]*"|-?\d+(?:\.\d+)?)\s*,?|<(?:p|h[1-6]|li|td|th|span|strong|em|title|figcaption)>[^<>{}]*</(?:p|h[1-6]|li|td|th|span|strong|em|title|figcaption)>|(?:--)?[a-z-]*(?:color|font-size|margin|padding|width|height)\s*:\s*[^(){};]+;?|[A-Z][^=(){};<>]*[.!?])\s*$`)
	diffLine  = regexp.MustCompile(`(?m)^[-+][^-+].*$`)
	jsonKey   = regexp.MustCompile(`^\s*"([^"]+)"\s*:`)
)

// Classify judges a diff, or a sentence about a change, deterministically. Only
// what is plainly data is DATA.
func Classify(change string) Classification {
	if lines := diffLine.FindAllString(change, -1); len(lines) > 0 {
		return classifyDiff(lines)
	}
	if word := logicWord.FindString(change); word != "" {
		return Classification{"LOGIC", "medium", []string{"The description speaks of " + strings.ToLower(word) + "."}, false}
	}
	if word := dataWord.FindString(change); word != "" {
		return Classification{"DATA", "low", []string{"The description speaks of " + strings.ToLower(word) + " and of nothing that code decides by."}, true}
	}
	return Classification{"LOGIC", "low", []string{"Nothing in the description shows that only data changes; what is unclear is LOGIC."}, false}
}

// classifyDiff lets a diff pass only if every changed line is plain data, and the
// keys of JSON members stay the same.
func classifyDiff(lines []string) Classification {
	keys := map[string]int{}
	for _, line := range lines {
		content := line[1:]
		if key := jsonKey.FindStringSubmatch(content); key != nil {
			if logicWord.MatchString(key[1]) {
				return Classification{"LOGIC", "medium", []string{"The value belongs to a key that code may decide by: " + shorten(key[1])}, false}
			}
			if line[0] == '+' {
				keys[key[1]]++
			} else {
				keys[key[1]]--
			}
		}
		if strings.TrimSpace(content) != "" && !dataLine.MatchString(content) {
			return Classification{"LOGIC", "high", []string{"A changed line is not plain data: " + shorten(content)}, false}
		}
	}
	for _, balance := range keys {
		if balance != 0 {
			return Classification{"LOGIC", "high", []string{"A key is added, removed or renamed."}, false}
		}
	}
	return Classification{"DATA", "medium", []string{"Every changed line is a text or a value, and no key changes."}, true}
}

// shorten quotes a line without what could be a secret in it.
func shorten(line string) string {
	line = strings.TrimSpace(line)
	if i := strings.IndexAny(line, `"'=:`); i >= 0 {
		line = line[:i+1] + " …"
	}
	if runes := []rune(line); len(runes) > 60 {
		line = string(runes[:60]) + "…"
	}
	return line
}
