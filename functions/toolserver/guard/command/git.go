package command

import (
	"path"
	"slices"
	"strings"
)

// gitReaders change no file of the working tree, except those that their options name.
var gitReaders = setOf(`status log diff show add commit tag fetch push remote rev-parse describe blame annotate shortlog
	ls-files ls-tree ls-remote cat-file grep reflog help version rev-list merge-base name-rev symbolic-ref check-ignore
	check-attr check-mailmap count-objects fsck gc for-each-ref show-ref var whatchanged cherry range-diff diff-tree
	diff-index diff-files hash-object verify-commit verify-tag archive format-patch notes prune pack-refs repack
	maintenance update-ref update-index mktree commit-tree write-tree request-pull stripspace interpret-trailers --version --help`)

// gitRuns are options and addresses through which git runs a program.
var gitRuns = []string{"--upload-pack", "--receive-pack", "--exec", "--open-files-in-pager", "--extcmd", "ext::", "--template"}

func git(r *reader, c call) {
	outside := r.place
	defer func() { r.place = outside }()

	args := r.gitOptions(c)
	if len(args) == 0 {
		return
	}
	runs := func(a argument) bool {
		return slices.ContainsFunc(gitRuns, func(begin string) bool { return strings.HasPrefix(a.text, begin) })
	}
	if slices.ContainsFunc(args, runs) {
		r.hide(c.all())
		return
	}

	r.gitCommand(call{"git " + args[0].text, args[1:]}, c)
}

// gitOptions notes the options before the word of git, and returns the rest.
func (r *reader) gitOptions(c call) []argument {
	args := c.args
	for len(args) > 1 && strings.HasPrefix(args[0].text, "-") {
		name, value, joined := strings.Cut(args[0].text, "=")
		next, rest := argument{literal(value), value, args[0].ok}, args[1:]
		if !joined && gitValued[name] {
			next, rest = args[1], args[2:]
		}
		r.gitOption(c, name, next)
		args = rest
	}
	return args
}

// gitOption notes one option before the word of git.
func (r *reader) gitOption(c call, name string, value argument) {
	switch name {
	case "-C", "--work-tree":
		r.within(value)
	case "-c":
		r.hideIf(c, !value.ok || runsProgram(value.text, ""))
	case "--exec-path", "--config-env":
		r.hide(c.all())
	case "--git-dir": // git obeys the settings there
		r.hideIf(c, !value.ok || path.Base(value.text) != ".git")
	}
}

// gitValued are the options of git itself whose value is the next word.
var gitValued = setOf("-C -c --work-tree --git-dir --namespace --exec-path --config-env --super-prefix")

var gitGrammar = grammar{valued: "o", long: map[string]bool{
	"output": true, "output-directory": true, "cached": false, "staged": false, "worktree": false, "dry-run": false, "orderfile": true,
}}

func (r *reader) gitCommand(c, whole call) {
	name := strings.TrimPrefix(c.program, "git ")
	options, operands := c.parse(gitGrammar)
	sub := ""
	if len(operands) > 0 {
		sub = operands[0].text
	}

	switch name {
	case "rm":
		if !given(options, "cached", "n", "dry-run") {
			r.destructive(c.program)
			r.pathspecs(operands, "git rm", true)
		}
	case "mv":
		if !given(options, "n", "dry-run") {
			move(r, c)
		}
	case "restore":
		r.restore(c, whole)
	case "checkout", "switch":
		r.checkout(c, whole)
	case "clean":
		if !given(options, "n", "dry-run") {
			r.destructive(c.program)
			r.tree(Tree{Untracked: true}, whole)
		}
	case "apply", "am":
		r.applyPatch(c, whole)
	case "reset":
		r.reset(c, operands, whole)
	case "stash":
		r.stash(c, operands, whole)
	case "merge", "rebase", "cherry-pick", "revert":
		r.combine(name, c, whole)
	case "read-tree":
		if given(options, "u") {
			r.hide(whole.all())
		}
	case "worktree":
		r.worktree(operands, whole)
	case "submodule", "lfs", "bisect", "sparse-checkout":
		r.hideUnless(sub, whole, "status", "summary", "ls-files", "env", "log", "list", "start", "good", "bad", "reset")
	case "config":
		r.configure(c, whole)
	case "init":
		r.named(c)
		r.hideIf(whole, c.has("-c", "--config", "-u"))
	case "clone":
		r.clone(c, whole)
	case "bundle":
		if sub == "create" {
			r.written(operands[1:min(2, len(operands))], c.program)
		}
	case "branch", "tag":
		r.noteBranch(operands)
	case "symbolic-ref", "update-ref", "replace", "pull":
		r.moved = r.moved || len(operands) > 1
		r.otherGit(name, options, whole)
	case "fetch":
		r.moved = r.moved || slices.ContainsFunc(operands, func(a argument) bool { return strings.Contains(a.text, ":") })
	default:
		r.otherGit(name, options, whole)
		r.gitOutputs(name, options, c)
	}
}

// otherGit hides an alias, or an unknown command.
func (r *reader) otherGit(name string, options []option, whole call) {
	r.hideIf(whole, !gitReaders[name] || name == "grep" && given(options, "O"))
}

// gitOutputs notes the files that git writes by an option.
func (r *reader) gitOutputs(name string, options []option, c call) {
	if writesNoOutput[name] {
		return
	}
	for _, o := range options {
		if o.value.word == nil {
			continue
		}
		switch o.name {
		case "o", "output":
			r.word(o.value.word, c.program, false)
			r.inside(o.value)
		case "output-directory":
			r.word(o.value.word, c.program, true)
			r.inside(o.value)
		}
	}
}

// writesNoOutput are words of git whose option -o means something else.
var writesNoOutput = setOf("commit push ls-files")

// inside notes that a new file is written in the folder that an option names.
func (r *reader) inside(folder argument) {
	for _, value := range r.each(folder) {
		before := len(r.result.Writes)
		r.write(value.text+"/0001.patch", "git", false, !value.pattern)
		r.markInto(before)
	}
}

func (r *reader) hideIf(whole call, hides bool) {
	if hides {
		r.hide(whole.all())
	}
}

// hideUnless hides a command whose subcommand is none of these.
func (r *reader) hideUnless(sub string, whole call, harmless ...string) {
	r.hideIf(whole, !slices.Contains(harmless, sub))
}

// written notes operands that are written.
func (r *reader) written(operands []argument, how string) {
	for _, a := range operands {
		r.word(a.word, how, false)
	}
}

// clone makes a folder, and all that is in it.
func (r *reader) clone(c, whole call) {
	options, operands := c.parse(grammar{valued: "bocju", long: map[string]bool{
		"branch": true, "origin": true, "depth": true, "config": true, "reference": true, "separate-git-dir": true, "template": true, "jobs": true, "filter": true,
	}})
	r.hideIf(whole, given(options, "c", "config", "u", "upload-pack", "template"))
	if o, ok := find(options, "separate-git-dir"); ok {
		r.word(o.value.word, c.program, true)
	}
	if len(operands) > 1 {
		r.word(operands[1].word, c.program, true)
		return
	}
	r.named(c)
}

// worktree makes another checkout.
func (r *reader) worktree(operands []argument, whole call) {
	if len(operands) == 0 {
		return
	}
	switch operands[0].text {
	case "list", "lock", "unlock", "prune", "repair":
	case "add", "remove":
		r.written(operands[1:min(2, len(operands))], "git worktree")
	default:
		r.hide(whole.all())
	}
}
