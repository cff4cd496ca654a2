// Package fabrication finds solutions that are none: a placeholder where a real value
// stands beside it, a second copy of a file instead of a repair, an example that took
// the place of a filled configuration, a check that was switched off.
package fabrication

import (
	"bufio"
	"crypto/sha256"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"governance.internal/functions/toolserver/policy"
	"governance.internal/functions/toolserver/workspace"
	"governance.internal/shared/secretscan"
)

// Types of findings.
const (
	Placeholder = "PLACEHOLDER_WITH_REAL_BACKUP"
	Duplicate   = "POTENTIAL_DUPLICATE"
	Default     = "DEFAULT_CONFIG_OVER_POPULATED"
	Workaround  = "RECENT_WORKAROUND"
	Weakened    = "TEST_WEAKENED"
)

// Finding is one of them. No value is in it.
type Finding struct {
	Type     string `json:"type"`
	Severity string `json:"severity"` // error: fabricated; warn: to be looked at
	Path     string `json:"path"`
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message"`
}

// Search is what to look for, and where.
type Search struct {
	Workspace *workspace.Workspace
	State     workspace.State
	Folder    string    // from the root
	Since     time.Time // for duplicates and workarounds
	Scope     string    // full, credentials, duplicates, defaults or workarounds
}

// Report is the result of a search.
type Report struct {
	Checked   int
	Findings  []Finding
	Skipped   []string
	Truncated bool
}

// source is a file that was read.
type source struct {
	name  string
	text  string
	sum   [32]byte
	fresh bool // written since
}

// Run searches. An error means that the folder cannot be walked.
func (s Search) Run() (Report, error) {
	r := Report{Findings: []Finding{}, Skipped: []string{}}
	files, err := s.read(&r)
	if err != nil {
		return r, err
	}
	for scope, look := range map[string]func([]source) []Finding{"credentials": s.credentials, "duplicates": s.duplicates, "defaults": s.defaults, "workarounds": s.workarounds} {
		if s.Scope == "full" || s.Scope == scope {
			r.Findings = append(r.Findings, look(files)...)
		}
	}
	slices.SortFunc(r.Findings, func(a, b Finding) int {
		return strings.Compare(a.Path+"\x00"+a.Type+"\x00"+strconv.Itoa(1e6+a.Line)+a.Message, b.Path+"\x00"+b.Type+"\x00"+strconv.Itoa(1e6+b.Line)+b.Message)
	})
	if limit := s.State.Config.Limits.MaxFindings; len(r.Findings) > limit {
		r.Findings, r.Truncated = r.Findings[:limit], true
	}
	return r, nil
}

// read reads the texts of the folder, and of the backups, which are compared with.
func (s Search) read(r *Report) ([]source, error) {
	var files []source
	limits := s.State.Config.Limits
	err := s.Workspace.Walk(s.Folder, limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		if entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules" || name == workspace.StateDir) {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() || s.ignored(name) {
			return nil
		}
		text, err := s.Workspace.ReadFile(name, int64(limits.MaxFileBytes))
		info, infoErr := entry.Info()
		if err != nil || infoErr != nil {
			r.Skipped = append(r.Skipped, name+": cannot be read")
			return nil
		}
		if strings.Contains(string(text[:min(len(text), 8000)]), "\x00") {
			return nil // no text
		}
		r.Checked++
		files = append(files, source{name, string(text), sha256.Sum256(text), !info.ModTime().Before(s.Since)})
		return nil
	})
	return files, err
}

func (s Search) ignored(name string) bool {
	return slices.ContainsFunc(s.State.Config.Ignore, func(g workspace.Glob) bool {
		p, err := policy.Compile(g.Pattern, false)
		return err == nil && p.Match(name)
	})
}

// stem is the name of a file without what copies and backups add to it.
var copyMark = regexp.MustCompile(`(?i)([-_. ](v\d+|new|copy|fixed|final|old|bak|backup|orig|tmp|2))+$`)

func stem(name string) string {
	kind := path.Ext(name)
	base := strings.TrimSuffix(path.Base(name), kind)
	if slices.Contains([]string{".bak", ".old", ".orig", ".backup"}, kind) { // config.json.bak
		return base
	}
	return copyMark.ReplaceAllString(base, "") + kind
}

func (s Search) isBackup(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return slices.Contains(s.State.Config.Archive.Backups, top) || slices.Contains([]string{".bak", ".old", ".orig", ".backup"}, path.Ext(name))
}

var assignment = regexp.MustCompile(`^\s*(?:export\s+)?"?([A-Za-z_][A-Za-z0-9_.-]*)"?\s*[:=]\s*"?([^",#]*)"?`)

// values are the settings of a file by name, each with its line.
func values(text string) map[string]setting {
	found := map[string]setting{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		if m := assignment.FindStringSubmatch(lines.Text()); m != nil {
			found[m[1]] = setting{strings.TrimSpace(m[2]), number}
		}
	}
	return found
}

type setting struct {
	value string
	line  int
}

func isSettings(name string) bool {
	return slices.Contains([]string{".json", ".yaml", ".yml", ".env", ".toml", ".ini"}, path.Ext(stem(name))) || strings.HasPrefix(path.Base(name), ".env")
}

// credentials finds placeholders whose real value stands in a backup.
func (s Search) credentials(files []source) (found []Finding) {
	for _, now := range files {
		if s.isBackup(now.name) || !isSettings(now.name) {
			continue
		}
		current := values(now.text)
		for _, backup := range files {
			if !s.isBackup(backup.name) || stem(backup.name) != stem(now.name) {
				continue
			}
			old := values(backup.text)
			for name, v := range current {
				before, there := old[name]
				if there && secretscan.SecretName(name) && secretscan.Placeholder(v.value) && before.value != "" && !secretscan.Placeholder(before.value) {
					found = append(found, Finding{Placeholder, "error", now.name, v.line, name + " is a placeholder here and has a value in " + backup.name})
				}
			}
		}
	}
	return found
}

// duplicates finds new files that are another one once more.
func (s Search) duplicates(files []source) (found []Finding) {
	bySum, byStem := map[[32]byte][]source{}, map[string][]source{}
	for _, f := range files {
		if len(f.text) < 40 || s.isBackup(f.name) {
			continue
		}
		bySum[f.sum] = append(bySum[f.sum], f)
		byStem[path.Dir(f.name)+"/"+stem(f.name)] = append(byStem[path.Dir(f.name)+"/"+stem(f.name)], f)
	}
	add := func(f, other source, why string) {
		if f.fresh && f.name != other.name {
			found = append(found, Finding{Duplicate, "warn", f.name, 0, why + " " + other.name})
		}
	}
	for _, same := range bySum {
		for _, f := range same[1:] {
			add(f, same[0], "has the content of")
		}
	}
	for _, group := range byStem {
		for _, f := range group {
			for _, other := range group {
				if f.sum != other.sum && path.Base(f.name) != stem(f.name) && path.Base(other.name) == stem(f.name) {
					add(f, other, "looks like a copy of")
				}
			}
		}
	}
	return found
}

var exampleMark = regexp.MustCompile(`[.-](example|sample|template|dist)(\.|$)`)

// defaults finds configurations that are their own example.
func (s Search) defaults(files []source) (found []Finding) {
	byName := map[string]source{}
	for _, f := range files {
		byName[f.name] = f
	}
	for _, example := range files {
		real := strings.TrimSuffix(exampleMark.ReplaceAllString(example.name, "$2"), ".")
		f, there := byName[real]
		if !there || real == example.name || f.sum != example.sum {
			continue
		}
		for _, other := range files {
			if s.isBackup(other.name) && stem(other.name) == path.Base(real) && other.sum != f.sum {
				found = append(found, Finding{Default, "error", f.name, 0, "is the same as " + example.name + ", while " + other.name + " is filled"})
			}
		}
	}
	return found
}

// workarounds are lines that switch something off.
var workarounds = []struct {
	kind, why string
	line      *regexp.Regexp
}{
	{Workaround, "ignores a failure", regexp.MustCompile(`\|\|\s*true\b`)},
	{Workaround, "skips the hooks", regexp.MustCompile(`--no-verify\b`)},
	{Workaround, "stands in for a real answer", regexp.MustCompile(`(?i)\b(return|=)\s*.*\b(mock|stub|dummy|fake|hardcoded|hard-coded)[_ -]?(data|value|response|result)`)},
	{Workaround, "swallows every error", regexp.MustCompile(`^\s*except(\s+Exception)?\s*:\s*pass\b|catch\s*(\([^)]*\))?\s*\{\s*\}`)},
	{Weakened, "skips a test", regexp.MustCompile(`\b(t\.Skip(Now|f)?\(|(it|test|describe)\.skip\(|xit\(|@pytest\.mark\.skip|@unittest\.skip|@Disabled\b|@Ignore\b)`)},
}

func (s Search) workarounds(files []source) (found []Finding) {
	for _, f := range files {
		if !f.fresh || slices.Contains([]string{".md", ".txt"}, path.Ext(f.name)) {
			continue
		}
		number := 0
		for line := range strings.Lines(f.text) {
			number++
			for _, w := range workarounds {
				if w.line.MatchString(line) {
					found = append(found, Finding{w.kind, "warn", f.name, number, w.why})
				}
			}
		}
	}
	return found
}
