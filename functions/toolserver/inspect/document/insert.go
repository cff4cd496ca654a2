package document

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Field is a member of an item that is to be added.
type Field struct {
	Name string
	Text string
}

// Insertion is text that goes into a document: it replaces the bytes from Start to End,
// which are usually none.
type Insertion struct {
	Start int
	End   int
	Text  string
}

// Append says how an item is added at the end of a list. The item is written as the last
// one of the list is: in its lines or on one line, with its indentation, its quotes and the
// order of its members. A list of texts gets the text of the first field.
func Append(format string, text []byte, list *Node, fields []Field) (Insertion, error) {
	if list.Kind == Scalar && format == YAML && list.Text == "" {
		return appendFirstYAML(text, list, fields), nil
	}
	if list.Kind != List {
		return Insertion{}, errors.New("there is no list to add to")
	}
	if format == TOML {
		return Insertion{}, errors.New("items are not added to lists in TOML")
	}

	if text[list.Start] == '[' {
		return appendInBrackets(format, text, list, fields), nil
	}
	return appendBlockYAML(text, list, fields)
}

// appendInBrackets adds to a list of JSON, or to one of YAML that is written like it.
func appendInBrackets(format string, text []byte, list *Node, fields []Field) Insertion {
	if len(list.Items) == 0 {
		return appendFirstInBrackets(format, text, list, fields)
	}

	last := list.Items[len(list.Items)-1]
	before := list.Start + 1
	if len(list.Items) > 1 {
		before = list.Items[len(list.Items)-2].End
	}
	gap := blanks(text[before:last.Start])
	if len(list.Items) == 1 && gap == "" && isSpaced(text[last.Start:last.End]) {
		gap = " "
	}
	return Insertion{
		Start: last.End,
		End:   last.End,
		Text:  "," + gap + bracketItem(format, text, last, fields),
	}
}

// isSpaced reports whether an item on one line has blanks after its commas or colons.
func isSpaced(item []byte) bool {
	return bytes.Contains(item, []byte(", ")) || bytes.Contains(item, []byte(": "))
}

// blanks are the white space directly before a value, without commas and comments.
func blanks(between []byte) string {
	kept := len(between)
	for kept > 0 && strings.IndexByte(" \t\r\n", between[kept-1]) >= 0 {
		kept--
	}

	gap := string(between[kept:])
	if i := strings.LastIndexByte(gap, '\n'); i >= 0 {
		lineBreak := "\n"
		if i > 0 && gap[i-1] == '\r' {
			lineBreak = "\r\n"
		}
		return lineBreak + gap[i+1:]
	}
	return gap
}

// bracketItem writes an item in the style of another one.
func bracketItem(format string, text []byte, like *Node, fields []Field) string {
	if like.Kind != Object || len(like.Members) == 0 {
		return spellLike(format, like, fields[0].Text)
	}

	names := memberNames(like)
	first := like.Members[0]
	opening := blanks(text[like.Start+1 : first.Start])
	between := opening
	if len(like.Members) > 1 {
		between = blanks(text[like.Members[0].Value.End:like.Members[1].Start])
	}
	if between == "" && opening == "" && format == YAML {
		between = " "
	}
	closing := blanks(text[like.Members[len(like.Members)-1].Value.End : like.End-1])

	var b strings.Builder
	b.WriteString("{" + opening)
	for i, f := range inOrder(fields, names) {
		if i > 0 {
			b.WriteString("," + between)
		}
		b.WriteString(keyLike(text, like, f.Name))
		b.WriteString(spellLike(format, like.Member(f.Name), f.Text))
	}
	b.WriteString(closing + "}")
	return b.String()
}

func memberNames(n *Node) []string {
	var names []string
	for _, m := range n.Members {
		names = append(names, m.Name)
	}
	return names
}

// inOrder sorts fields as the names are, and those without a place after them.
func inOrder(fields []Field, names []string) []Field {
	rank := func(f Field) int {
		if i := slices.Index(names, f.Name); i >= 0 {
			return i
		}
		return len(names)
	}
	sorted := slices.Clone(fields)
	slices.SortStableFunc(sorted, func(a, b Field) int { return rank(a) - rank(b) })
	return sorted
}

// keyLike writes a name with its colon as the first member of an item has them.
func keyLike(text []byte, like *Node, name string) string {
	first := like.Members[0]
	written := string(text[first.Start:first.Value.Start])
	colon := strings.LastIndexByte(written, ':')
	if colon < 0 {
		return quoteJSON(name) + ": "
	}

	after := written[colon:]
	if strings.TrimSpace(after) != ":" { // an anchor or a comment stands between them
		after = ": "
	}
	if strings.HasPrefix(written, `"`) {
		return quoteJSON(name) + after
	}
	return name + after
}

// spellLike writes a text in the style of a scalar, or in the usual one of the format.
func spellLike(format string, like *Node, text string) string {
	if like != nil && like.Kind == Scalar && like.Fixed == "" {
		if spelled, err := like.spell(text); err == nil {
			return spelled
		}
	}
	if format == YAML && readsAs(text, text, "!!str") {
		return text
	}
	return quoteJSON(text)
}

// appendFirstInBrackets fills an empty list. A document with lines gets lines.
func appendFirstInBrackets(format string, text []byte, list *Node, fields []Field) Insertion {
	all := Insertion{
		Start: list.Start,
		End:   list.End,
	}
	var members []string
	for _, f := range fields {
		name := f.Name
		if format == JSON {
			name = quoteJSON(name)
		}
		members = append(members, name+": "+spellLike(format, nil, f.Text))
	}

	indent := indentOf(text, list.Start)
	if format == YAML || !bytes.Contains(text, []byte("\n")) {
		all.Text = "[{" + strings.Join(members, ", ") + "}]"
		return all
	}

	unit := indentUnit(text)
	newline := lineBreak(text)
	item := newline + indent + unit
	inner := item + unit
	all.Text = "[" + item + "{" + inner + strings.Join(members, ","+inner) + item + "}" + newline + indent + "]"
	return all
}

// indentOf is the white space at the beginning of the line of an offset.
func indentOf(text []byte, offset int) string {
	begin := bytes.LastIndexByte(text[:offset], '\n') + 1
	line := text[begin:]
	end := 0
	for end < len(line) && (line[end] == ' ' || line[end] == '\t') {
		end++
	}
	return string(line[:end])
}

var firstIndent = regexp.MustCompile(`(?m)^([ \t]+)\S`)

// indentUnit is the indentation of the first line that has one; two blanks without any.
func indentUnit(text []byte) string {
	if found := firstIndent.FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return "  "
}

func lineBreak(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// appendBlockYAML adds to a list whose items begin with a dash.
func appendBlockYAML(text []byte, list *Node, fields []Field) (Insertion, error) {
	if len(list.Items) == 0 {
		return Insertion{}, errors.New("the list has no item to copy the style of")
	}

	last := list.Items[len(list.Items)-1]
	dash := bytes.LastIndexByte(text[:last.Start], '-')
	if dash < 0 {
		return Insertion{}, fmt.Errorf("line %d: the item has no dash", last.Line)
	}

	indent := string(text[bytes.LastIndexByte(text[:dash], '\n')+1 : dash])
	if strings.TrimSpace(indent) != "" {
		return Insertion{}, fmt.Errorf("line %d: the item does not begin its line", last.Line)
	}
	afterDash := string(text[dash+1 : last.Start])
	if strings.TrimSpace(afterDash) != "" {
		afterDash = " "
	}

	newline := lineBreak(text)
	item := indent + "-" + afterDash + blockItem(text, last, fields, newline)
	if strings.Contains(afterDash, "\n") {
		item = indent + "- " + blockItem(text, last, fields, newline)
	}
	return insertLine(text, last.End, blankLines(text, list, newline)+item, newline), nil
}

// blankLines are the empty lines before the last item, if there is an item before it.
func blankLines(text []byte, list *Node, newline string) string {
	if len(list.Items) < 2 {
		return ""
	}
	before := list.Items[len(list.Items)-2]
	last := list.Items[len(list.Items)-1]
	between := strings.ReplaceAll(string(text[before.End:last.Start]), "\r\n", "\n")
	if strings.Contains(between, "#") {
		return ""
	}
	return strings.Repeat(newline, max(0, strings.Count(between, "\n")-1))
}

// blockItem writes the members of an item one to a line, or in braces if the other one has
// them.
func blockItem(text []byte, like *Node, fields []Field, newline string) string {
	if like.Kind != Object || len(like.Members) == 0 || text[like.Start] == '{' {
		return bracketItem(YAML, text, like, fields)
	}

	column := like.Start - (bytes.LastIndexByte(text[:like.Start], '\n') + 1)
	indent := strings.Repeat(" ", column)
	var members []string
	for _, f := range inOrder(fields, memberNames(like)) {
		members = append(members, keyLike(text, like, f.Name)+spellLike(YAML, like.Member(f.Name), f.Text))
	}
	return strings.Join(members, newline+indent)
}

// insertLine puts lines after the line of an offset. A file without a line break at its end
// stays without.
func insertLine(text []byte, offset int, line, newline string) Insertion {
	end := offset
	if end == 0 || text[end-1] != '\n' {
		rest := bytes.IndexByte(text[end:], '\n')
		if rest < 0 {
			return Insertion{
				Start: len(text),
				End:   len(text),
				Text:  newline + line,
			}
		}
		end += rest + 1
	}
	return Insertion{
		Start: end,
		End:   end,
		Text:  line + newline,
	}
}

// appendFirstYAML fills a list that has no value yet, as in "members:".
func appendFirstYAML(text []byte, list *Node, fields []Field) Insertion {
	newline := lineBreak(text)
	indent := indentOf(text, list.Start) + "  "
	var members []string
	for _, f := range fields {
		members = append(members, f.Name+": "+spellLike(YAML, nil, f.Text))
	}
	item := indent + "- " + strings.Join(members, newline+indent+"  ")
	return insertLine(text, list.End, item, newline)
}

// Merge joins an insertion with a later one, which was made for the text with this one in
// it. The first of several begins with Start -1.
func (i *Insertion) Merge(next Insertion) {
	if i.Start < 0 {
		*i = next
		return
	}

	before := next.Start - i.Start // bytes of this text that the next one leaves
	after := len(i.Text) - (next.End - i.Start)
	if after < 0 {
		after = 0
	}
	i.Text = i.Text[:before] + next.Text + i.Text[len(i.Text)-after:]
}
