package preflight

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/command"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Bounds of looking into scripts.
const (
	mostScript  = 256 << 10 // bytes of one
	mostScripts = 20        // that one command leads to
)

// scripts decides about the files that a command runs. Only what a script plainly does to
// files on the lists counts: much in it depends on values that are not known yet, and what it does
// by itself is found afterwards, by comparing the files.
func (g *Gate) scripts(state workspace.State, dir string, found []command.Script) []Result {
	var results []Result
	seen := map[string]bool{}
	for i := 0; i < len(found) && i < mostScripts; i++ {
		script := found[i]
		if key := script.Path + " " + strings.Join(script.Target, " "); !seen[key] {
			seen[key] = true
			more, next := g.script(state, dir, script)
			results, found = append(results, more...), append(found, next...)
		}
	}
	return results
}

// script decides about one script, and returns the others that it runs.
func (g *Gate) script(state workspace.State, dir string, s command.Script) ([]Result, []command.Script) {
	p, err := g.Workspace.Locate(dir, s.Path)
	if err != nil || p.Real == "" {
		return nil, nil
	}

	text, err := g.Workspace.ReadFile(p.Real, mostScript)
	if err != nil {
		return nil, nil
	}

	content := string(text)
	at := dir
	switch s.Kind {
	case "code":
		return g.code(state, dir, content), nil
	case "npm":
		content, at = packageScript(text, s.Target[0]), path.Dir(p.Real)
	case "make":
		content, at = recipes(content, s.Target), path.Dir(p.Real)
	}

	if interpreter, _, _ := strings.Cut(content, "\n"); strings.HasPrefix(interpreter, "#!") &&
		!strings.Contains(interpreter, "sh") {
		return g.code(state, dir, content), nil
	}

	analysis, err := command.Analyze(content)
	if err != nil {
		return nil, nil
	}

	var results []Result
	for _, w := range append(analysis.Writes, analysis.Named...) {
		results = append(results, onLists(g.written(state, at, w))...)
	}

	for i := range analysis.Scripts {
		if at != dir {
			analysis.Scripts[i].Path = path.Join(at, analysis.Scripts[i].Path)
		}
	}

	return told(results, "A script that the command runs changes this file. "), analysis.Scripts
}

var (
	quotedName = regexp.MustCompile("[\"'`]([^\"'`\\s]{2,300})[\"'`]")
	writing    = regexp.MustCompile(`(?i)\b(write\w*|append\w*|remove\w*|unlink\w*|rename\w*|rm|rmSync|rmtree|rmdir\w*|truncate\w*|copy\w*|move\w*|delete\w*|mkdir\w*|chmod\w*|symlink\w*|outputFile\w*|system|exec\w*|spawn\w*|popen|run|call|subprocess)\b|open\s*\([^)]*["'](w|a|x|r\+)`)
)

// code looks in a program of another language for names of governed files, if anything in
// it may write.
func (g *Gate) code(state workspace.State, dir, text string) []Result {
	if !writing.MatchString(text) {
		return nil
	}
	var results []Result
	for _, match := range quotedName.FindAllStringSubmatch(text, mostNames) {
		results = append(results, named(g.decide(state, dir, match[1], Edit))...)
	}
	return told(results, "A program that the command runs names this file, and may write. ")
}

const mostNames = 500 // texts of a program that are taken for names

// onLists are the results that a list decided.
func onLists(results []Result) []Result {
	return slices.DeleteFunc(results, func(r Result) bool { return r.Matched == nil })
}

// named are those of them that count when a file is only named.
func named(results ...Result) []Result {
	return slices.DeleteFunc(onLists(results), leavesGitOut)
}

func told(results []Result, reason string) []Result {
	for i := range results {
		results[i].Reason = reason + results[i].Reason
	}
	return results
}

// packageScript is a script of package.json with those that npm runs around it.
func packageScript(text []byte, name string) string {
	var manifest struct{ Scripts map[string]string }
	if json.Unmarshal(text, &manifest) != nil {
		return ""
	}
	var lines []string
	for _, key := range []string{"pre" + name, name, "post" + name} {
		lines = append(lines, manifest.Scripts[key])
	}
	return strings.Join(lines, "\n")
}

var rule = regexp.MustCompile(`^([^\s#:=][^:=#]*)::?\s*([^=].*)?$`)

// makeVariable is a variable or a function of make, which the shell does not see.
var makeVariable = regexp.MustCompile(`\$\([^()]*\)|\$\{[^{}]*\}|\$[@<^?*+|]`)

// recipes are the commands of a Makefile for some targets and all that these need; without
// a target for the first one. Variables stay as they are, because their values are not known.
func recipes(text string, targets []string) string {
	needs := map[string][]string{}
	commands := map[string][]string{}
	var current []string
	first := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line = strings.TrimRight(line, "\r\n")
		if command, is := strings.CutPrefix(line, "\t"); is {
			for _, target := range current {
				commands[target] = append(commands[target], strings.TrimLeft(command, "@-+ "))
			}
			continue
		}

		if m := rule.FindStringSubmatch(line); m != nil {
			current = strings.Fields(m[1])
			needed, inline, _ := strings.Cut(m[2], ";")
			for _, target := range current {
				needs[target] = append(needs[target], strings.Fields(needed)...)
				commands[target] = append(commands[target], inline)
			}

			if first == "" && !strings.HasPrefix(line, ".") {
				first = current[0]
			}
		}
	}

	if len(targets) == 0 {
		targets = []string{first}
	}

	var lines []string
	seen := map[string]bool{}
	for queue := slices.Clone(targets); len(queue) > 0 &&
		len(lines) < mostNames; queue = queue[1:] {
		if target := queue[0]; !seen[target] {
			seen[target] = true
			lines, queue = append(lines, commands[target]...), append(queue, needs[target]...)
		}
	}

	return makeVariable.ReplaceAllString(strings.Join(lines, "\n"), "$${MAKE}")
}

// unknown decides about the arguments of a program that the guard does not know.
func (g *Gate) unknown(state workspace.State, dir string, names []command.Write) []Result {
	var results []Result
	seen := map[string]bool{}
	for _, w := range names {
		if seen[w.Path] {
			continue
		}
		seen[w.Path] = true
		if strings.ContainsAny(w.Path, "*?[") && w.How != "" {
			results = append(results, named(g.matching(state, dir, w.Path, Edit)...)...)
			continue
		}

		results = append(results, named(g.decide(state, dir, w.Path, Edit))...)
	}

	for i := range results { // it may only read
		results[i].Decision, results[i].Reason = policy.Protected, "The guard does not know what the program does with this file: a person must look at it."
	}

	return results
}
