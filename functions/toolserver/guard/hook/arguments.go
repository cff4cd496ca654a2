package hook

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// value is a text in the arguments of a call, at any depth.
type value struct {
	key  string // of the member that it is, or is in a list of; "" for the name of a member
	text string
}

// Bounds of the texts of one call that are taken for names of files.
const (
	mostValues  = 500
	longestName = 1024 // bytes
)

// values are all texts in the arguments, and the names of members below the first level: some
// tools name files so.
func (c call) values() []value {
	var all []value
	for _, name := range slices.Sorted(maps.Keys(c.Input)) {
		var argument any
		if json.Unmarshal(c.Input[name], &argument) == nil {
			all = collect(all, name, argument)
		}
	}
	return all
}

func collect(all []value, key string, argument any) []value {
	if len(all) >= mostValues {
		return all
	}
	switch v := argument.(type) {
	case string:
		return append(all, value{key, v})
	case []any:
		for _, item := range v {
			all = collect(all, key, item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, value{"", name})
			all = collect(all, name, v[name])
		}
	}

	return all
}

var (
	commandKey = regexp.MustCompile(`(?i)^(commands?|cmds?|command_?lines?|shell_?commands?)$`)
	codeKey    = regexp.MustCompile(`(?i)^(code|expression|source_?code|javascript|script|function)$`)
	folderKey  = regexp.MustCompile(`(?i)^(cwd|dir_path|directory|workdir|working_?dir(ectory)?|project_?path|repo_?path|root)$`)
	pathKey    = regexp.MustCompile(`(?i)(path|file|uri|target|destination|source)`)
	position   = regexp.MustCompile(`(:\d+){1,3}$|#L\d+(-L?\d+)?$`)
)

// commands returns the shell commands of a call. An argument named command is one for any
// tool.
func (c call) commands() []string {
	var all []string
	if command, ok := c.command(); ok {
		all = append(all, command)
	}

	for _, v := range c.values() {
		if commandKey.MatchString(v.key) &&
			!patchLine.MatchString(v.text) &&
			!slices.Contains(all, v.text) &&
			!c.isArgumentList(v.key) {
			all = append(all, v.text)
		}
	}
	return all
}

// isArgumentList reports whether an argument is a command as a list of words.
func (c call) isArgumentList(key string) bool {
	var argv []string
	return key == "command" && json.Unmarshal(c.Input[key], &argv) == nil
}

// runsCode are words in the names of tools that run a program which they are given.
var runsCode = regexp.MustCompile(`(?i)(exec|eval|run|repl|python|script)`)

// programs are texts in a programming language that a call has something run.
func (c call) programs() []string {
	if !runsCode.MatchString(c.Tool) {
		return nil
	}
	var all []string
	for _, v := range c.values() {
		if codeKey.MatchString(v.key) && !(v.key == "script" && shellTool.MatchString(c.Tool)) {
			all = append(all, v.text)
		}
	}
	return all
}

// names are the short texts of a call that may be names of files, and the files that patches
// in it name. Beside a command only what is called a path counts.
func (c call) names() []string {
	runs := len(c.commands()) > 0
	var names []string
	for _, v := range c.values() {
		names = append(names, patchedFiles(v.text)...)

		if commandKey.MatchString(v.key) ||
			folderKey.MatchString(v.key) ||
			runs && !pathKey.MatchString(v.key) {
			continue
		}

		if !v.mayName() {
			continue
		}

		name := strings.TrimPrefix(v.text, "file://")
		names = append(names, name)
		if bare := position.ReplaceAllString(name, ""); bare != name && bare != "" {
			names = append(names, bare)
		}
	}

	slices.Sort(names)
	return slices.Compact(names)
}

// unjudged are the names of a call that were not judged as its files: that may have used an
// approval up.
func (c call) unjudged(files map[string][]string) []string {
	judged := map[string]bool{}
	for _, paths := range files {
		for _, path := range paths {
			judged[path] = true
		}
	}
	return slices.DeleteFunc(c.names(), func(name string) bool { return judged[name] })
}

// placeKey belongs to a text that names a place, whatever it looks like.
var placeKey = regexp.MustCompile(`(?i)(path|file|folder|dir|uri|target|dest|source|location|name)`)

// mayName reports whether a text may be the name of a file: it is short, and a bare word
// counts only where a place is named, since labels and the like are words, too.
func (v value) mayName() bool {
	if v.text == "" ||
		len(v.text) > longestName ||
		strings.ContainsAny(v.text, "\n\x00") {
		return false
	}
	return strings.ContainsAny(v.text, "./") ||
		v.key == "" ||
		placeKey.MatchString(v.key)
}

// diffLine names a file in a unified diff.
var diffLine = regexp.MustCompile(`(?m)^(?:---|\+\+\+|rename to|rename from) (?:[ab]/)?([^\t\r\n]+)`)

func patchedFiles(text string) []string {
	if !strings.Contains(text, "+++ ") && !strings.Contains(text, "rename to ") {
		return nil
	}
	var files []string
	for _, line := range diffLine.FindAllStringSubmatch(text, -1) {
		files = append(files, strings.TrimSpace(line[1]))
	}
	return files
}

// ownReaders are tools of the agents themselves that change no file of a project, or whose
// changes come by calls of their own.
var ownReaders = setOf(`Agent AskUserQuestion BashOutput EnterPlanMode ExitPlanMode Glob Grep KillBash KillShell LS ListMcpResourcesTool NotebookRead Read
	ReadMcpResourceTool SendMessage Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WebFetch WebSearch
	update_plan view_image request_user_input write_todos save_memory enter_plan_mode exit_plan_mode activate_skill google_web_search web_fetch ask_user
	codebase_search grep_search file_search fetch_rules report_intent task skill`)

func setOf(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

var (
	readingWords = setOf(`read get list search find show view fetch query describe count check look lookup stat tree glob grep ls cat head tail analyze inspect explain status ping help think wait resolve browse`)
	changeWords  = setOf(`write edit replace create insert patch update append save put upload move rename delete remove unlink execute exec run eval set apply format reformat fix refactor and commit checkout`)
)

// reads reports whether a tool is known to only read: by its name, or by the first word of
// it when no other word of it speaks of a change.
func (c call) reads() bool {
	if ownReaders[c.Tool] {
		return true
	}
	words := wordsOf(c.Tool)
	return len(words) > 0 &&
		readingWords[words[0]] &&
		!slices.ContainsFunc(words, func(word string) bool {
			return changeWords[word]
		})
}

// wordsOf parts the name of a tool, without the server that has it, into words in lower case.
func wordsOf(tool string) []string {
	for _, border := range []string{"__", ":", ".", "/"} {
		if at := strings.LastIndex(tool, border); at >= 0 {
			tool = tool[at+len(border):]
		}
	}

	var b strings.Builder
	for i, c := range tool {
		if i > 0 && unicode.IsUpper(c) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(c))
	}

	return strings.FieldsFunc(b.String(), func(c rune) bool {
		return !unicode.IsLetter(c) &&
			!unicode.IsDigit(c)
	})
}
