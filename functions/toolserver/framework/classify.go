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
)

// Classify judges a diff, or a sentence about a change, deterministically. Only
// what is plainly data is DATA.
func Classify(change string) Classification {
	if files := parseDiff(change); len(files) > 0 {
		return classifyDiff(files)
	}
	if word := logicWord.FindString(change); word != "" {
		return Classification{"LOGIC", "medium", []string{"The description speaks of " + strings.ToLower(word) + "."}, false}
	}
	if word := dataWord.FindString(change); word != "" {
		return Classification{"DATA", "low", []string{"The description speaks of " + strings.ToLower(word) + " and of nothing that code decides by."}, true}
	}
	return Classification{"LOGIC", "low", []string{"Nothing in the description shows that only data changes; what is unclear is LOGIC."}, false}
}

// classifyDiff lets a diff pass only if every hunk is plain data.
func classifyDiff(files []changedFile) Classification {
	for _, f := range files {
		for _, h := range f.hunks {
			if why := f.logic(h); why != "" {
				return Classification{"LOGIC", "high", []string{named(f.name) + why}, false}
			}
		}
	}
	return Classification{"DATA", "medium", []string{"Every changed line is a text, a comment or a value that no code decides by."}, true}
}

func named(file string) string {
	if file == "" {
		return ""
	}
	return file + ": "
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
