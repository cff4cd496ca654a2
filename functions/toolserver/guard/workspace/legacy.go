package workspace

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
)

// legacyName is the configuration of the service that this one replaces.
const legacyName = "nervous-system.config.json"

// legacyConfig is what of it still means something.
type legacyConfig struct {
	List      string   `json:"protected_files_list"` // text file, an absolute path a line
	Documents []string `json:"docs_to_audit"`
	Pages     string   `json:"html_dir"`
	Archive   string   `json:"archive_dir"`
}

// legacy takes the older configuration over: its list of protected files was never
// to be changed, so it becomes untouchable.
func (w *Workspace) legacy() (Config, error) {
	text, err := w.ReadFile(legacyName, maxConfig)
	if err != nil {
		return Config{}, err
	}

	var old legacyConfig
	if err := json.Unmarshal(text, &old); err != nil {
		return Config{}, Problem{0, legacyName + " is not JSON; repair it or write " + FileName}
	}

	var c Config
	if c.Untouchable, err = w.legacyList(old.List); err != nil {
		return Config{}, err
	}

	for _, name := range old.Documents {
		if p, err := w.Locate(".", name); err == nil && p.Name != "" {
			c.Docs = append(c.Docs, Document{Path: p.Name})
		}
	}

	if p, err := w.Locate(".", old.Pages); err == nil && p.Name != "" {
		c.Website = Website{Root: p.Name, Pages: []Glob{{Pattern: "**/*.html"}}}
	}

	c.Archive.Dir = old.Archive
	return c, nil
}

// legacyList reads the list: a path a line, comments behind #, a note in brackets at
// the end. Files out of the workspace are not governed here.
func (w *Workspace) legacyList(name string) ([]Glob, error) {
	if name == "" {
		return nil, nil
	}
	p, err := w.Locate(".", name)
	if err != nil || p.Name == "" {
		return nil, Problem{0, legacyName + ": protected_files_list is not in the workspace; write " + FileName}
	}

	text, err := w.ReadFile(p.Name, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Problem{0, legacyName + ": protected_files_list names a file that is not there; write " + FileName}
	} else if err != nil {
		return nil, err
	}

	var globs []Glob
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		if at := strings.LastIndex(line, " ("); at > 0 &&
			strings.HasSuffix(strings.TrimSpace(line), ")") {
			line = line[:at]
		}

		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if file, err := w.Locate(".", line); err == nil &&
			file.Name != "" &&
			file.Name != "." {
			globs = append(globs, Glob{Pattern: literal(file.Name), Line: number})
		}
	}

	return globs, nil
}

// literal is the pattern that matches just one name.
func literal(name string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", "{", "?", "}", "?").Replace(name)
}
