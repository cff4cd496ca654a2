package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// text is a document with its labels.
type text struct {
	set       string // name of the file or folder of the labels
	body      string
	conflicts [][2]string // quotes of two lines
	near      [][2]string // that only look like a conflict
	planted   bool        // the only pair, in a document that has nothing to do with it
}

// held are the labels that are only measured; the folder blind is not even read.
var held = []string{"exam", "unseen", "last", "later"}

func readAll(labels, clean string) ([]text, error) {
	pairs, err := readPairs(labels)
	if err != nil {
		return nil, err
	}
	files, err := readFiles(labels)
	if err != nil {
		return nil, err
	}
	plain, err := readClean(clean)
	return slices.Concat(pairs, files, plain), err
}

// readBackgrounds reads the documents into which pairs are planted.
func readBackgrounds(labels string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(labels, "backgrounds", "*.md"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(errors.New("there are no backgrounds"), err)
	}

	var all []string
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, string(raw))
	}
	return all, nil
}

// readPairs reads the files of pairs, each planted into a document.
func readPairs(labels string) ([]text, error) {
	backgrounds, err := readBackgrounds(labels)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(labels, "pairs", "*.txt"))
	if err != nil {
		return nil, err
	}
	more, err := filepath.Glob(filepath.Join(labels, "learn", "*.txt"))
	if err != nil {
		return nil, err
	}

	var all []text
	for _, file := range append(files, more...) {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		set := strings.TrimSuffix(filepath.Base(file), ".txt")
		for i, block := range strings.Split(string(raw), "\n\n") {
			if t, ok := planted(block, documentFor(i, backgrounds)); ok {
				t.set = set
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// small are documents that hold little more than a pair.
var small = []string{
	"# Rules\n\n%A%\n%B%\n",
	"# Rules\n\n%A%\n\n## More\n\n- Be careful.\n%B%\n",
	"%A%\n- Read the files in `src/` first.\n- Name the person who asked.\n- The team meets on Mondays.\n%B%\n",
}

// documentFor returns the document into which the pair at an index is planted.
func documentFor(i int, backgrounds []string) string {
	if i%2 == 0 {
		return small[i/2%len(small)]
	}
	return backgrounds[i/2%len(backgrounds)]
}

// planted reads a pair and puts it into a document; false for one that stands in two files.
func planted(block, background string) (text, bool) {
	fields := map[string]string{}
	conflicts := false
	for line := range strings.Lines(block) {
		line = strings.TrimSpace(line)
		switch key, value, ok := strings.Cut(line, ": "); {
		case strings.HasPrefix(line, "+ "):
			conflicts = true
		case ok && len(key) <= 2:
			fields[key] = value
		}
	}
	if fields["a"] == "" || fields["b"] == "" || fields["af"] != "" {
		return text{}, false
	}

	body := strings.Replace(background, "%A%", planting(fields, "a"), 1)
	body = strings.Replace(body, "%B%", planting(fields, "b"), 1)
	quotes := [][2]string{{fields["a"], fields["b"]}}

	t := text{body: body, planted: true}
	if conflicts {
		t.conflicts = quotes
	} else {
		t.near = quotes
	}
	return t, true
}

func planting(fields map[string]string, key string) string {
	line := "- " + fields[key]
	if heading := fields[key+"h"]; heading != "" {
		return "## " + heading + "\n\n" + line
	}
	return line
}

// readFiles reads whole files with labels beside them.
func readFiles(labels string) ([]text, error) {
	var all []text
	for _, pattern := range []string{"files/*/*.json", "learn/*/*.json", "exam/*.json"} {
		files, err := filepath.Glob(filepath.Join(labels, pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			t, err := readFile(file)
			if err != nil {
				return nil, err
			}
			all = append(all, t)
		}
	}
	return all, nil
}

func readFile(file string) (text, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return text{}, err
	}
	var labels struct{ Conflicts, Near [][2]string }
	if err := json.Unmarshal(raw, &labels); err != nil {
		return text{}, err
	}

	body, err := os.ReadFile(strings.TrimSuffix(file, ".json") + ".md")
	t := text{
		set:       filepath.Base(filepath.Dir(file)),
		body:      string(body),
		conflicts: labels.Conflicts,
		near:      labels.Near,
	}
	return t, err
}

// Bounds of the files that are taken as text without conflicts.
const (
	leastBytes = 2 << 10
	mostBytes  = 40 << 10
	mostClean  = 400 // files
)

// readClean reads the Markdown files of a folder, each text once, in an order of chance.
func readClean(folder string) ([]text, error) {
	byHash := map[[32]byte]text{}
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isGuide(name) {
			return nil // what cannot be read is not needed
		}
		raw, err := os.ReadFile(name)
		if err == nil && len(raw) >= leastBytes && len(raw) <= mostBytes {
			byHash[sha256.Sum256(raw)] = text{
				set:  setOf(name),
				body: string(raw),
			}
		}
		return nil
	})

	var hashes [][32]byte
	for hash := range byHash {
		hashes = append(hashes, hash)
	}
	slices.SortFunc(hashes, func(a, b [32]byte) int { return cmp.Compare(string(a[:]), string(b[:])) })

	var guides, others []text
	for _, hash := range hashes {
		if t := byHash[hash]; t.set == "guides" {
			guides = append(guides, t)
		} else {
			others = append(others, t)
		}
	}
	return append(guides, others[:min(len(others), mostClean)]...), err
}

// setOf tells instructions for people and agents from other texts.
func setOf(name string) string {
	lower := strings.ToLower(filepath.Base(name))
	for _, guide := range []string{"contributing", "agents", "claude", "copilot", "gemini"} {
		if strings.Contains(lower, guide) {
			return "guides"
		}
	}
	return "clean"
}

// isGuide reports whether a file is a text for people who work on a project.
func isGuide(name string) bool {
	lower := strings.ToLower(filepath.Base(name))
	if !strings.HasSuffix(lower, ".md") || strings.Contains(name, "testdata") {
		return false
	}
	for _, other := range []string{"changelog", "license", "code_of_conduct", "security", "changes", "history"} {
		if strings.Contains(lower, other) {
			return false
		}
	}
	return true
}
