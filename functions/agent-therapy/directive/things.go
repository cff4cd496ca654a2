package directive

import (
	"path"
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/words"
)

func allBut(list []string, form string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(other string) bool { return other == form })
}

func withoutGroup(groups [][]string, form string) [][]string {
	var kept [][]string
	for _, group := range groups {
		if group = allBut(group, form); len(group) > 0 {
			kept = append(kept, group)
		}
	}
	return kept
}

func lowers(tokens []words.Token) []string {
	var list []string
	for _, t := range tokens {
		if !t.Mark {
			list = append(list, t.Lower)
		}
	}
	return list
}

// has reports whether one of the words occurs outside backticks.
func has(tokens []words.Token, wanted ...string) bool {
	return slices.ContainsFunc(tokens, func(t words.Token) bool {
		return !t.Code && slices.Contains(wanted, t.Lower)
	})
}

// forms returns the normal forms of the words with a meaning, each once.
func forms(tokens []words.Token) []string {
	var list []string
	for _, t := range tokens {
		if t.Mark || !t.Code && words.Empty(t.Lower) {
			continue
		}
		list = appendNew(list, t.Form)
	}
	return list
}

// literals returns the words in backticks and the paths.
func literals(tokens []words.Token) []string {
	var list []string
	for _, t := range tokens {
		isPath := strings.ContainsAny(t.Text, "/*") && len(t.Text) > 1
		if t.Code || isPath || isFileName(t.Lower) {
			list = appendNew(list, t.Form)
		}
	}
	return list
}

// fileEndings are those of files that instructions name.
var fileEndings = set("json yaml yml toml lock md txt go py js ts tsx jsx css html sh sql env xml ini cfg conf csv rb rs java kt tf")

// isFileName reports whether a word names a file: "package.json".
func isFileName(lower string) bool {
	name, ending, ok := strings.Cut(strings.TrimPrefix(lower, "."), ".")
	return ok && name != "" && fileEndings[ending[strings.LastIndexByte(ending, '.')+1:]]
}

// groups returns the words that say to what something is done, each once. Words that "or", "and"
// or a comma joins stand in one group.
func (r *reading) groups(label []words.Token) [][]string {
	var groups [][]string
	var all []string
	for _, form := range forms(label) {
		groups = append(groups, []string{form})
		all = append(all, form)
	}

	joined, near := false, false
	together := has(r.tokens, "same", "together", "both", "mix", "simultaneously", "combine", "between")
	for i, t := range r.tokens {
		if t.Lower == "or" || t.Lower == "and" && !together || t.Lower == "nor" {
			joined = near
			continue
		}
		if !r.isThing(i) || slices.Contains(all, t.Form) {
			near = near && t.Mark
			continue
		}

		all = append(all, t.Form)
		named := []string{t.Form}
		if name := r.nameOfPath(t); name != "" && !slices.Contains(all, name) {
			named = append(named, name)
			all = append(all, name)
		}
		if last := len(groups) - 1; joined && last >= 0 {
			groups[last] = append(groups[last], named...)
		} else {
			groups = append(groups, named)
		}
		joined, near = false, true
	}

	return groups
}

// shortestName is how many letters the last name of a path has at least to be taken for a word.
const shortestName = 4

// nameOfPath returns the normal form of the last name of a path, so that "`migrations/`" is about
// migrations; empty for what is no path. Who writes a Markdown file writes a document; who must not
// edit one may edit others.
func (r *reading) nameOfPath(t words.Token) string {
	if strings.HasSuffix(t.Lower, ".md") && !r.negative {
		return "doc"
	}
	if !strings.Contains(t.Text, "/") {
		return ""
	}

	name := path.Base(strings.Trim(t.Lower, "/*"))
	if len(name) < shortestName || strings.ContainsAny(name, ".*") {
		return ""
	}
	forms := words.Forms(name)
	if len(forms) != 1 || forms[0] == t.Form {
		return ""
	}
	return forms[0]
}

// prepositions of place and purpose.
var prepositions = set("in on for inside within under from of at into during")

// located returns the words that say where or for what something holds.
func (r *reading) located() []string {
	var list []string
	behind := false

	for i, t := range r.tokens {
		switch {
		case prepositions[t.Lower]:
			behind = true
		case r.isThing(i):
			if behind {
				list = appendNew(list, t.Form)
			}
		case !joins(t):
			behind = false
		}
	}

	return list
}

// joins reports whether a word may stand inside the part that a preposition begins.
func joins(t words.Token) bool {
	isMark := t.Mark && t.Text != "`"
	return isMark || t.Lower == "and" || t.Lower == "or" || articles[t.Lower]
}

// isThing reports whether a word says to what something is done.
func (r *reading) isThing(at int) bool {
	t := r.tokens[at]
	if at == r.verbAt || t.Mark {
		return false
	}
	if !t.Code && !r.isSaidOfThing(at) && (words.Empty(t.Lower) || isModalWord(t.Lower)) {
		return false
	}
	return t.Form != "user" || !r.isPerson(at)
}

// isSaidOfThing reports whether a word that turns the meaning of others tells here which thing is meant:
// "tests that fail".
func (r *reading) isSaidOfThing(at int) bool {
	return reversals[r.tokens[at].Lower] && relatives[r.before(at)]
}

// IsModal reports whether a word, in lower case, says how an instruction is meant, and not what it is about.
func IsModal(lower string) bool { return isModalWord(lower) }

func isModalWord(lower string) bool {
	return negators[lower] || prohibitions[lower] || permits[lower] || reversals[lower] || demands[lower]
}

// isPerson reports whether a word for a person only says to whom, as in "tell the user".
func (r *reading) isPerson(at int) bool {
	if at+1 == len(r.tokens) {
		return true
	}
	next := r.tokens[at+1]
	return next.Mark || words.Empty(next.Lower) || next.Act
}
