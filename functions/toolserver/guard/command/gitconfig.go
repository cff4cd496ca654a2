package command

import "strings"

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
