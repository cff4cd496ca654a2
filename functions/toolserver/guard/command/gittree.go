package command

import (
	"slices"
	"strings"
)

// Tree is a change of the files of a checkout to those of a commit. Which files it changes is found
// by comparing.
type Tree struct {
	From      string // the commit that is compared with; "" is the present one
	To        string // "" is the present one
	Worktree  bool   // files that differ from the commit lose their changes
	Untracked bool   // files that no commit has are removed
	Ignored   bool   // also those that git does not look at
	Source    string // of the command
}

// tree notes a change to the files of a commit.
func (r *reader) tree(t Tree, whole call) {
	atOnePlace := len(r.dirs) == 1 && !r.lost
	if !atOnePlace || r.moved {
		r.hide(whole.all())
		return
	}

	texts := []string{}
	for _, a := range whole.all() {
		texts = append(texts, source(a.word))
	}
	t.Source = strings.Join(texts, " ")
	t.From, t.To = r.branchOf(t.From), r.branchOf(t.To)
	if !slices.Contains(r.result.Trees, t) {
		r.result.Trees = append(r.result.Trees, t)
	}
}

// branchOf is where a branch begins that the command itself makes, or the name.
func (r *reader) branchOf(name string) string {
	if name == "-" || name == "@{-1}" {
		if r.switched {
			return ""
		}
		return "@{-1}"
	}
	if start, is := r.branches[name]; is {
		return start
	}
	return name
}

// noteBranch remembers where a new branch begins.
func (r *reader) noteBranch(operands []argument) {
	start := ""
	if len(operands) > 1 {
		start = operands[1].text
	}
	if len(operands) > 0 {
		r.branches[operands[0].text] = r.branchOf(start)
	}
}

// pathspecs notes files as git names them: patterns match across folders, and a name may begin with
// signs that say how it is meant.
func (r *reader) pathspecs(operands []argument, how string, remove bool) {
	for _, a := range operands {
		for _, value := range r.names(a.word) {
			if !value.known {
				r.unresolved(how+" "+source(a.word), source(a.word))
				continue
			}
			r.pathspec(value, how, remove)
		}
	}
}

func (r *reader) pathspec(value name, how string, remove bool) {
	text := value.text
	if signs, rest, is := magic(text); is {
		text = r.withSigns(signs, rest)
	}

	isPattern := value.pattern || hasPattern(text)
	if !isPattern {
		r.write(text, how, remove, true)
		return
	}
	if !strings.Contains(text, "/") {
		r.write("**/"+text, how, remove, false)
	}
	acrossFolders := strings.ReplaceAll(strings.ReplaceAll(text, "**", "*"), "*", "**")
	r.write(acrossFolders, how, remove, false)
}

// withSigns is a pathspec without the signs before it, as a name or a pattern.
func (r *reader) withSigns(signs, text string) string {
	for _, sign := range []string{"exclude", "icase", "attr"} {
		if strings.Contains(signs, sign) {
			text = "**"
		}
	}
	if text == "" {
		text = "."
	}
	if strings.Contains(signs, "top") && r.scene.Top != "" {
		return r.scene.Top + "/" + text
	}
	return text
}

// magic splits the signs of a pathspec from its name.
func magic(text string) (signs, rest string, is bool) {
	inside, long := strings.CutPrefix(text, ":(")
	if long {
		return strings.Cut(inside, ")")
	}
	rest, short := strings.CutPrefix(text, ":")
	if !short {
		return "", text, false
	}
	for rest != "" {
		switch rest[0] {
		case '/':
			signs += "top "
		case '!', '^':
			signs += "exclude "
		default:
			return signs, strings.TrimPrefix(rest, ":"), true
		}
		rest = rest[1:]
	}
	return signs, "", true
}

var restoreGrammar = grammar{valued: "s", long: map[string]bool{
	"source": true, "staged": false, "worktree": false, "pathspec-from-file": true, "conflict": true,
}}

// restore changes the files that it names, and with a folder what is in it.
func (r *reader) restore(c, whole call) {
	options, operands := c.parse(restoreGrammar)
	onlyIndex := given(options, "staged", "S") && !given(options, "worktree", "W")
	if onlyIndex {
		return
	}
	if len(operands) == 0 || given(options, "pathspec-from-file") {
		r.hide(whole.all())
		return
	}

	from := ""
	if o, ok := find(options, "s", "source"); ok {
		from = o.value.text
	}
	r.restored(from, operands, whole)
}

// restored notes that named files get the content of a commit. With . for all files, those that have
// it already do not change.
func (r *reader) restored(from string, operands []argument, whole call) {
	if isAll(operands) && !strings.HasPrefix(from, "-") {
		r.tree(Tree{To: from, Worktree: true}, whole)
		return
	}
	r.pathspecs(operands, "git restore", true)
}

func isAll(operands []argument) bool {
	return len(operands) == 1 && slices.Contains([]string{".", ":/", ":(top)", "*"}, operands[0].text)
}

var checkoutGrammar = grammar{valued: "bBcC", long: map[string]bool{
	"orphan": true, "create": true, "force-create": true, "pathspec-from-file": true, "conflict": true, "detach": false, "force": false, "discard-changes": false,
}}

// checkout changes files, or the branch and with it the files in which the commits differ.
func (r *reader) checkout(c, whole call) {
	options, operands := c.parse(checkoutGrammar)
	if given(options, "pathspec-from-file", "p", "patch") {
		r.hide(whole.all())
		return
	}

	forced := given(options, "f", "force", "discard-changes", "m", "merge")
	created, creates := find(options, "b", "B", "c", "C", "orphan", "create", "force-create")
	dashes := slices.IndexFunc(c.args, func(a argument) bool { return a.text == "--" })
	switch {
	case creates:
		r.noteBranch(append([]argument{created.value}, operands...))
		r.switchTo(operands, forced, whole)
	case c.program == "git switch":
		r.switchTo(operands, forced, whole)
	case dashes >= 0:
		files := c.args[dashes+1:]
		from := ""
		if len(operands) > len(files) {
			from = operands[0].text
		}
		r.restored(from, files, whole)
	case len(operands) > 1 && isAll(operands[1:]):
		r.restored(operands[0].text, operands[1:], whole)
	case len(operands) > 1:
		if !r.isThere(operands[0].text) { // a commit
			operands = operands[1:]
		}
		r.pathspecs(operands, c.program, true)
	case isAll(operands), len(operands) == 1 && r.looksLikeFile(operands[0].text) && r.isThere(operands[0].text):
		r.restored("", operands, whole)
	default:
		r.switchTo(operands, forced, whole)
	}
}

// isThere reports whether there is a file or a folder of a name.
func (r *reader) isThere(file string) bool {
	at, ok := r.fileName(file)
	if !ok || r.scene.Files == nil {
		return false
	}
	_, isFile := r.scene.Files.Read(at)
	return isFile || r.scene.Files.IsFolder(at)
}

// mayBeThere reports whether there is a file of a name, or the command makes one.
func (r *reader) mayBeThere(file string) bool {
	at, ok := r.fileName(file)
	return !ok || r.wrote(at) || r.isThere(file)
}

// switchTo changes the branch; without a name it stays, and changes can be lost only by force.
func (r *reader) switchTo(operands []argument, forced bool, whole call) {
	to := ""
	if len(operands) > 0 {
		if !operands[0].ok {
			r.hide(whole.all())
			return
		}
		to = operands[0].text
	}
	if to != "" || forced {
		r.tree(Tree{To: to, Worktree: forced}, whole)
	}
	r.switched = r.switched || to != ""
}

// reset moves the branch; some of its forms change files.
func (r *reader) reset(c call, operands []argument, whole call) {
	if !c.has("--hard", "--merge", "--keep") {
		r.moved = r.moved || len(operands) > 0 && !r.isThere(operands[len(operands)-1].text)
		return
	}
	r.destructive(c.program)
	to := ""
	if len(operands) > 0 {
		to = operands[0].text
	}
	if len(operands) > 1 || len(operands) == 1 && !operands[0].ok {
		r.hide(whole.all())
		return
	}
	r.tree(Tree{To: to, Worktree: true}, whole)
}

// stash takes changes away, or puts them back.
func (r *reader) stash(c call, operands []argument, whole call) {
	sub, entry := "push", "stash@{0}"
	if len(operands) > 0 {
		sub = operands[0].text
	}
	if len(operands) > 1 {
		entry = operands[1].text
	}

	switch sub {
	case "list", "show", "drop", "clear", "create", "store":
	case "push", "save":
		r.tree(Tree{Worktree: true, Untracked: c.has("-u", "--include-untracked", "-a", "--all"), Ignored: c.has("-a", "--all")}, whole)
		r.stashed = true
	case "pop", "apply":
		if r.stashed {
			if entry == "stash@{0}" { // what was taken away just before comes back
				return
			}
			r.hide(whole.all())
			return
		}
		r.tree(Tree{From: entry + "~1", To: entry}, whole)
	case "branch":
		if len(operands) < 3 {
			entry = "stash@{0}"
		} else {
			entry = operands[2].text
		}
		r.tree(Tree{To: entry}, whole)
	default:
		r.hide(whole.all())
	}
}

var combineGrammar = grammar{valued: "msXSx", long: map[string]bool{
	"strategy": true, "strategy-option": true, "message": true, "onto": true, "exec": true, "mainline": true, "interactive": false, "continue": false, "abort": false, "quit": false, "skip": false, "autostash": false,
}}

// combine brings the changes of other commits in.
func (r *reader) combine(name string, c, whole call) {
	options, operands := c.parse(combineGrammar)
	runs := given(options, "x", "exec", "i", "interactive") && name == "rebase" || given(options, "s", "strategy")
	if runs || given(options, "continue", "skip") {
		r.hide(whole.all())
		return
	}
	if o, ok := find(options, "onto"); ok {
		operands = append(operands, o.value)
	}
	if given(options, "abort", "quit") { // back to what was before
		return
	}
	if len(operands) == 0 {
		r.hide(whole.all())
		return
	}

	for _, a := range operands {
		switch {
		case !a.ok || strings.Contains(a.text, ".."):
			r.hide(whole.all())
		case name == "cherry-pick" || name == "revert":
			r.tree(Tree{From: a.text + "~1", To: a.text}, whole)
		default:
			r.tree(Tree{To: a.text}, whole)
		}
	}
}
