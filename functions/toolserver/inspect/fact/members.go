package fact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/document"
	"governance.internal/functions/toolserver/inspect/tree"
)

// Member is one of the list that is right by definition.
type Member struct {
	ID     string
	Line   int
	Fields map[string]string
}

// Roster are the members of a source.
type Roster struct {
	Where   string
	File    string
	Members []Member
}

// IDs are the ids of the members in their order.
func (r Roster) IDs() []string {
	ids := []string{}
	for _, m := range r.Members {
		ids = append(ids, m.ID)
	}
	return ids
}

func (r Roster) find(id string) (Member, bool) {
	i := slices.IndexFunc(r.Members, func(m Member) bool { return m.ID == id })
	if i < 0 {
		return Member{}, false
	}
	return r.Members[i], true
}

// ReadRoster reads the list of members. The error names the file and the line.
func ReadRoster(t *tree.Tree, s workspace.Source) (Roster, error) {
	pointer := s.List
	if pointer == "" {
		pointer = s.Pointer
	}
	r := Roster{
		Where: strings.TrimSpace(s.File + " " + pointer),
		File:  s.File,
	}
	if s.File == "" {
		return r, errors.New("roles_source names no file")
	}

	text, err := readSource(t, s.File)
	if err != nil {
		return r, err
	}
	root, err := document.Parse(formatOr(document.FormatOf(s.File)), text)
	if err != nil {
		return r, fmt.Errorf("the source %s cannot be read: %w", s.File, err)
	}
	list, err := root.At(pointer)
	if err != nil {
		return r, err
	}
	if list == nil || list.Kind == document.Scalar {
		return r, fmt.Errorf("the source %s has no list at %s", s.File, pointer)
	}

	for _, item := range entries(list, s.ID) {
		if item.id == "" {
			return r, fmt.Errorf("%s line %d: the member has no %q", s.File, item.node.Line, idName(s.ID))
		}
		if before, twice := r.find(item.id); twice {
			return r, fmt.Errorf("%s line %d: the member %q is in line %d already", s.File, item.node.Line, item.id, before.Line)
		}
		r.Members = append(r.Members, Member{
			ID:     item.id,
			Line:   item.node.Line,
			Fields: fieldsOf(item, s.ID),
		})
	}
	return r, nil
}

func idName(name string) string {
	if name == "" {
		return "id"
	}
	return name
}

// entry is a member as a document has it.
type entry struct {
	id   string
	node *document.Node
}

// entries are the items of a list, or the named values of an object, whose names are then
// the ids. Items that are plain texts are ids themselves.
func entries(list *document.Node, id string) []entry {
	var all []entry
	for _, m := range list.Members {
		all = append(all, entry{m.Name, m.Value})
	}
	for _, item := range list.Items {
		e := entry{node: item}
		if item.Kind == document.Scalar {
			e.id = item.Text
		}
		if n, err := item.At(pointerOf(idName(id))); err == nil && n != nil && item.Kind == document.Object {
			e.id = n.Text
		}
		all = append(all, e)
	}
	return all
}

// pointerOf makes a pointer of the name of a field; a pointer stays one.
func pointerOf(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func fieldsOf(e entry, id string) map[string]string {
	fields := map[string]string{idName(id): e.id, "id": e.id}
	for _, m := range e.node.Members {
		if m.Value.Kind == document.Scalar {
			fields[m.Name] = m.Value.Text
		}
		if m.Value.Kind == document.List {
			fields[m.Name] = joined(m.Value)
		}
	}
	return fields
}

// joined is a list of texts as one text.
func joined(list *document.Node) string {
	var texts []string
	for _, item := range list.Items {
		texts = append(texts, item.Text)
	}
	return strings.Join(texts, ", ")
}

// Place is how a target stands to the source.
type Place struct {
	Target  workspace.MemberTarget
	Checked int      // members that were looked for
	Missing []Member // that are in the source and not in the target
	Extra   []Extra  // that are in the target and not in the source
	Twice   []Extra  // that the target names more than once
	Fields  []Claim  // of members that are in both

	text   []byte
	format string
	list   *document.Node
}

// Extra is a member that only the target has.
type Extra struct {
	ID   string
	Line int
}

// ErrNoList says that a target has no list where the workspace file says.
var ErrNoList = errors.New("there is no list at that place")

// Compare holds a target against the members.
func Compare(ctx context.Context, t *tree.Tree, r Roster, target workspace.MemberTarget) (Place, error) {
	p := Place{Target: target}
	if ctx.Err() != nil {
		return p, ctx.Err()
	}

	text, err := t.Read(target.File)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return p, errors.New("the file does not exist")
		}
		return p, err
	}
	p.text = text
	p.Checked = len(r.Members)

	p.format = target.Format
	if p.format == "" {
		p.format = document.FormatOf(target.File)
	}
	if p.format == "text" || p.format == "" || target.Contains != "" && target.List == "" {
		p.compareText(r)
		return p, nil
	}
	return p, p.compareList(r)
}

// compareText looks for each member as a person would read the page: without the escapes of
// HTML, and as a word of its own.
func (p *Place) compareText(r Roster) {
	contains := p.Target.Contains
	if contains == "" {
		contains = "{id}"
	}

	page := html.UnescapeString(string(p.text))
	for _, m := range r.Members {
		if !hasWord(page, fill(contains, m.Fields)) {
			p.Missing = append(p.Missing, m)
		}
	}
}

// fill puts the fields of a member into a template such as "{name}".
func fill(template string, fields map[string]string) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		pairs = append(pairs, "{"+name+"}", fields[name])
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// hasWord reports whether a text holds another one that is not part of a longer word.
func hasWord(text, word string) bool {
	if word == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}

		start := from + i
		end := start + len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		first, size := utf8.DecodeRuneInString(word)
		last, _ := utf8.DecodeLastRuneInString(word)
		if !(isLetter(before) && isLetter(first)) && !(isLetter(last) && isLetter(after)) {
			return true
		}
		from = start + size
	}
}

func isLetter(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

func (p *Place) compareList(r Roster) error {
	root, err := document.Parse(p.format, p.text)
	if err != nil {
		return err
	}
	list, err := root.At(p.Target.List)
	if err != nil {
		return err
	}
	if list == nil || list.Kind == document.Scalar && list.Text != "" {
		return ErrNoList
	}
	p.list = list

	seen := map[string]bool{}
	for _, e := range entries(list, p.Target.ID) {
		if seen[e.id] {
			p.Twice = append(p.Twice, Extra{e.id, e.node.Line})
			continue
		}
		seen[e.id] = true

		m, known := r.find(e.id)
		if !known {
			p.Extra = append(p.Extra, Extra{e.id, e.node.Line})
			continue
		}
		p.compareFields(r, m, e)
	}

	for _, m := range r.Members {
		if !seen[m.ID] {
			p.Missing = append(p.Missing, m)
		}
	}
	return nil
}

// compareFields holds the fields of a member against the source, in the order of their
// names.
func (p *Place) compareFields(r Roster, m Member, e entry) {
	for _, theirs := range slices.Sorted(maps.Keys(p.Target.Fields)) {
		ours := p.Target.Fields[theirs]
		expected, ok := m.Fields[ours]
		if !ok { // the source says nothing
			continue
		}

		c := Claim{
			Kind:     Role,
			Fact:     m.ID + "." + theirs,
			File:     p.Target.File,
			Line:     e.node.Line,
			Start:    e.node.Start,
			End:      e.node.Start,
			Expected: expected,
			Source:   r.Where,
		}
		n, err := e.node.At(pointerOf(theirs))
		if err != nil || n == nil {
			c.Fixed = "the member has no field " + theirs
			p.Fields = append(p.Fields, c)
			continue
		}

		c.Line, c.Start, c.End = n.Line, n.Start, n.End
		c.Found = n.Text
		c.Written = string(p.text[n.Start:n.End])
		if n.Kind == document.List {
			c.Found = joined(n)
		}
		if c.Write, err = n.Spell(expected); err != nil {
			c.Fixed = err.Error()
		}
		p.Fields = append(p.Fields, c)
	}
}

// Addition says how the missing members come into the list of the target: as one change of
// the file. The error says why they cannot be added.
func (p *Place) Addition() (document.Insertion, error) {
	if p.list == nil {
		return document.Insertion{}, errors.New("the target is a text, so a person adds the member")
	}
	if p.list.Kind == document.Object {
		return document.Insertion{}, errors.New("the members of the target are no list")
	}

	text := bytes.Clone(p.text)
	list := p.list
	all := document.Insertion{Start: -1}
	for _, m := range p.Missing {
		one, err := document.Append(p.format, text, list, p.fields(m))
		if err != nil {
			return all, err
		}
		all.Merge(one)

		text = slices.Concat(text[:one.Start], []byte(one.Text), text[one.End:])
		root, err := document.Parse(p.format, text)
		if err != nil {
			return all, fmt.Errorf("the list cannot be added to: %w", err)
		}
		if list, err = root.At(p.Target.List); err != nil {
			return all, err
		}
	}
	return all, nil
}

// fields are those of a new item: the id first, then the others in the order of their
// names.
func (p *Place) fields(m Member) []document.Field {
	fields := []document.Field{{
		Name: idName(p.Target.ID),
		Text: m.ID,
	}}
	for _, theirs := range slices.Sorted(maps.Keys(p.Target.Fields)) {
		value, ok := m.Fields[p.Target.Fields[theirs]]
		if ok && theirs != fields[0].Name {
			fields = append(fields, document.Field{
				Name: theirs,
				Text: value,
			})
		}
	}
	return fields
}

// Only leaves one member among the missing ones; all of them with "".
func (p *Place) Only(id string) {
	if id == "" {
		return
	}
	p.Missing = slices.DeleteFunc(p.Missing, func(m Member) bool { return m.ID != id })
}

// Text is the target as it was read.
func (p *Place) Text() []byte { return p.text }
