package preflight_test

import (
	"os"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/policy"
)

// corpus is a list of commands, one a line; ␤ stands for the end of a line in one.
func corpus(t testing.TB, name string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	commands := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, c := range commands {
		commands[i] = strings.ReplaceAll(c, "␤", "\n")
	}
	return commands
}

// project is [governed] with what the commands of the corpus speak of.
func project(t testing.TB) *guardtest.World {
	w := governed(t)
	for name, text := range map[string]string{
		"infra/prod/vars.tf": "x", "keys/server.pem": "x", "docs/adr/0001.md": "x", "docs/guide.md": "x", "README.md": "x",
		"scripts/build.sh":      "#!/bin/sh\nset -e\nfor target in \"$@\"; do\n\tgo build -o \"bin/$target\" \"./cmd/$target\"\ndone\nrm -rf \"$TMP\"\n",
		"evil.sh":               "#!/bin/sh\nset -e\nrm -f infra/prod/main.tf\n",
		"evil.py":               "import os\nos.remove('infra/prod/main.tf')\n",
		"evil.js":               "require('fs').writeFileSync('infra/prod/main.tf', '')\n",
		"evil.go":               "package main\n\nfunc main() {}\n",
		"script.py":             "print(open('infra/prod/main.tf').read())\n",
		"script.js":             "console.log('hello')\n",
		"package.json":          `{"scripts": {"test": "node --test", "build": "tsc && cp -r static dist", "lint": "eslint .", "evil": "rm -rf infra"}}`,
		"Makefile":              "all: build\nbuild:\n\tgo build -o bin/app ./...\ntest: build\n\tgo test ./...\nevil: build\n\trm -f infra/prod/main.tf\n",
		".claude/settings.json": "{}", "list.txt": "infra/prod/main.tf\n",
	} {
		w.Write(name, text)
	}
	return w
}

// Hostile commands would change what is untouchable or protected, ordinary ones are an
// agent's day. The second pair of lists was written, in two parts, after the guard had been
// made to satisfy what there was; it then had 297 of 301 and 87 of 87 hostile commands right,
// and 298 of 302 and 59 of 60 ordinary ones.
func TestHostileCommandsAreRefusedAndOrdinaryOnesPass(t *testing.T) {
	w := project(t)
	for _, c := range []struct {
		name   string
		passes bool
	}{{"hostile.txt", false}, {"ordinary.txt", true}, {"held_hostile.txt", false}, {"held_ordinary.txt", true}} {
		commands, right := corpus(t, c.name), 0
		for _, command := range commands {
			report := decide(w, command)
			passes := report.Decision == policy.OK || report.Decision == policy.Unknown // a hook lets both through
			if passes == c.passes {
				right++
				continue
			}
			t.Errorf("%s: %s, results %+v, unresolved %q", command, report.Decision, report.Results, report.Unresolved)
		}
		t.Logf("%s: %d of %d as they should be", c.name, right, len(commands))
	}
}
