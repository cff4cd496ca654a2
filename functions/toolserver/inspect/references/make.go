package references

import (
	"path"
	"regexp"
	"strings"

	"governance.internal/functions/toolserver/inspect/ignore"
)

var makeFiles = []string{"GNUmakefile", "makefile", "Makefile"}

// makeSources are files that a Makefile is generated from.
var makeSources = []string{"Makefile.am", "Makefile.in", "configure.ac", "configure", "CMakeLists.txt", "Makefile.PL", "meson.build"}

var makeValued = words("-C --directory -f --file --makefile -I -l -o -W")

// makefile checks the targets that make is given.
func (s *session) makefile(cmd command) {
	names := makeFiles
	for _, each := range values(cmd.args, "-f", "--file", "--makefile") {
		s.required(cmd.at, each)
		names = []string{each.text}
	}

	asked := s.dirs
	s.dirs = s.dirsFor(cmd, "-C", "--directory")
	var files []*targets
	isGenerated := false
	for _, dir := range s.dirs {
		if found := s.project.fileIn(dir, names...); found != "" {
			files = append(files, s.project.makefile(found))
		} else if s.project.fileIn(dir, makeSources...) != "" {
			isGenerated = true
		}
	}

	if !isGenerated {
		s.oneOf(cmd.at, MakeTarget, makeOperands(cmd.args), files)
	}
	s.dirs = asked
}

// makeOperands are the targets. A number is how many jobs there may be: -j may stand alone.
func makeOperands(args []word) (list []word) {
	for _, each := range operands(args, makeValued) {
		if !isNumber.MatchString(each.text) {
			list = append(list, each)
		}
	}
	return list
}

var isNumber = regexp.MustCompile(`^\d+$`)

// makefile is what a Makefile defines, with all that it includes.
func (p *project) makefile(name string) *targets {
	if known := p.makefiles[name]; known != nil {
		return known
	}

	t := newTargets(name)
	p.makefiles[name] = t
	text, err := p.text(name)
	if err != nil {
		t.open = true
		return t
	}

	r := &makeReader{
		project:   p,
		folder:    path.Dir(name),
		targets:   t,
		variables: map[string]string{},
	}

	r.read(string(text))
	return t
}

// makeReader reads a Makefile line by line.
type makeReader struct {
	project   *project
	folder    string
	targets   *targets
	variables map[string]string
	depth     int
	defining  bool // between define and endef
}

var (
	makeVariable = regexp.MustCompile(`^\s*(?:export\s+|override\s+)*([\w.-]+)\s*(\?|:|::|:::|\+|!)?=\s*(.*)$`)
	makeInclude  = regexp.MustCompile(`^\s*(-|s)?include\s+(.+)$`)
	makeRule     = regexp.MustCompile(`^([^\s#:=][^#:=]*?)\s*&?::?(?:[^=]|$)`)
	reference    = regexp.MustCompile(`\$[({]([\w.-]+)[)}]`)
	wildcard     = regexp.MustCompile(`\$\(wildcard\s+([^()$]+)\)`)
)

func (r *makeReader) read(text string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		r.line(strings.TrimRight(line, "\n "))
	}
}

func (r *makeReader) line(line string) {
	trimmed := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(trimmed, "define "):
		r.defining = true
	case trimmed == "endef":
		r.defining = false
	case r.defining, trimmed == "", strings.HasPrefix(line, "\t"), strings.HasPrefix(trimmed, "#"):
	case strings.HasPrefix(trimmed, "$(eval"), strings.HasPrefix(trimmed, "$(foreach"), strings.HasPrefix(trimmed, "$(call"):
		r.targets.open = true
	default:
		r.declaration(line)
	}
}

// declaration reads a variable, an include or a rule.
func (r *makeReader) declaration(line string) {
	if m := makeInclude.FindStringSubmatch(line); m != nil {
		r.include(m[2], m[1] != "")
		return
	}

	if m := makeVariable.FindStringSubmatch(line); m != nil {
		r.variable(m[1], m[2], m[3])
		return
	}

	if m := makeRule.FindStringSubmatch(line); m != nil {
		r.rule(m[1])
	}
}

func (r *makeReader) variable(name, operator, value string) {
	value, _, _ = strings.Cut(value, " #")
	switch {
	case operator == "+":
		r.variables[name] += " " + value
	case operator == "?" && r.variables[name] != "":
	default:
		r.variables[name] = value
	}
}

// expand replaces variables and wildcards. What cannot be replaced stays, with its $.
func (r *makeReader) expand(text string) string {
	for range 8 {
		next := reference.ReplaceAllStringFunc(text, func(found string) string {
			value, ok := r.variables[found[2:len(found)-1]]
			if !ok {
				return found
			}
			return value
		})
		next = wildcard.ReplaceAllStringFunc(next, func(found string) string {
			patterns := wildcard.FindStringSubmatch(found)[1]
			return strings.Join(r.project.matching(r.folder, strings.Fields(patterns)), " ")
		})
		if next == text || len(next) > 1<<16 {
			return next
		}
		text = next
	}

	return text
}

// matching are the files of a folder that patterns match, named from it.
func (p *project) matching(folder string, patterns []string) (names []string) {
	for _, pattern := range patterns {
		expression, err := regexp.Compile("^" + ignore.Glob(path.Join(folder, pattern)) + "$")
		if err != nil {
			continue
		}
		for _, name := range p.sorted() {
			if expression.MatchString(name) {
				names = append(names, strings.TrimPrefix(name, folder+"/"))
			}
		}
	}

	return names
}

// include reads further files. Those of dependencies, which a compiler writes, define no
// targets to call.
func (r *makeReader) include(names string, optional bool) {
	names, _, _ = strings.Cut(names, "#")
	expanded := r.expand(names)
	if strings.Contains(expanded, "$") {
		isOfCompiler := optional && dependencies.MatchString(names)
		r.targets.open = r.targets.open || !isOfCompiler
		return
	}

	for _, name := range strings.Fields(expanded) {
		included := r.project.matching(r.folder, []string{name})
		if len(included) == 0 && !optional {
			r.targets.open = true
		}
		for _, each := range included {
			r.includeFile(path.Join(r.folder, each))
		}
	}
}

var dependencies = regexp.MustCompile(`(?i)dep|\.d\)`)

// includeFile reads a file as if it stood in this one: they share their variables.
func (r *makeReader) includeFile(name string) {
	text, err := r.project.text(name)
	if err != nil || r.depth > 8 {
		r.targets.open = true
		return
	}

	r.depth++
	r.read(string(text))
	r.depth--
}

// rule adds the targets of a rule.
func (r *makeReader) rule(names string) {
	expanded := r.expand(names)
	for _, name := range strings.Fields(expanded) {
		switch {
		case strings.Contains(name, "$"):
			r.targets.open = true
		case name == ".DEFAULT":
			r.targets.open = true
		case strings.Contains(name, "%"):
			r.targets.pattern(name, "%")
		default:
			r.targets.names[name] = true
		}
	}
}
