package command

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// makeGrammar are the options of make with a value.
var makeGrammar = grammar{valued: "CfIoWO", long: map[string]bool{
	"file": true, "makefile": true, "directory": true, "eval": true, "include-dir": true, "dry-run": false, "just-print": false, "recon": false, "question": false,
}}

// makeTool runs rules of a Makefile.
func makeTool(r *reader, c call) {
	before := r.shell.clone()
	defer func() { r.shell = before }()

	options, operands := c.parse(makeGrammar)
	if c.has(asksOnly...) {
		return
	}
	if given(options, "eval", "E") {
		r.hide(c.all())
		return
	}
	for _, o := range options {
		if (o.name == "C" || o.name == "directory") && o.value.word != nil {
			r.within(o.value)
		}
	}

	m := newMakefile(r)
	targets := m.settings(c, operands)
	if !r.makeFiles(m, c, options) {
		return
	}
	onlyShows := given(options, "n", "q", "dry-run", "just-print", "recon", "question")
	m.run(targets, onlyShows)
}

// makeFiles reads the Makefiles of a call. It reports whether there are any.
func (r *reader) makeFiles(m *makefile, c call, options []option) bool {
	var named []argument
	for _, o := range options {
		switch o.name {
		case "f", "file", "makefile":
			named = append(named, o.value)
		case "I", "include-dir":
			m.folders = append(m.folders, o.value.text)
		}
	}
	for _, file := range r.prefix["MAKEFILES"] {
		if text, ok := r.readFile(file.text); ok {
			m.parse(string(text))
		}
	}

	if len(named) == 0 {
		return m.readFirst("GNUmakefile", "makefile", "Makefile")
	}
	for _, file := range named {
		text, ok := r.scriptText(file)
		if !ok {
			r.hide(c.all())
			return false
		}
		m.parse(text)
	}
	return true
}

// makefile is what a Makefile says, as far as it is plain.
type makefile struct {
	*reader
	variables map[string]string
	fixed     map[string]bool // variables of the command line
	rules     map[string]*makeRule
	patterns  []*makeRule
	first     string
	current   []*makeRule
	folders   []string // in which included files are looked for
	included  int
	oneShell  bool
	inRecipe  bool
	parsed    int
	expanded  int // bytes, against variables that hold themselves
}

// makeRule is one target.
type makeRule struct {
	target string
	needs  []string
	lines  []string
}

func newMakefile(r *reader) *makefile {
	m := &makefile{
		reader:    r,
		variables: map[string]string{"MAKE": "make", "CURDIR": "."},
		fixed:     map[string]bool{},
		rules:     map[string]*makeRule{},
		folders:   []string{"."},
	}
	for variable, values := range r.values {
		if r.exported[variable] && len(values) == 1 {
			m.variables[variable] = values[0].text
		}
	}
	for variable, values := range r.prefix {
		if len(values) == 1 && values[0].known {
			m.variables[variable] = values[0].text
		}
	}
	return m
}

// settings takes the variables out of the operands of make; the rest are targets.
func (m *makefile) settings(c call, operands []argument) (targets []string) {
	for _, a := range operands {
		name, value, sets := strings.Cut(a.text, "=")
		name = strings.TrimRight(name, ":+?")
		switch {
		case !a.ok, sets && (name == "SHELL" || name == ".SHELLFLAGS" || name == "MAKEFLAGS"):
			m.hide(c.all())
		case sets:
			m.variables[name], m.fixed[name] = value, true
		default:
			targets = append(targets, a.text)
		}
	}
	if c.has("-e", "--environment-overrides") {
		for variable := range m.prefix {
			m.fixed[variable] = true
		}
	}
	return targets
}

// readFirst reads the first of some files that is there. One that the command has just written
// cannot be read.
func (m *makefile) readFirst(names ...string) bool {
	for _, file := range names {
		at, ok := m.fileName(file)
		if ok && m.wrote(at) {
			m.unresolved("make", m.text)
			return false
		}
		if text, ok := m.readFile(file); ok {
			m.parse(string(text))
			return true
		}
	}
	return false
}

var (
	makeRuleLine   = regexp.MustCompile(`^([^\s#:=][^:=#]*)::?\s*([^=].*)?$`)
	makeAssignment = regexp.MustCompile(`^(?:export\s+|override\s+)*([A-Za-z_.][\w.-]*)\s*(::?:?=|\+=|\?=|!=|=)\s*(.*)$`)
)

// parse reads the text of a Makefile. Both ways of a condition are taken.
func (m *makefile) parse(text string) {
	if m.parsed += len(text); m.parsed > maxRead {
		return
	}
	m.current = nil
	text = m.takeDefinitions(strings.ReplaceAll(text, "\\\n", " "))
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if recipe, is := strings.CutPrefix(line, "\t"); is && len(m.current) > 0 {
			for _, rule := range m.current {
				rule.lines = append(rule.lines, recipe)
			}
			continue
		}
		m.line(strings.TrimSpace(line))
	}
}

// takeDefinitions takes variables of several lines out of a text.
func (m *makefile) takeDefinitions(text string) string {
	var rest strings.Builder
	name := ""
	for line := range strings.Lines(text) {
		word, after, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case word == "define":
			name = strings.TrimRight(strings.TrimSpace(after), " =:?+")
			m.variables[name] = ""
		case word == "endef":
			name = ""
		case name != "":
			m.variables[name] += line
		default:
			rest.WriteString(line)
		}
	}
	return rest.String()
}

func (m *makefile) line(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case line == "" || line[0] == '#' || m.included > maxFound:
		return
	case word == "include" || word == "-include" || word == "sinclude":
		m.include(rest)
		return
	case strings.HasPrefix(line, ".ONESHELL"):
		m.oneShell = true
		return
	}

	if a := makeAssignment.FindStringSubmatch(line); a != nil {
		m.assign(a[1], a[2], a[3])
		return
	}
	if strings.HasPrefix(line, "$(") { // a function that is called for its effect
		m.expand(line)
		return
	}
	if rule := makeRuleLine.FindStringSubmatch(line); rule != nil {
		m.rule(m.expand(rule[1]), rule[2])
	}
}

// include reads other Makefiles.
func (m *makefile) include(files string) {
	for file := range strings.FieldsSeq(m.expand(files)) {
		if m.included++; m.included > maxDepth {
			return
		}
		for _, folder := range m.folders {
			text, ok := m.readFile(path.Join(folder, file))
			if !ok {
				continue
			}
			current := m.current
			m.parse(string(text))
			m.current = current
			break
		}
	}
}

// assign sets a variable of the Makefile.
func (m *makefile) assign(name, operator, value string) {
	value, _, _ = strings.Cut(value, " #")
	if operator == "!=" {
		m.expand("$(shell " + value + ")")
	}
	_, set := m.variables[name]
	switch {
	case m.fixed[name], operator == "?=" && set:
		m.expand(value)
	case operator == "+=":
		m.variables[name] += " " + value
	case operator == "=" || operator == "?=":
		m.variables[name] = value
	default:
		m.variables[name] = m.expand(value)
	}
	if name == ".DEFAULT_GOAL" {
		m.first = m.expand(value)
	}
}

// rule notes the targets of a rule. What stands behind a semicolon is its first command.
func (m *makefile) rule(targets, needs string) {
	needs, inline, hasInline := strings.Cut(needs, ";")
	m.current = nil
	if a := makeAssignment.FindStringSubmatch(needs); a != nil { // for this target alone; here for all
		m.assign(a[1], a[2], a[3])
		needs = ""
	}
	for target := range strings.FieldsSeq(targets) {
		rule := m.rules[target]
		if rule == nil {
			rule = &makeRule{target: target}
			m.rules[target] = rule
		}
		if strings.Contains(target, "%") {
			m.patterns = append(m.patterns, rule)
		}
		rule.needs = append(rule.needs, strings.Fields(m.expand(needs))...)
		if hasInline {
			rule.lines = append(rule.lines, inline)
		}
		m.current = append(m.current, rule)

		if m.first == "" && !strings.HasPrefix(target, ".") && !strings.Contains(target, "%") {
			m.first = target
		}
	}
}

// run reads the commands of some targets and of all that they need; without a target those of the
// first one. With onlyShows none of them runs.
func (m *makefile) run(targets []string, onlyShows bool) {
	if onlyShows {
		return
	}
	if len(targets) == 0 {
		targets = []string{m.first}
	}

	seen := map[string]bool{}
	for queue := slices.Clone(targets); len(queue) > 0 && len(seen) < maxFound; queue = queue[1:] {
		target := queue[0]
		if seen[target] {
			continue
		}
		seen[target] = true
		if rule := m.ruleFor(target); rule != nil {
			queue = append(queue, rule.needs...)
			m.recipe(rule)
		}
	}
}

// ruleFor is the rule of a target: its own, or one with a pattern.
func (m *makefile) ruleFor(target string) *makeRule {
	if rule := m.rules[target]; rule != nil {
		return rule
	}
	for _, pattern := range m.patterns {
		before, after, _ := strings.Cut(pattern.target, "%")
		stem, begins := strings.CutPrefix(target, before)
		stem, ends := strings.CutSuffix(stem, after)
		if !begins || !ends {
			continue
		}
		rule := &makeRule{target: target, lines: pattern.lines}
		for _, need := range pattern.needs {
			rule.needs = append(rule.needs, strings.ReplaceAll(need, "%", stem))
		}
		return rule
	}
	return nil
}

// recipe reads the commands of one rule; each line is a shell of its own.
func (m *makefile) recipe(rule *makeRule) {
	m.variables["@"] = rule.target
	m.variables["^"] = strings.Join(rule.needs, " ")
	m.variables["<"] = ""
	if len(rule.needs) > 0 {
		m.variables["<"] = rule.needs[0]
	}

	m.inRecipe = true
	defer func() { m.inRecipe = false }()
	var commands []string
	for _, line := range rule.lines {
		commands = append(commands, m.expand(strings.TrimLeft(line, "@-+ \t")))
	}
	if m.oneShell {
		commands = []string{strings.Join(commands, "\n")}
	}
	for _, command := range commands {
		m.child("sh", nil, func() { m.softly(command) })
	}
}

// expand writes out the variables of a text. What is not known becomes a variable of the shell
// that nobody sets. $(shell ...) runs at once.
func (m *makefile) expand(text string) string {
	return m.expandWithin(text, 0)
}

func (m *makefile) expandWithin(text string, depth int) string {
	if m.expanded += len(text) + 1; m.expanded > maxRead {
		return unknownOfMake
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}

		i++
		switch text[i] {
		case '$':
			b.WriteByte('$')
		case '(', '{':
			end := closing(text, i)
			if end < 0 || depth > maxDepth {
				return b.String() + unknownOfMake
			}
			b.WriteString(m.reference(text[i+1:end], depth+1))
			i = end
		default:
			b.WriteString(m.valueOf(text[i:i+1], depth+1))
		}
	}
	return b.String()
}

// unknownOfMake stands for a text of make that is not known.
const unknownOfMake = "${MAKE_UNKNOWN}"

// closing is where the bracket at a place is closed, -1 if it is not.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// reference is the value of $(...).
func (m *makefile) reference(inside string, depth int) string {
	function, rest, hasArguments := strings.Cut(inside, " ")
	if !hasArguments {
		return m.valueOf(inside, depth)
	}

	switch function {
	case "shell":
		command := m.expandWithin(rest, depth)
		m.child("sh", nil, func() { m.softly(command) })
		return unknownOfMake
	case "wildcard", "strip", "abspath", "realpath", "sort":
		return m.expandWithin(rest, depth)
	case "info", "warning", "error":
		return ""
	case "call":
		return m.called(m.expandWithin(rest, depth), depth)
	case "eval":
		m.parse(m.expandWithin(rest, depth))
		return ""
	}
	text := m.expandWithin(rest, depth)
	if m.inRecipe { // what the function makes of its arguments is run
		m.soft++
		m.unresolved("make", text)
		m.soft--
	}
	return unknownOfMake
}

// called is the value of a variable with arguments.
func (m *makefile) called(text string, depth int) string {
	parts := strings.Split(text, ",")
	for i, part := range parts[1:] {
		m.variables[strconv.Itoa(i+1)] = strings.TrimSpace(part)
	}
	return m.valueOf(strings.TrimSpace(parts[0]), depth+1)
}

func (m *makefile) valueOf(name string, depth int) string {
	value, known := m.variables[name]
	if !known || depth > maxDepth {
		return unknownOfMake
	}
	return m.expandWithin(value, depth)
}
