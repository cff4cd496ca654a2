package agenttherapy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"governance.internal/functions/agent-therapy/document"
)

// Limits of an input.
const (
	MaxBytes = 256 << 10 // of all files together
	MaxFiles = 100
)

// DefaultName is the name of a text that is given without one.
const DefaultName = "instructions.md"

// File is a text with its name, a path with slashes.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Input is what is diagnosed: files, or one text, whose kind may be named.
type Input struct {
	Kind  string `json:"kind,omitempty"`
	Text  string `json:"text,omitempty"`
	Files []File `json:"files,omitempty"`
}

// InputError is a refusal of the input, in words that say what to do.
type InputError struct {
	Field  string
	Detail string
}

func (e *InputError) Error() string { return e.Field + " " + e.Detail }

func refuse(field, format string, args ...any) error {
	return &InputError{field, fmt.Sprintf(format, args...)}
}

// ReadInput reads the body of a request: an object with text or files, or a text as it is. An
// object with other members, such as a list of tools, is a text.
func ReadInput(body []byte) Input {
	trimmed := bytes.TrimSpace(body)
	if !bytes.HasPrefix(trimmed, []byte("{")) {
		return Input{Text: string(body)}
	}

	var in Input
	d := json.NewDecoder(bytes.NewReader(trimmed))
	d.DisallowUnknownFields()
	if d.Decode(&in) != nil || d.More() || in.Text == "" && in.Files == nil {
		return Input{Text: string(body)}
	}
	return in
}

// files returns the files of the input, or why it is refused.
func (in Input) files() ([]File, error) {
	files := in.Files
	if in.Text != "" {
		if len(files) > 0 {
			return nil, refuse("text", "and files cannot be given together; put the text into a file")
		}
		files = []File{{Name: DefaultName, Text: in.Text}}
	}
	if len(files) == 0 {
		return nil, refuse("files", "is empty; give one text, or files with name and text")
	}
	if len(files) > MaxFiles {
		return nil, refuse("files", "has %d members; at most %d are read", len(files), MaxFiles)
	}
	if in.Kind != "" && !isKind(in.Kind) {
		return nil, refuse("kind", "is %q; use one of %s", in.Kind, strings.Join(document.Kinds, ", "))
	}
	return files, check(files)
}

func isKind(kind string) bool {
	for _, known := range document.Kinds {
		if kind == known {
			return true
		}
	}
	return false
}

// check refuses files that cannot be read.
func check(files []File) error {
	total := 0
	seen := map[string]bool{}

	for i, f := range files {
		field := fmt.Sprintf("files[%d]", i)
		if len(files) == 1 && f.Name == DefaultName {
			field = "text"
		}

		total += len(f.Text)
		switch {
		case !utf8.ValidString(f.Text):
			return refuse(field, "is not UTF-8; save it as UTF-8")
		case strings.TrimSpace(f.Text) == "":
			return refuse(field, "is empty; there is nothing to diagnose")
		case strings.ContainsRune(f.Text, 0):
			return refuse(field, "has a zero byte; give a text file")
		case f.Name == "":
			return refuse(field+".name", "is empty; name each file")
		case !isCleanName(f.Name):
			return refuse(field+".name", "must be a relative path with slashes, without .. and control characters")
		case seen[f.Name]:
			return refuse(field+".name", "%q occurs twice", f.Name)
		}
		seen[f.Name] = true
	}

	if total > MaxBytes {
		return refuse("files", "have %d bytes; at most %d are read", total, MaxBytes)
	}
	return nil
}

func isCleanName(name string) bool {
	if len(name) > 1024 || !utf8.ValidString(name) || path.IsAbs(name) || path.Clean(name) != name {
		return false
	}
	for _, r := range name {
		if r < ' ' || r == 0x7f || r == '\\' || r == '"' {
			return false
		}
	}
	return name != ".." && !strings.HasPrefix(name, "../")
}
