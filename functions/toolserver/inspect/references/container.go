package references

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/inspect/ignore"
)

var containerName = regexp.MustCompile(`(?:^|/)(?:(?:Dockerfile|Containerfile)(?:[.-][\w.-]+)?|[\w.-]+\.(?:[Dd]ockerfile|[Cc]ontainerfile))$`)

func isContainerFile(name string) bool {
	return containerName.MatchString(name) &&
		!strings.HasSuffix(name, ".dockerignore") &&
		!isMarkdown(name)
}

// containerFiles are those of the project, in order.
func (p *project) containerFiles() (names []string) {
	for name, as := range p.entries {
		if as == file && isContainerFile(name) && !p.isTemplate(name) {
			names = append(names, name)
		}
	}

	slices.Sort(names)
	return names
}

// isTemplate reports whether a file is in a folder of templates or of tests.
func (p *project) isTemplate(name string) bool {
	for _, part := range strings.Split(name, "/") {
		if notOurs[part] {
			return true
		}
	}

	switch path.Ext(name) {
	case ".tmpl", ".tpl", ".j2", ".template", ".in", ".erb", ".jinja":
		return true
	}

	return false
}

// instruction is one of a container file.
type instruction struct {
	name  string
	words []placed
}

// placed is a word and the line that it stands on.
type placed struct {
	text string
	line int
}

var (
	instructionName = regexp.MustCompile(`^\s*([A-Za-z]+)\s+`)
	heredoc         = regexp.MustCompile(`<<-?["']?([A-Za-z_]\w*)["']?`)
)

// instructions reads a container file. Comments and here documents are left out.
func instructions(text string) (list []instruction) {
	var current *instruction
	var until []string // ends of here documents
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		trimmed := strings.TrimSpace(line)
		if len(until) > 0 {
			if trimmed == until[0] {
				until = until[1:]
			}
			continue
		}
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}

		body, continues := strings.CutSuffix(trimmed, `\`)
		if current == nil {
			m := instructionName.FindStringSubmatch(body + " ")
			if m == nil {
				continue
			}
			current = &instruction{name: strings.ToUpper(m[1])}
			body = strings.TrimSpace(body)[len(m[1]):]
		}
		for _, each := range fieldsOf(body) {
			current.words = append(current.words, placed{each, i + 1})
		}
		for _, m := range heredoc.FindAllStringSubmatch(body, -1) {
			until = append(until, m[1])
		}

		if !continues {
			list = append(list, *current)
			current = nil
		}
	}

	if current != nil {
		list = append(list, *current)
	}

	return list
}

// fieldsOf are the words of a line, or those of a list in JSON.
func fieldsOf(body string) []string {
	m := jsonForm.FindStringSubmatch(body)
	if m == nil {
		return strings.Fields(body)
	}

	var list []string
	if json.Unmarshal([]byte(m[2]), &list) != nil {
		return strings.Fields(body)
	}
	options := strings.Fields(m[1])
	return append(options, list...)
}

// jsonForm is a list, after options.
var jsonForm = regexp.MustCompile(`^\s*((?:--\S+\s+)*)(\[.*\])\s*$`)

// containerFile checks what COPY and ADD copy from the context of the build, which is the
// folder of the file, one above it, or one that a composition names.
func (c *checker) containerFile(name string) {
	text, err := c.project.text(name)
	if err != nil {
		c.unread = append(c.unread, name+": "+reason(err))
		return
	}

	contexts := append(above(path.Dir(name)), c.project.composed()...)
	for _, each := range instructions(string(text)) {
		if each.name == "COPY" || each.name == "ADD" {
			c.copied(name, each.words, contexts)
		}
	}
}

// copied checks the sources of one instruction. A pattern without a match is fine beside
// something that is there.
func (c *checker) copied(name string, list []placed, contexts []string) {
	var sources []placed
	for _, each := range list {
		if strings.HasPrefix(each.text, "--from") {
			return
		}
		if !strings.HasPrefix(each.text, "--") {
			sources = append(sources, each)
		}
	}

	if len(sources) < 2 {
		return
	}

	destination := sources[len(sources)-1].text
	sources = sources[:len(sources)-1]
	matched := 0
	for _, each := range sources {
		if c.project.isCopied(each.text, contexts) == "" {
			matched++
		}
	}

	for _, each := range sources {
		source := strings.Trim(each.text, `"'`)
		if strings.HasPrefix(source, "<<") || strings.ContainsAny(source, "$<>") || foreign.MatchString(strings.TrimLeft(source, "/")) {
			continue
		}
		if isBuilt(source, destination) {
			continue
		}
		why := c.project.isCopied(source, contexts)
		if isGlob(source) && matched > 0 {
			why = ""
		}
		c.report(place{name, each.line}, CopySource, each.text, why)
	}
}

var (
	artifact      = regexp.MustCompile(`\.(?:apk|deb|rpm|gz|tgz|xz|zip|tar|jar|war|whl|exe|so|bin|nupkg)$`)
	programFolder = regexp.MustCompile(`^/(?:usr/(?:local/)?)?s?bin(?:/|$)`)
)

// isBuilt reports whether a source is likely to be made before the build of the image: an
// archive, a program, or a hidden folder.
func isBuilt(source, destination string) bool {
	if artifact.MatchString(source) {
		return true
	}

	ending := path.Ext(source)
	if ending == source {
		return !strings.HasSuffix(source, "rc")
	}
	isPlain := ending == "" && !strings.Contains(source, "/")
	return isPlain && programFolder.MatchString(destination)
}

func isGlob(name string) bool {
	return strings.ContainsAny(name, "*?[")
}

// isCopied tells why no context has a source, "" if one has.
func (p *project) isCopied(source string, contexts []string) (why string) {
	source = strings.TrimLeft(source, "/")
	for _, context := range contexts {
		joined := path.Join(context, source)
		switch {
		case leadsOut(joined):
			return ""
		case isGlob(source):
			if len(p.matching(context, []string{source})) > 0 || p.isMade(joined) {
				return ""
			}
		case p.exists(joined):
			if why = p.excluded(context, source); why == "" {
				return ""
			}
		case p.isMade(joined):
			return ""
		}
	}

	if why != "" {
		return why
	}

	return "no context of the build has it"
}

// excluded tells that the build leaves a source out.
func (p *project) excluded(context, source string) string {
	name := path.Join(context, ".dockerignore")
	text, err := p.text(name)
	if err != nil {
		return ""
	}

	source = path.Clean(source)
	out := false
	for line := range strings.Lines(string(text)) {
		body, keep := strings.CutPrefix(strings.TrimSpace(line), "!")
		body = path.Clean(strings.TrimPrefix(body, "/"))
		if keep && (strings.HasPrefix(body, source+"/") || isGlob(body)) {
			return "" // a part of it is kept
		}
		var rule ignore.Rules
		rule.Add(".", "/"+body)
		if strings.TrimSpace(line) != "" && rule.Match(source) {
			out = !keep
		}
	}

	if out {
		return name + " leaves it out of the build"
	}

	return ""
}

var (
	composeName    = regexp.MustCompile(`^(?:docker-)?compose[\w.-]*\.ya?ml$`)
	composeContext = regexp.MustCompile(`(?m)^\s*(?:context|build):\s*["']?([\w./-]+)["']?\s*$`)
)

// composed are the contexts that compositions name.
func (p *project) composed() (contexts []string) {
	for base, names := range p.named {
		if !composeName.MatchString(base) {
			continue
		}
		for _, name := range names {
			text, _ := p.text(name) // one that cannot be read names none
			for _, m := range composeContext.FindAllSubmatch(text, -1) {
				context := path.Join(path.Dir(name), string(m[1]))
				if !leadsOut(context) {
					contexts = append(contexts, context)
				}
			}
		}
	}

	slices.Sort(contexts)
	return contexts
}
