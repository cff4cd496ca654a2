// Package skill checks skills against the rules of Agent Skills: a folder with a SKILL.md whose
// front matter names and describes it.
package skill

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Limits of the rules.
const (
	maxName          = 64
	maxDescription   = 1024
	maxCompatibility = 500
	maxLines         = 500
)

// keys are the members that the front matter may have.
var keys = []string{"name", "description", "license", "allowed-tools", "metadata", "compatibility"}

var validName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
})

// Problems returns what is wrong with a SKILL.md in a folder; none if it is valid.
func Problems(folder, content string) []string {
	header, body, ok := cut(content)
	if !ok {
		return []string{"The file must begin with front matter between two lines of three hyphens."}
	}

	var problems []string
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	members := read(header, report)

	checkName(members["name"], folder, report)
	checkDescription(members["description"], report)
	if utf8.RuneCountInString(members["compatibility"]) > maxCompatibility {
		report("compatibility is longer than %d characters.", maxCompatibility)
	}
	if strings.Count(body, "\n") > maxLines {
		report("The body has more than %d lines; move details into files beside it.", maxLines)
	}
	if strings.TrimSpace(body) == "" {
		report("The body is empty.")
	}
	return problems
}

// cut parts the front matter from the body.
func cut(content string) (header, body string, ok bool) {
	content = strings.ReplaceAll(content, "\r\n", "\n")
	rest, ok := strings.CutPrefix(content, "---\n")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "\n---\n")
}

// read returns the members of one line. Lines that are indented belong to the member before.
func read(header string, report func(string, ...any)) map[string]string {
	members := map[string]string{}
	last := ""

	for line := range strings.Lines(header) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "#") || line == "" {
			if members[last] != "" || last == "description" {
				members[last] = strings.TrimSpace(members[last] + " " + strings.TrimSpace(line))
			}
			continue
		}

		key, value, ok := strings.Cut(line, ":")
		if !ok {
			report("The line %q of the front matter is no member.", line)
			continue
		}
		if !slices.Contains(keys, key) {
			report("The front matter has %s, which is not one of %s.", key, strings.Join(keys, ", "))
		}
		if _, twice := members[key]; twice {
			report("The front matter has %s twice.", key)
		}
		members[key] = strings.Trim(strings.TrimLeft(strings.TrimSpace(value), ">|-"), ` "'`)
		last = key
	}

	return members
}

func checkName(name, folder string, report func(string, ...any)) {
	switch {
	case name == "":
		report("name is missing.")
	case len(name) > maxName:
		report("name is longer than %d characters.", maxName)
	case !validName().MatchString(name):
		report("name must be lower-case letters and digits, separated by single hyphens.")
	case folder != "" && name != folder:
		report("name is %q and the folder %q; they must be equal.", name, folder)
	case name == "anthropic" || name == "claude":
		report("name is reserved.")
	}
}

func checkDescription(description string, report func(string, ...any)) {
	switch {
	case description == "":
		report("description is missing.")
	case utf8.RuneCountInString(description) > maxDescription:
		report("description is longer than %d characters.", maxDescription)
	case strings.ContainsAny(description, "<>"):
		report("description has angle brackets.")
	}
}
