package proof

import (
	"slices"
	"strings"
)

// wrappers run the rest of their words as a command and end as it does.
var wrappers = map[string]func(words []string) []string{
	"command": withoutOptions,
	"exec":    withoutOptions,
	"nohup":   withoutOptions,
	"time":    withoutOptions,
	"nice":    afterNumber,
	"timeout": afterDuration,
	"stdbuf":  withoutOptions,
}

// bare takes wrappers from a command.
func (r *reader) bare(words []string) []string {
	for len(words) > 1 {
		if words[0] == "env" {
			words = r.afterVariables(words[1:])
			continue
		}
		unwrap, known := wrappers[words[0]]
		if !known {
			return words
		}
		words = unwrap(words[1:])
	}
	return words
}

// afterVariables are the words after the variables that env sets.
func (r *reader) afterVariables(words []string) []string {
	for len(words) > 0 && (strings.Contains(words[0], "=") || strings.HasPrefix(words[0], "-")) {
		if strings.HasPrefix(words[0], "PATH=") || words[0] == "-S" {
			r.bent = true
		}
		words = words[1:]
	}
	return words
}

func withoutOptions(words []string) []string {
	first := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") })
	if first < 0 {
		return nil
	}
	return words[first:]
}

// afterNumber are the words after nice -n 10 or nice -10.
func afterNumber(words []string) []string {
	if len(words) > 1 && words[0] == "-n" {
		return words[2:]
	}
	return withoutOptions(words)
}

// afterDuration are the words after the options and the duration of timeout.
func afterDuration(words []string) []string {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		takesValue := words[0] == "-k" || words[0] == "-s"
		words = words[1:]
		if takesValue && len(words) > 0 {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return nil
	}
	return words[1:]
}
