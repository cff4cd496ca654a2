package agenttherapy

import (
	"bytes"
	"encoding/json"
	"errors"
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

// member returns the member of the body that holds the field.
func (e *InputError) member() string {
	name, _, _ := strings.Cut(e.Field, "[")
	return name
}

func (in Input) kind() document.Kind { return document.Kind(in.Kind) }

// members are those of an object that is an input.
var members = []string{"kind", "text", "files"}

// ReadInput reads JSON: an object with text or files, and nothing else. JSON with other members, such as
// a list of tools or a conversation, is itself the text. The error says why a body is neither.
func ReadInput(body []byte) (Input, error) {
	if !utf8.Valid(body) {
		return Input{}, errors.New("it is not valid UTF-8")
	}

	var object map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil {
		return readOther(body, err)
	}
	if !hasMember(object) {
		return Input{Text: string(body)}, nil
	}

	var in Input
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return in, err
	}
	return in, nil
}

// readOther takes a list or JSON lines as a text.
func readOther(body []byte, err error) (Input, error) {
	isList := json.Valid(body) && bytes.HasPrefix(bytes.TrimSpace(body), []byte("["))
	first, rest, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	isLines := len(rest) > 0 && json.Valid(first)
	if isList || isLines {
		return Input{Text: string(body)}, nil
	}
	return Input{}, err
}

func hasMember(object map[string]json.RawMessage) bool {
	for _, name := range members {
		if _, ok := object[name]; ok {
			return true
		}
	}
	return false
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
	return files, checkFiles(files)
}

func isKind(kind string) bool {
	for _, known := range document.Kinds {
		if kind == known {
			return true
		}
	}
	return false
}

// checkFiles refuses files that cannot be read.
func checkFiles(files []File) error {
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
	if name == "" || len(name) > 1024 || !utf8.ValidString(name) {
		return false
	}
	if path.Clean(name) != name || leavesFolder(name) {
		return false
	}
	return !strings.ContainsFunc(name, isAwkward)
}

func leavesFolder(name string) bool {
	return path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../")
}

// isAwkward reports whether a character has no place in the name of a file of a patch.
func isAwkward(r rune) bool {
	return r < ' ' || r == 0x7f || strings.ContainsRune("\\\"", r)
}
