// Package handoff knows the form of a handoff: the file that a session leaves so
// that the next one can go on without asking.
package handoff

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Headings of a handoff, in their order.
var Headings = []string{"What just happened", "State of the system", "Next steps", "Files changed", "What people must do"}

// Sections are the content of a handoff.
type Sections struct {
	JustHappened []string `json:"just_happened" max:"50"`
	State        []string `json:"state" max:"50"`
	Next         []string `json:"next" max:"50"`
	FilesChanged []string `json:"files_changed" max:"200"`
	HumanActions []string `json:"human_actions" max:"50"`
}

// Empty reports whether no section has a line.
func (s Sections) Empty() bool {
	return len(s.JustHappened)+len(s.State)+len(s.Next)+len(s.FilesChanged)+len(s.HumanActions) == 0
}

// Markdown is a handoff with these sections.
func (s Sections) Markdown(now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Handoff\n\nWritten: %s\n", now.UTC().Format("2006-01-02 15:04 UTC"))
	for i, list := range [][]string{s.JustHappened, s.State, s.Next, s.FilesChanged, s.HumanActions} {
		fmt.Fprintf(&b, "\n## %s\n\n", Headings[i])
		for _, line := range list {
			fmt.Fprintf(&b, "- %s\n", strings.Join(strings.Fields(line), " "))
		}
		if len(list) == 0 {
			b.WriteString("- nothing\n")
		}
	}
	return b.String()
}

// Template is an empty handoff.
const Template = `# Handoff

Written: [DATE AND TIME]

## What just happened

- [WHAT WAS DONE, WITH RESULTS]

## State of the system

- [WHAT RUNS, WHAT IS BROKEN, WHICH VERSION]

## Next steps

- [THE NEXT STEP, SO THAT A STRANGER CAN DO IT]

## Files changed

- [PATH: WHY]

## What people must do

- [A DECISION OR AN ACTION, AND BY WHEN]
`

// Example is a good one.
const Example = `# Handoff

Written: 2026-03-02 16:40 UTC

## What just happened

- The import of orders is idempotent: a second run adds no row (tested with 1,200 orders).

## State of the system

- Version 2.4.1 runs in staging. Production still has 2.4.0. The nightly report is off since Monday.

## Next steps

- Turn the nightly report on again after the import ran once in staging (job import-orders).

## Files changed

- internal/orders/import.go: the key of an order is its number and its shop.

## What people must do

- Approve the release of 2.4.1 until Thursday.
`

// Practices are what makes a handoff useful.
var Practices = []string{
	"Write it while the work is done, not after it.",
	"Name files, versions, numbers and times; leave out what the next session can look up.",
	"Put the next step first that a stranger could take.",
	"Say what does not work, and what was tried.",
	"Replace the old handoff as a whole; history belongs into the worklog.",
	"Never write a secret into it; say where it is kept.",
}

// placeholder is a text in square brackets that is no link.
var placeholder = regexp.MustCompile(`\[[A-Za-z][A-Za-z0-9 _,:;'/-]{2,80}\]\(?`)

// Check says which sections are missing or empty, and which placeholders were left in.
func Check(text string) (missing, unfilled []string) {
	sections := Read(text)
	for _, heading := range Headings {
		if len(sections[strings.ToLower(heading)]) == 0 {
			missing = append(missing, heading)
		}
	}

	unfilled = slices.DeleteFunc(placeholder.FindAllString(text, 20), func(found string) bool {
		return strings.HasSuffix(found, "(")
	})
	slices.Sort(unfilled)
	return missing, slices.Compact(unfilled)
}

// Read returns the lines of each section, by its heading in lower case.
func Read(text string) map[string][]string {
	sections := map[string][]string{}
	heading := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.ToLower(strings.TrimSpace(name))
			continue
		}

		if line = strings.TrimSpace(strings.TrimLeft(line, "-* ")); line != "" && heading != "" {
			sections[heading] = append(sections[heading], line)
		}
	}
	return sections
}
