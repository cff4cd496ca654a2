package scope

import (
	"path"
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/document"
)

// Together reports whether the instructions of two documents can be loaded at the same time, and
// how: "same file", "nested files" and so on, for people.
func Together(a, b *document.Document) (how string, together bool) {
	if a == b {
		return "in the same file", a.Kind != document.Tools
	}
	if a.Kind == document.Skill && b.Kind == document.Skill {
		return "skills are loaded one by one", false
	}
	if a.Kind == document.Tools || b.Kind == document.Tools {
		return "a tool's description and an instruction", a.Kind != b.Kind
	}

	inner, outer := folderOf(a.Name), folderOf(b.Name)
	if !within(inner, outer) && !within(outer, inner) {
		return "in different folders", false
	}
	if disjointGlobs(a.Globs, b.Globs) {
		return "for different files", false
	}
	return howTogether(a, b, inner, outer), true
}

func howTogether(a, b *document.Document, inner, outer string) string {
	switch {
	case len(a.Globs)+len(b.Globs) > 0:
		return "both apply to the files that the narrower rule names"
	case inner != outer:
		return "a nested file adds to the one above it"
	default:
		return "both files are loaded together"
	}
}

// folders that hold rules for the folder above them.
var ruleFolders = []string{".cursor", ".github", ".claude", ".windsurf", ".gemini", ".codex", ".agents", ".clinerules", ".roo", ".continue", ".kiro"}

// folderOf returns the folder for whose files a document is about; "." for all.
func folderOf(name string) string {
	parts := strings.Split(path.Clean(path.Dir(name)), "/")
	for i, part := range parts {
		if slices.Contains(ruleFolders, part) {
			parts = parts[:i]
			break
		}
	}

	if len(parts) == 0 {
		return "."
	}
	return path.Join(parts...)
}

// within reports whether a folder is, or lies in, another.
func within(inner, outer string) bool {
	return outer == "." || outer == "" || inner == outer || strings.HasPrefix(inner, outer+"/")
}

// disjointGlobs reports whether no file can match patterns of both lists. An empty list matches
// every file.
func disjointGlobs(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	for _, x := range a {
		for _, y := range b {
			if mayMeet(x, y) {
				return false
			}
		}
	}
	return true
}

// mayMeet reports whether one file could match both patterns, judged by their fixed folders and
// their endings.
func mayMeet(a, b string) bool {
	folderA, folderB := fixedFolder(a), fixedFolder(b)
	if !within(folderA, folderB) && !within(folderB, folderA) {
		return false
	}

	endsA, endsB := endings(a), endings(b)
	if len(endsA) == 0 || len(endsB) == 0 {
		return true
	}
	return overlap(endsA, endsB)
}

// fixedFolder returns the folders of a pattern before its first wildcard.
func fixedFolder(glob string) string {
	fixed := "."
	for part := range strings.SplitSeq(path.Dir(glob), "/") {
		if strings.ContainsAny(part, "*?[{") {
			break
		}
		fixed = path.Join(fixed, part)
	}
	return fixed
}

// endings returns the extensions that a pattern allows; none for any.
func endings(glob string) []string {
	base := path.Base(glob)
	dot := strings.Index(base, ".")
	if dot < 0 {
		return nil
	}

	ending := base[strings.LastIndex(base, "."):]
	if open := strings.Index(base, "{"); open >= 0 && strings.HasSuffix(base, "}") {
		list := base[open+1 : len(base)-1]
		var all []string
		for one := range strings.SplitSeq(list, ",") {
			all = append(all, "."+strings.TrimPrefix(strings.TrimSpace(one), "."))
		}
		return all
	}
	if strings.ContainsAny(ending, "*?[") {
		return nil
	}
	return []string{ending}
}
