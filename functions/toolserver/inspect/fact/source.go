// Package fact knows values that have one source and are repeated elsewhere: versions,
// counts and roles. It reads the source, finds the places that repeat the value, and says
// which bytes are wrong.
package fact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/document"
	"governance.internal/functions/toolserver/inspect/tree"
)

// Builtins are figures of this server, by name.
type Builtins map[string]func() int

// Value is what a source says.
type Value struct {
	Text  string
	Where string // names the source for people, as "package.json /version"
	File  string // "" for a figure of the server
	Start int    // of its bytes in the file; 0 and 0 if it has none, such as a count
	End   int
}

// Read reads a source. The error says what is missing or wrong, with the file.
func Read(ctx context.Context, t *tree.Tree, builtins Builtins, s workspace.Source) (Value, error) {
	switch {
	case s.Builtin != "":
		return readBuiltin(builtins, s.Builtin)
	case s.Glob.Pattern != "":
		return readGlob(ctx, t, s.Glob)
	case s.File == "":
		return Value{}, errors.New("the source names neither builtin, file nor glob")
	case s.Pattern.Regexp != nil:
		return readPattern(t, s)
	}
	return readPointer(t, s)
}

func readBuiltin(builtins Builtins, name string) (Value, error) {
	figure, ok := builtins[name]
	if !ok {
		return Value{Where: name}, fmt.Errorf("the server has no figure %q", name)
	}
	return Value{
		Text:  strconv.Itoa(figure()),
		Where: name,
	}, nil
}

// readGlob counts files.
func readGlob(ctx context.Context, t *tree.Tree, g workspace.Glob) (Value, error) {
	v := Value{Where: g.Pattern}
	names, err := t.Matching(ctx, []workspace.Glob{g})
	if err != nil {
		return v, err
	}
	if _, err := t.Files(ctx); err != nil {
		return v, err // the count would be of a part
	}

	v.Text = strconv.Itoa(len(names))
	return v, nil
}

// readPattern finds the one place in a file that the pattern means.
func readPattern(t *tree.Tree, s workspace.Source) (Value, error) {
	v := Value{
		Where: s.File,
		File:  s.File,
	}
	text, err := readSource(t, s.File)
	if err != nil {
		return v, err
	}
	if s.Pattern.NumSubexp() == 0 {
		return v, fmt.Errorf("the pattern of the source %s has no group", s.File)
	}

	found := s.Pattern.FindSubmatchIndex(text)
	if found == nil || found[2] < 0 {
		return v, fmt.Errorf("the pattern of the source matches nothing in %s", s.File)
	}

	v.Start, v.End = found[2], found[3]
	v.Text = strings.TrimSpace(string(text[v.Start:v.End]))
	return v, nil
}

// readPointer reads a value of a document; of a list its length. A file that is no document
// is its own value, such as VERSION.
func readPointer(t *tree.Tree, s workspace.Source) (Value, error) {
	v := Value{
		Where: strings.TrimSpace(s.File + " " + s.Pointer),
		File:  s.File,
	}
	text, err := readSource(t, s.File)
	if err != nil {
		return v, err
	}

	format := document.FormatOf(s.File)
	if format == "" && s.Pointer == "" {
		return wholeFile(v, text)
	}
	root, err := document.Parse(formatOr(format), text)
	if err != nil {
		return v, fmt.Errorf("the source %s cannot be read: %w", s.File, err)
	}

	node, err := root.At(s.Pointer)
	if err != nil {
		return v, err
	}
	if node == nil {
		return v, fmt.Errorf("the source %s has nothing at %s", s.File, s.Pointer)
	}

	switch node.Kind {
	case document.List:
		v.Text = strconv.Itoa(len(node.Items))
	case document.Object:
		v.Text = strconv.Itoa(len(node.Members))
	default:
		v.Text = node.Text
		v.Start, v.End = node.Start, node.End
	}
	return v, nil
}

// maxWholeFile bounds a file that is a value as a whole.
const maxWholeFile = 200

func wholeFile(v Value, text []byte) (Value, error) {
	v.Text = string(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	if v.Text == "" {
		return v, fmt.Errorf("the source %s is empty", v.File)
	}
	if strings.Contains(v.Text, "\n") || len(v.Text) > maxWholeFile {
		return v, fmt.Errorf("the source %s has more than one line: give a pattern with one group", v.File)
	}

	v.Start = bytes.Index(text, []byte(v.Text))
	v.End = v.Start + len(v.Text)
	return v, nil
}

// formatOr takes JSON for a file whose name says nothing, such as .swcrc.
func formatOr(format string) string {
	if format == "" {
		return document.JSON
	}
	return format
}

func readSource(t *tree.Tree, name string) ([]byte, error) {
	text, err := t.Read(path.Clean(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the source %s does not exist", name)
	}
	if err != nil {
		return nil, fmt.Errorf("the source %s cannot be read: %w", name, err)
	}
	return text, nil
}
