package drift

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
)

// job is a line of a crontab.
type job struct {
	schedule string
	command  string
	name     string // of the program or script, without its folder
	file     string
	line     int
}

// field is one of the five of a schedule.
const cronField = `(?:\*|[0-9A-Za-z]{1,3}(?:-[0-9A-Za-z]{1,3})?)(?:/[0-9]{1,2})?(?:,(?:\*|[0-9A-Za-z]{1,3}(?:-[0-9A-Za-z]{1,3})?)(?:/[0-9]{1,2})?)*`

var (
	jobLine = regexp.MustCompile(`^\s*(@(?:reboot|yearly|annually|monthly|weekly|daily|midnight|hourly)|` +
		cronField + `(?:\s+` + cronField + `){4})\s+(\S.*)$`)

	// schedule finds one in a text. At least one field is a star or a step, so that five
	// plain numbers are none.
	schedule = regexp.MustCompile(`(@(?:reboot|yearly|annually|monthly|weekly|daily|midnight|hourly))\b|` +
		`(?:^|[^\w*/,.-])(` + cronField + `(?:[ \t]+` + cronField + `){4})(?:[^\w*/,-]|$)`)
)

// macros are the names of usual schedules.
var macros = map[string]string{
	"@yearly":   "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
	"@monthly":  "0 0 1 * *",
	"@weekly":   "0 0 * * 0",
	"@daily":    "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@hourly":   "0 * * * *",
}

func plainSchedule(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	if plain, ok := macros[text]; ok {
		return plain
	}
	return text
}

// jobs reads every crontab of the workspace: files named crontab, and those in a folder
// cron.d.
func (s *scan) jobs() []job {
	files, err := s.tree.Matching(context.Background(), []workspace.Glob{
		{Pattern: "**/crontab"},
		{Pattern: "**/*.crontab"},
		{Pattern: "**/crontab.txt"},
		{Pattern: "**/cron.d/*"},
	})
	if err != nil {
		return nil
	}

	var list []job
	for _, file := range files {
		text, err := s.tree.Read(file)
		if err != nil {
			continue
		}
		system := path.Base(path.Dir(file)) == "cron.d" // there a user stands before the command
		for i, l := range strings.Split(string(text), "\n") {
			if j, ok := readJob(l, system); ok {
				j.file, j.line = file, i+1
				list = append(list, j)
			}
		}
	}
	return list
}

func readJob(text string, system bool) (job, bool) {
	if strings.HasPrefix(strings.TrimSpace(text), "#") {
		return job{}, false
	}
	found := jobLine.FindStringSubmatch(strings.TrimRight(text, "\r"))
	if found == nil {
		return job{}, false
	}

	command := strings.Fields(found[2])
	if system && len(command) > 1 {
		command = command[1:]
	}
	return job{
		schedule: plainSchedule(found[1]),
		command:  strings.Join(command, " "),
		name:     jobName(command),
	}, true
}

var interpreters = []string{"bash", "sh", "python", "python3", "node", "php", "ruby", "perl", "env", "flock", "nice", "timeout", "cd", "test", "exec"}

// jobName is the program or script of a command, past interpreters, options and variables.
func jobName(command []string) string {
	whole := strings.Join(command, " ")
	for _, word := range command {
		base := path.Base(strings.Trim(word, `"'`))
		if isJob(word, base, whole) {
			return base
		}
	}
	return ""
}

// isJob reports whether a word of a command is its program or script.
func isJob(word, base, command string) bool {
	switch {
	case word == "&&", word == ";":
		return false
	case strings.HasPrefix(word, "-"), strings.Contains(word, "="):
		return false // an option or a variable
	case strings.HasSuffix(word, "/"), slices.Contains(interpreters, base):
		return false
	}

	isFolder := strings.HasPrefix(word, "/") &&
		!strings.Contains(base, ".") &&
		strings.Contains(command, word+" &&") // of a cd
	return !isFolder
}

// stated is a schedule in a document.
type stated struct {
	line     line
	schedule string
	written  string
	used     bool
}

// statedSchedules compares the schedules in a document with the crontabs.
func (s *scan) statedSchedules(r *Result, name string, lines []line) {
	jobs := s.jobs()
	var found []*stated
	for _, l := range lines {
		for _, match := range schedule.FindAllStringSubmatch(l.text, -1) {
			written := strings.TrimSpace(match[1] + match[2])
			if !strings.HasPrefix(written, "@") && !strings.Contains(written, "*") {
				continue
			}
			found = append(found, &stated{
				line:     l,
				schedule: plainSchedule(written),
				written:  written,
			})
		}
	}

	for _, j := range jobs {
		r.Checked++
		s.compareJob(r, name, j, found, lines)
	}
	for _, each := range found {
		r.Checked++
		isReal := slices.ContainsFunc(jobs, func(j job) bool { return j.schedule == each.schedule })
		if each.used || isReal {
			continue
		}
		r.found(Drift{
			Type:     CronMismatch,
			Source:   "crontab",
			Target:   name,
			Field:    "cron",
			Found:    each.written,
			Severity: finding.Error,
			Line:     each.line.number,
			Message:  "no crontab of the workspace has the schedule " + each.written,
		})
	}
}

// compareJob looks for a job in a document: on a line that names it, or by its schedule.
func (s *scan) compareJob(r *Result, name string, j job, found []*stated, lines []line) {
	var onItsLine []*stated
	for _, each := range found {
		if j.name != "" && strings.Contains(each.line.text, j.name) {
			onItsLine = append(onItsLine, each)
		}
	}
	hasSchedule := func(each *stated) bool { return each.schedule == j.schedule }

	if slices.ContainsFunc(onItsLine, hasSchedule) {
		return
	}
	if len(onItsLine) == 1 {
		wrong := onItsLine[0]
		wrong.used = true
		r.found(Drift{
			Type:     CronMismatch,
			Source:   fmt.Sprintf("%s:%d", j.file, j.line),
			Target:   name,
			Field:    j.name,
			Expected: j.schedule,
			Found:    wrong.written,
			Severity: finding.Error,
			Line:     wrong.line.number,
			Message:  fmt.Sprintf("%s runs %s at %s, and the document says %s", j.file, j.name, j.schedule, wrong.written),
		})
		return
	}
	if slices.ContainsFunc(found, hasSchedule) {
		return
	}
	r.found(Drift{
		Type:     CronUndocumented,
		Source:   fmt.Sprintf("%s:%d", j.file, j.line),
		Target:   name,
		Field:    j.name,
		Expected: j.schedule,
		Severity: finding.Error,
		Message:  fmt.Sprintf("%s runs %s at %s, and the document does not say so", j.file, j.name, j.schedule),
	})
}
