package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Other programs call the commands with the flags of earlier versions, which have one dash.
func TestWrongUsageFlagsAreReadWithOneDashAndTwo(t *testing.T) {
	root := newRoot(terminal{})
	for line, want := range map[string]string{
		"lint -format json a.json":              "lint --format json a.json",
		"lint a.json -format=json":              "lint a.json --format=json",
		"lint --format json -":                  "lint --format json -",
		"lint -o json a.json":                   "lint -o json a.json",
		"lint -o=json a.json":                   "lint -o=json a.json",
		"lint -reason -format a.json":           "lint --reason -format a.json",
		"lint -accept -baseline -fix":           "lint --accept --baseline -fix",
		"lint -accept=false -fix":               "lint --accept=false --fix",
		"lint -- -format json":                  "lint -- -format json",
		"pay -y POST /x402/audit-mcp -d -":      "pay -y POST /x402/audit-mcp -d -",
		"pay GET / -data -y -yes":               "pay GET / --data -y --yes",
		"ledger -from -1":                       "ledger --from -1",
		"verify chain a -expect-head 1:ab":      "verify chain a --expect-head 1:ab",
		"baseline accept -workspace /p":         "baseline accept --workspace /p",
		"hook install -agent codex -print":      "hook install --agent codex --print",
		"kill -reason a -resume -restore=false": "kill --reason a --resume --restore=false",
		"serve -nonsense":                       "serve --nonsense",
	} {
		args := strings.Fields(line)
		c, rest, err := find(root, args)
		if err != nil {
			t.Fatal(err)
		}
		path := args[:len(args)-len(rest)]

		got := append(slices.Clone(path), doubleDashes(c.Flags(), rest)...)
		if strings.Join(got, " ") != want {
			t.Errorf("%s\nis read as %s\nwant       %s", line, strings.Join(got, " "), want)
		}
	}
}

func TestWrongUsageSuggestsTheNearCommand(t *testing.T) {
	for line, want := range map[string]string{
		"lnt":                              "governance lint?",
		"verfy chain":                      "did you mean governance verify?",
		"verify chian":                     "did you mean governance verify chain?",
		"srve":                             "did you mean governance serve?",
		"lint -frmat json":                 "unknown flag: --frmat; governance lint --help",
		"serve -addr":                      "flag needs an argument: --addr",
		"smoke -o sarif https://x.example": "the form is table or json",
		"kill -restore=maybe":              "invalid argument",
	} {
		wantWrongUsage(t, line, want)
	}
}

// The help of each command shows an example and what the exit status means.
func TestWrongUsageIsAnsweredByHelpForEveryCommand(t *testing.T) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Name() == "completion" || c.Name() == "help" || c.Parent() != nil && c.Parent().Name() == "completion" {
			return // cobra's own
		}
		path := strings.Fields(c.CommandPath())[1:]
		out, _ := session(t, 0, append(path, "--help")...)
		for _, part := range []string{"Usage:\n  governance", "Examples:\n  governance", "Exit status:\n  0  "} {
			if !strings.Contains(out, part) {
				t.Errorf("help of %q has no %q:\n%s", c.CommandPath(), part, out)
			}
		}
		for _, child := range c.Commands() {
			visit(child)
		}
	}

	visit(newRoot(terminal{}))
}

func TestWrongUsageHasHelpVersionAndCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"help":                               "Guard a project:\n",
		"help pay":                           "governance pay METHOD PATH",
		"--version":                          "API 1.",
		"-version":                           "lint rules 20",
		"completion bash":                    "__start_governance",
		"__complete lint --format s":         "sarif",
		"__complete hook install --agent cl": "claude-code",
	} {
		out, notes := session(t, 0, strings.Fields(line)...)
		if !strings.Contains(out, want) {
			t.Errorf("governance %s prints\n%s%s, want %q in it", line, out, notes, want)
		}
	}
}
