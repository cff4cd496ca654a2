package fabrication

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"governance.internal/functions/toolserver/inspect/git"
	"governance.internal/shared/secretscan"
)

// setting is a value in a file of settings.
type setting struct {
	value string
	line  int
}

// maxNesting is how deep settings are followed.
const maxNesting = 64

func isSettings(name string) bool {
	return slices.Contains([]string{".json", ".yaml", ".yml", ".env", ".toml", ".ini"}, kindOf(name)) ||
		strings.HasPrefix(path.Base(name), ".env")
}

// kindOf is the ending of a file without what backups add to it.
func kindOf(name string) string { return path.Ext(stem(name)) }

// values are the settings of a file by the path of their names, such as db/password. A file
// that does not have the format of its name is read line by line.
func values(name, text string) map[string]setting {
	found := map[string]setting{}
	switch kindOf(name) {
	case ".json":
		if readJSON(text, found) {
			return found
		}
	case ".yaml", ".yml":
		if readYAML(text, found) {
			return found
		}
	}

	readLines(text, found)
	return found
}

// readJSON walks the tokens of a document, so that each value has its line.
func readJSON(text string, found map[string]setting) bool {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	lines := newlines(text)
	var walk func(at string, depth int) error
	walk = func(at string, depth int) error {
		token, err := d.Token()
		if err != nil {
			return err
		}
		if depth > maxNesting {
			return errors.New("nested too deeply")
		}

		open, nested := token.(json.Delim)
		if !nested {
			line, _ := slices.BinarySearch(lines, int(d.InputOffset()))
			found[at] = setting{fmt.Sprint(token), line + 1}
			return nil
		}

		for i := 0; d.More(); i++ {
			name := strconv.Itoa(i)
			if open == '{' {
				key, err := d.Token()
				if err != nil {
					return err
				}
				name = fmt.Sprint(key)
			}

			if err := walk(at+"/"+name, depth+1); err != nil {
				return err
			}
		}

		_, err = d.Token() // the end
		return err
	}
	err := walk("", 0)
	if err == nil {
		_, err = d.Token() // nothing may follow
	}

	if !errors.Is(err, io.EOF) || len(found) == 0 {
		clear(found)
		return false
	}

	return true
}

func newlines(text string) (at []int) {
	for i := range len(text) {
		if text[i] == '\n' {
			at = append(at, i)
		}
	}
	return at
}

// readYAML walks the nodes of all documents. Aliases are not followed.
func readYAML(text string, found map[string]setting) bool {
	var walk func(n *yaml.Node, at string, depth int)
	walk = func(n *yaml.Node, at string, depth int) {
		if depth > maxNesting {
			return
		}
		switch n.Kind {
		case yaml.ScalarNode:
			found[at] = setting{n.Value, n.Line}
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				walk(n.Content[i+1], at+"/"+n.Content[i].Value, depth+1)
			}
		case yaml.SequenceNode, yaml.DocumentNode:
			for i, item := range n.Content {
				name := at
				if n.Kind == yaml.SequenceNode {
					name += "/" + strconv.Itoa(i)
				}
				walk(item, name, depth+1)
			}
		}
	}

	d := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	for i := 0; ; i++ {
		var document yaml.Node
		err := d.Decode(&document)
		if errors.Is(err, io.EOF) {
			return true
		} else if err != nil {
			clear(found)
			return false
		}

		prefix := ""
		if i > 0 {
			prefix = "/" + strconv.Itoa(i)
		}

		walk(&document, prefix, 0)
	}
}

var (
	assignment = regexp.MustCompile(`^\s*(?:export\s+)?"?([A-Za-z_][A-Za-z0-9_.-]*)"?\s*[:=]\s*"?([^",#]*)"?`)
	section    = regexp.MustCompile(`^\s*\[+([^\]]+)\]+`)
)

// readLines reads assignments, in sections if the file has some (TOML, INI).
func readLines(text string, found map[string]setting) {
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	at := ""
	for number := 1; lines.Scan(); number++ {
		if m := section.FindStringSubmatch(lines.Text()); m != nil {
			at = "/" + strings.ReplaceAll(strings.TrimSpace(m[1]), ".", "/")
		} else if m := assignment.FindStringSubmatch(lines.Text()); m != nil {
			found[at+"/"+m[1]] = setting{strings.Trim(strings.TrimSpace(m[2]), "'"), number}
		}
	}
}

// version is an earlier text of a file: a backup, or the last commit.
type version struct{ where, text string }

// earlier are the earlier texts of a file.
func (s Search) earlier(f source, files []source) []version {
	var list []version
	for _, other := range files {
		if s.isBackup(other.name) &&
			path.Base(stem(other.name)) == path.Base(stem(f.name)) &&
			other.name != f.name {
			list = append(list, version{other.name, other.text})
		}
	}

	if text, ok := s.history.file(f.name); ok {
		list = append(list, version{"the last commit", text})
	}
	return list
}

// credentials finds placeholders whose real value an earlier text has.
func (s Search) credentials(files []source) (all []Finding) {
	for _, now := range files {
		if s.isBackup(now.name) || !isSettings(now.name) {
			continue
		}
		current := values(now.name, now.text)
		for _, before := range s.earlier(now, files) {
			old := values(now.name, before.text)
			for name, v := range current {
				was := old[name]
				if !secretscan.SecretName(path.Base(name)) || !isReplaced(was.value, v.value) {
					continue
				}
				said := strings.TrimPrefix(name, "/") + " is a placeholder here and has a value in " + before.where
				all = append(all, found(Placeholder, "error", now.name, v.line, said, identified(was.value)))
			}
		}
	}

	return all
}

// isReplaced reports whether a placeholder stands where an earlier text has a real value.
func isReplaced(was, is string) bool {
	hadValue := was != "" && !secretscan.Placeholder(was)
	return hadValue && secretscan.Placeholder(is)
}

// identified identifies a value to a reader who knows it.
func identified(value string) string {
	sum := sha256.Sum256([]byte(value))
	return fmt.Sprintf("%d characters, sha256 %x", len(value), sum[:4])
}

// history is the last commit, if there is one.
type history struct{ repository *git.Repository }

// open opens the repository; one that exists and cannot be read is reported.
func (s Search) open(r *Report) history {
	repository, err := git.Open(s.Workspace)
	if err != nil &&
		!errors.Is(err, git.ErrNone) &&
		!errors.Is(err, git.ErrNoCommit) {
		r.Skipped = append(r.Skipped, "the last commit: "+err.Error())
	}
	return history{repository}
}

func (h history) close() {
	if h.repository != nil {
		h.repository.Close()
	}
}

func (h history) file(name string) (string, bool) {
	if h.repository == nil {
		return "", false
	}
	text, err := h.repository.File(name)
	return string(text), err == nil
}
