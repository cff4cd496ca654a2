// Package fabrication finds solutions that are none: a placeholder where a real value
// stands beside it, a second copy of a file instead of a repair, an example that took
// the place of a filled configuration, a check that was switched off.
package fabrication

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Types of findings.
const (
	Placeholder = "PLACEHOLDER_WITH_REAL_BACKUP"
	Duplicate   = "POTENTIAL_DUPLICATE"
	Default     = "DEFAULT_CONFIG_OVER_POPULATED"
	Workaround  = "RECENT_WORKAROUND"
	Weakened    = "TEST_WEAKENED"
)

// hints say what to do about each type.
var hints = map[string]string{
	Placeholder: "Put the real value back from where it is named, and say why it was replaced.",
	Duplicate:   "Change the file that is there, and remove the copy.",
	Default:     "Put the filled configuration back.",
	Workaround:  "Repair the cause, or tell a person why the failure may be ignored.",
	Weakened:    "Make the test pass, or ask a person before it is switched off.",
}

// Finding is one of them. No value of a setting is in it.
type Finding struct {
	ID          string `json:"id"` // 12 hexadecimal digits
	Type        string `json:"type"`
	Severity    string `json:"severity"` // error: fabricated; warn: to be looked at
	Path        string `json:"path"`
	Line        int    `json:"line,omitempty"`
	Message     string `json:"message"`
	Hint        string `json:"hint"`
	Evidence    string `json:"evidence,omitempty"` // the line, or what identifies a value
	Fingerprint string `json:"fingerprint"`        // as the id, and the same after the line moved
}

// found makes a finding.
func found(kind, severity, path string, line int, message, evidence string) Finding {
	mark := func(parts ...any) string {
		sum := sha256.Sum256([]byte(fmt.Sprintf("%q", parts)))
		return hex.EncodeToString(sum[:6])
	}
	return Finding{mark(kind, path, message, evidence, line), kind, severity, path, line, message, hints[kind], evidence, mark(kind, path, message, evidence)}
}

// Search is what to look for, and where.
type Search struct {
	Workspace *workspace.Workspace
	State     workspace.State
	Folder    string    // from the root
	Since     time.Time // for duplicates and workarounds
	Scope     string    // full, credentials, duplicates, defaults or workarounds

	history history
}

// Report is the result of a search.
type Report struct {
	Checked   int
	Findings  []Finding
	Skipped   []string
	Limits    []string // that ended the search early
	Truncated bool
}

// maxTotal is how much of the texts is looked at, in bytes.
const maxTotal = 128 << 20

// source is a file that was read.
type source struct {
	name  string
	text  string
	sum   [32]byte
	at    time.Time
	fresh bool // written since
}

// after reports whether a file came after another one.
func (f source) after(other source) bool {
	return f.at.After(other.at) ||
		f.at.Equal(other.at) &&
			(len(f.name) > len(other.name) || len(f.name) == len(other.name) && f.name > other.name)
}

// Run searches. An error means that the folder cannot be walked.
func (s Search) Run() (Report, error) {
	r := Report{
		Findings: []Finding{},
		Skipped:  []string{},
		Limits:   []string{},
	}
	files, err := s.read(&r)
	if err != nil {
		return r, err
	}

	s.history = s.open(&r)
	defer s.history.close()

	for scope, look := range map[string]func([]source) []Finding{
		"credentials": s.credentials,
		"duplicates":  s.duplicates,
		"defaults":    s.defaults,
		"workarounds": s.workarounds,
	} {
		if s.Scope == "full" || s.Scope == scope {
			r.Findings = append(r.Findings, look(files)...)
		}
	}

	slices.SortFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.Path, b.Path),
			cmp.Compare(a.Line, b.Line),
			strings.Compare(a.Type, b.Type),
			strings.Compare(a.ID, b.ID),
		)
	})

	if limit := s.State.Config.Limits.MaxFindings; len(r.Findings) > limit {
		r.Findings, r.Limits = r.Findings[:limit], append(r.Limits, "max_findings")
	}

	r.Truncated = len(r.Limits) > 0
	return r, nil
}

// read reads the texts of the folder, and of the backups, which are compared with.
func (s Search) read(r *Report) ([]source, error) {
	var files []source
	limits := s.State.Config.Limits
	total := 0
	err := s.Workspace.Walk(s.Folder, limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		if entry.IsDir() &&
			(entry.Name() == ".git" || entry.Name() == "node_modules" || name == workspace.StateDir) {
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
		if total += len(text); total > maxTotal {
			r.Limits = append(r.Limits, "total_bytes")
			return fs.SkipAll
		}

		r.Checked++
		files = append(files, source{name, string(text), sha256.Sum256(text), info.ModTime(), !info.ModTime().Before(s.Since)})
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
	return slices.Contains(s.State.Config.Archive.Backups, top) ||
		slices.Contains([]string{".bak", ".old", ".orig", ".backup"}, path.Ext(name))
}

var exampleMark = regexp.MustCompile(`[.-](example|sample|template|dist)(\.|$)`)

// defaults finds configurations that are their own example.
func (s Search) defaults(files []source) (all []Finding) {
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
		for _, other := range s.earlier(f, files) {
			if other.text != f.text {
				all = append(all, found(Default, "error", f.name, 0, "is the same as "+example.name+", while "+other.where+" is filled", ""))
			}
		}
	}

	return all
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

func (s Search) workarounds(files []source) (all []Finding) {
	for _, f := range files {
		if !f.fresh || slices.Contains([]string{".md", ".txt"}, path.Ext(f.name)) {
			continue
		}
		number := 0
		for line := range strings.Lines(f.text) {
			number++
			for _, w := range workarounds {
				if w.line.MatchString(line) {
					all = append(all, found(w.kind, "warn", f.name, number, w.why, quoted(line)))
				}
			}
		}
	}

	return all
}

// quoted is a line without secrets, at most 120 characters of it.
func quoted(line string) string {
	runes := []rune(mask.Text(strings.TrimSpace(line)))
	return string(runes[:min(len(runes), 120)])
}
