package document

import "strings"

// Document is a source of instructions and its statements.
type Document struct {
	*Source
	Kind       Kind
	Header     map[string]string // the front matter, members of one line
	Globs      []string          // the files that the document is about; empty for all
	Tools      []Tool
	Statements []Statement
}

// Tool is a tool that the document offers.
type Tool struct {
	Name        string
	Description string
	At          int // first byte of the name
}

// Statement is a sentence, an item of a list, or a row of a table.
type Statement struct {
	Text    string // Source.Text[Start:End] with line breaks and marks of tables as spaces
	Start   int
	End     int
	Under   []string // headings above it, the outermost first, and names of tags around it
	LeadIn  string   // the line that introduces its list
	Topic   string   // the sentence before it in the same block
	Negated bool     // stands among things that must not be done
	Row     bool     // is a row of a table
}

// Read reads a source of instructions as a kind.
func Read(source *Source, kind Kind) *Document {
	d := &Document{Source: source, Kind: kind}

	if kind == Tools {
		d.readTools()
		return d
	}

	body := d.readHeader()
	blocks := readBlocks(source.Text, body)
	d.Statements = statements(blocks)
	return d
}

// readHeader reads the front matter and returns the byte behind it.
func (d *Document) readHeader() int {
	d.Header = map[string]string{}
	first, rest, ok := strings.Cut(d.Text, "\n")
	if !ok || strings.TrimSpace(first) != "---" {
		return 0
	}

	at := len(first) + 1
	key := ""

	for line := range strings.Lines(rest) {
		at += len(line)
		text := strings.TrimRight(line, " \t\r\n")
		if text == "---" {
			d.Globs = globsOf(d.Header)
			return at
		}
		key = d.addHeaderLine(key, text)
	}

	clear(d.Header)
	return 0 // never closed, so it is a line of the text
}

// addHeaderLine reads "key: value" and items of a list; it returns the key that items belong to.
func (d *Document) addHeaderLine(key, line string) string {
	item, isItem := strings.CutPrefix(strings.TrimSpace(line), "- ")
	if isItem && key != "" {
		d.Header[key] = strings.TrimPrefix(d.Header[key]+","+unquoted(item), ",")
		return key
	}

	name, value, ok := strings.Cut(line, ":")
	if !ok || strings.HasPrefix(line, " ") {
		return key
	}

	key = strings.TrimSpace(name)
	d.Header[key] = unquoted(value)
	return key
}

func unquoted(value string) string {
	return strings.Trim(strings.TrimSpace(value), `"'`)
}

// globsOf returns the patterns of rules for some files: globs of Cursor, applyTo of Copilot, paths
// of Claude Code.
func globsOf(header map[string]string) []string {
	if header["alwaysApply"] == "true" {
		return nil
	}

	var globs []string
	for _, key := range []string{"globs", "applyTo", "paths"} {
		list := strings.Trim(header[key], "[]")
		for _, glob := range splitGlobs(list) {
			if glob = unquoted(glob); glob != "" {
				globs = append(globs, glob)
			}
		}
	}
	return globs
}

// splitGlobs splits at commas outside braces.
func splitGlobs(list string) []string {
	depth := 0
	return strings.FieldsFunc(list, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		return r == ',' && depth == 0
	})
}
