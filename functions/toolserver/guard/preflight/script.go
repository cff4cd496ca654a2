package preflight

import (
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/command"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Bounds of looking into scripts.
const (
	mostScript  = 1 << 20 // bytes of one
	mostScripts = 20      // that one command leads to
)

// scripts decides about programs in other languages that a command runs, by the names of governed files
// in them. What they do by themselves is found afterwards, by comparing the files.
func (g *Gate) scripts(state workspace.State, dir string, found []command.Script) []Result {
	var results []Result
	seen := map[string]bool{}
	for _, script := range found {
		if seen[script.Path] || len(seen) == mostScripts {
			continue
		}
		seen[script.Path] = true
		if text, ok := (files{g.Workspace, dir}).Read(script.Path); ok {
			results = append(results, g.code(state, dir, string(text))...)
		}
	}
	return results
}

var quotedName = regexp.MustCompile("[\"'`]([^\"'`\\s]{2,300})[\"'`]")

// code looks in a program of another language for names of governed files, if anything in
// it may write.
func (g *Gate) code(state workspace.State, dir, text string) []Result {
	if !command.MayWrite(text) {
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

// namesIn are the words of a text that may be names of files.
func namesIn(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n\"'`:=,;()", c) })
}
