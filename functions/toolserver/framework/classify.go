package framework

import (
	"regexp"
	"slices"
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
		return Classification{"LOGIC", Medium, []string{"The description speaks of " + strings.ToLower(word) + "."}, false}
	}
	if word := dataWord.FindString(change); word != "" {
		return Classification{"DATA", Low, []string{"The description speaks of " + strings.ToLower(word) + " and of nothing that code decides by."}, true}
	}
	return Classification{"LOGIC", Low, []string{"Nothing in the description shows that only data changes; what is unclear is LOGIC."}, false}
}

// Confidence of a classification.
const (
	High   = "high"   // nothing else could be meant
	Medium = "medium" // as far as the format tells
	Low    = "low"    // a guess from what it looks like
)

// classifyDiff lets a diff pass only if every hunk is plain data. It is as sure as of the
// hunk that it is least sure of.
func classifyDiff(files []changedFile) Classification {
	sure := High
	for _, f := range files {
		for _, h := range f.hunks {
			if why := f.logic(h); why != "" {
				return Classification{"LOGIC", f.sureOfLogic(h, why), []string{named(f.name) + why}, false}
			}
			sure = less(sure, f.sureOfData(h))
		}
	}
	return Classification{"DATA", sure, []string{"Every changed line is a text, a comment or a value that no code decides by."}, true}
}

// less is the lower confidence.
func less(a, b string) string {
	order := []string{Low, Medium, High}
	if slices.Index(order, b) < slices.Index(order, a) {
		return b
	}
	return a
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
