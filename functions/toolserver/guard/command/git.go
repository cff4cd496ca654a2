package command

import (
	"path"
	"slices"
	"strings"
)

// gitReaders change no file of the working tree, except those that their options name.
var gitReaders = setOf(`status log diff show add commit tag fetch push remote rev-parse describe blame annotate shortlog
	ls-files ls-tree ls-remote cat-file grep reflog help version rev-list merge-base name-rev symbolic-ref check-ignore
	check-attr check-mailmap count-objects fsck gc init for-each-ref show-ref var whatchanged cherry range-diff diff-tree
	diff-index diff-files hash-object verify-commit verify-tag branch archive format-patch bundle notes prune pack-refs repack
	maintenance update-ref update-index mktree commit-tree write-tree request-pull stripspace interpret-trailers --version --help`)

// gitRuns are options and addresses through which git runs a program.
var gitRuns = []string{"--upload-pack", "--receive-pack", "--exec", "--open-files-in-pager", "--extcmd", "ext::", "--template"}

// gitSettings are the settings that name no program, no file with more settings and no
// place where git looks for either: a whole section, or one member of it. Git knows hundreds
// of settings, and new ones that run programs come with new versions.
var gitSettings = setOf(`user author committer color column advice push pull.rebase pull.ff fetch branch rebase status log commit tag stash blame grep index
	pack rerere versionsort format.pretty format.signoff diff.algorithm diff.renames diff.noprefix diff.mnemonicprefix diff.context diff.colormoved
	merge.conflictstyle merge.ff merge.log merge.stat init.defaultbranch core.quotepath core.autocrlf core.eol core.safecrlf core.ignorecase
	core.filemode core.longpaths core.abbrev core.commentchar core.precomposeunicode core.symlinks core.whitespace gc.auto maintenance.auto
	help.autocorrect remote.pushdefault commit.gpgsign tag.gpgsign gpg.format core.pager pager`)

// notSettings are members of those sections that do name one.
var notSettings = setOf(`rebase.instructionformat index.recordoffsettable commit.template branch.sort`)

// runsProgram reports whether a setting may name a program, or files with more settings. It
// is written as name or name=value.
func runsProgram(setting, value string) bool {
	name, joined, _ := strings.Cut(strings.ToLower(setting), "=")
	if value == "" {
		value = joined
	}

	isHelper := strings.Contains(value, "::") // a helper for addresses
	isOption := strings.HasPrefix(value, "-")
	if isHelper || isOption {
		return true
	}

	section, _, _ := strings.Cut(name, ".")
	if !isGitSetting(section, name) {
		return true
	}

	isPager := section == "pager" || name == "core.pager"
	return isPager && value != "" && !harmlessPrograms[value]
}

// isGitSetting reports whether a setting is known to name no program, except a pager.
func isGitSetting(section, name string) bool {
	if notSettings[name] {
		return false
	}
	return gitSettings[section] || gitSettings[name]
}

func git(r *reader, c call) {
	outside, lost := r.dir, r.lost
	defer func() { r.dir, r.lost = outside, lost }()

	args := c.args
	for len(args) > 1 && strings.HasPrefix(args[0].text, "-") {
		name, value, joined := strings.Cut(args[0].text, "=")
		next := argument{literal(value), value, args[0].ok}
		rest := args[1:]

		if !joined &&
			slices.Contains([]string{"-C", "-c", "--work-tree", "--git-dir", "--namespace", "--exec-path", "--config-env", "--super-prefix"}, name) {
			next = args[1]
			rest = args[2:]
		}

		switch name {
		case "-C", "--work-tree":
			changeDir(r, call{"cd", []argument{next}})
		case "-c":
			if !next.ok || runsProgram(next.text, "") {
				r.hide(c.all())
			}
		case "--exec-path", "--config-env":
			r.hide(c.all())
		case "--git-dir":
			if !next.ok || path.Base(next.text) != ".git" { // git obeys the settings there
				r.hide(c.all())
			}
		}

		args = rest
	}

	if len(args) == 0 {
		return
	}
	if slices.ContainsFunc(args, func(a argument) bool {
		return slices.ContainsFunc(gitRuns, func(begin string) bool {
			return strings.HasPrefix(a.text, begin)
		})
	}) {
		r.hide(c.all())
		return
	}

	r.gitCommand(call{"git " + args[0].text, args[1:]}, c)
}

func (r *reader) gitCommand(c, whole call) {
	name := strings.TrimPrefix(c.program, "git ")
	options, operands := c.parse(grammar{
		valued: "o",
		long: map[string]bool{
			"output":           true,
			"output-directory": true,
			"cached":           false,
			"staged":           false,
			"worktree":         false,
		},
	})

	sub := ""
	if len(operands) > 0 {
		sub = operands[0].text
	}

	switch name {
	case "rm":
		if !given(options, "cached") {
			remove(r, c)
		}
	case "mv":
		move(r, c)
	case "restore":
		r.restore(options, operands, whole)
	case "checkout", "switch":
		r.checkout(c, operands, whole)
	case "clean", "apply":
		if !c.has("-n", "--dry-run", "--check", "--stat", "--numstat", "--summary") {
			r.destructive(c.program)
			r.hide(whole.all())
		}
	case "reset":
		if c.has("--hard", "--merge", "--keep") {
			r.destructive(c.program)
			r.hide(whole.all())
		}
	case "stash":
		r.hideUnless(sub, whole, "list", "show", "drop", "clear", "create")
	case "worktree":
		r.hideUnless(sub, whole, "list", "add", "lock", "unlock", "prune")
		r.named(c)
	case "submodule", "lfs", "bisect", "sparse-checkout":
		r.hideUnless(sub, whole, "status", "summary", "ls-files", "env", "log", "list", "start", "good", "bad")
	case "config":
		r.configure(c, whole)
	case "clone":
		r.named(c)
		if c.has("-c", "--config", "-u") {
			r.hide(whole.all())
		}
	default:
		if !gitReaders[name] { // an alias, or an unknown command
			r.hide(whole.all())
		} else if given(options, "O") {
			r.hide(whole.all())
		}

		if o, ok := find(options, "o", "output", "output-directory"); ok &&
			name != "commit" &&
			name != "push" {
			r.word(o.value.word, c.program, false)
		}
	}
}

// hideUnless hides a command whose subcommand is none of these.
func (r *reader) hideUnless(sub string, whole call, harmless ...string) {
	if !slices.Contains(harmless, sub) {
		r.hide(whole.all())
	}
}

// restore changes the files that it names, and with a folder what is in it.
func (r *reader) restore(options []option, operands []argument, whole call) {
	if given(options, "staged", "S") && !given(options, "worktree", "W") {
		return
	}
	if len(operands) == 0 {
		r.hide(whole.all())
	}
	for _, a := range operands {
		r.word(a.word, "git restore", true)
	}
}

// checkout changes files, or the branch and with it any file.
func (r *reader) checkout(c call, operands []argument, whole call) {
	switch {
	case c.has("-b", "-B", "--orphan", "-c", "-C", "--create") && len(operands) < 2:
	case c.program == "git checkout" && (c.has("--") || len(operands) > 1):
		for _, a := range operands {
			r.word(a.word, c.program, true)
		}
	default:
		r.hide(whole.all())
	}
}

// configGrammar are the options of git config with a value.
var configGrammar = grammar{valued: "ft", long: map[string]bool{
	"file": true, "blob": true, "type": true, "default": true, "comment": true, "value": true,
	"get": false, "get-all": false, "get-regexp": false, "get-urlmatch": false, "get-color": false, "get-colorbool": false, "list": false,
}}

// configReads are the options of git config that only show something.
var configReads = []string{"get", "get-all", "get-regexp", "get-urlmatch", "get-color", "get-colorbool", "list", "l"}

// configure changes settings; some of them are programs that git runs later.
func (r *reader) configure(c, whole call) {
	options, operands := c.parse(configGrammar)
	verb, operands := configVerb(operands)
	changes := changesSetting(verb, options, operands)
	if showsSettings(verb, options, changes) {
		return
	}

	if file, ok := find(options, "f", "file"); ok && file.value.word != nil {
		r.word(file.value.word, "git config", false)
	}
	if !changes || !harmlessSetting(operands) {
		r.hide(whole.all())
	}
}

// configVerb splits the operands of git config into its verb, "" for none, and the rest. The name of
// a setting has a dot, a verb has none.
func configVerb(operands []argument) (string, []argument) {
	if len(operands) == 0 || strings.Contains(operands[0].text, ".") {
		return "", operands
	}
	return operands[0].text, operands[1:]
}

// showsSettings reports whether git config only shows settings.
func showsSettings(verb string, options []option, changes bool) bool {
	if given(options, configReads...) {
		return true
	}

	switch verb {
	case "get", "list":
		return true
	case "":
		return !changes && !given(options, "e", "edit")
	}
	return false // edit, set, rename-section and unknown verbs
}

// changesSetting reports whether git config sets or unsets one setting.
func changesSetting(verb string, options []option, operands []argument) bool {
	switch verb {
	case "set", "unset":
		return true
	case "":
		return len(operands) > 1 || given(options, "unset", "unset-all", "replace-all", "add")
	}
	return false // edit, rename-section and unknown verbs
}

// harmlessSetting reports whether the operands of git config name a setting, and perhaps its
// value, that runs no program.
func harmlessSetting(operands []argument) bool {
	if len(operands) == 0 || !operands[0].ok {
		return false
	}
	if len(operands) == 1 {
		return !runsProgram(operands[0].text, "")
	}
	value := operands[1]
	return value.ok && !runsProgram(operands[0].text, value.text)
}
