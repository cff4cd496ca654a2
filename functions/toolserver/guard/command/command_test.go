package command_test

import (
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/command"
)

// project is a folder in memory.
type project map[string]string

func (p project) Read(name string) ([]byte, bool) {
	text, ok := p[strings.TrimPrefix(name, "/project/")]
	return []byte(text), ok
}

func (p project) IsFolder(name string) bool {
	for file := range p {
		if strings.HasPrefix(file, strings.TrimPrefix(name, "/project/")+"/") {
			return true
		}
	}
	return false
}

func (p project) scene() command.Scene {
	return command.Scene{Dir: "/project", Home: "/home/tester", Top: "/project", Files: p}
}

// paths are what a command writes, in order.
func paths(a command.Analysis) (list []string) {
	for _, w := range a.Writes {
		if w.Into { // only if the folder is there
			continue
		}
		list = append(list, w.Path)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// A command is followed to the files that it writes, from each folder in which it may be.
func TestACommandIsFollowedToItsFiles(t *testing.T) {
	files := project{
		"run.sh":        "#!/bin/sh\nout=${1:-build}\ncp a.txt \"$out/a.txt\"\n",
		"lib.sh":        "put() { echo x > \"$1\"; }\n",
		"Makefile":      "include rules.mk\nOUT = made\nall:\n\techo x > $(OUT)/all\n",
		"rules.mk":      "first:\n\techo x > first.txt\n",
		"package.json":  `{"scripts": {"prebuild": "rm old", "build": "echo x > built"}}`,
		"list":          "one\ntwo\n",
		"write.sed":     "s/a/b/w seds\n",
		"write.awk":     "{ print > \"awks\" }\n",
		"change.diff":   "--- a/changed\n+++ b/changed\n@@ -1 +1 @@\n-a\n+b\n",
		"sub/x/file.go": "package x\n",
	}
	for text, want := range map[string]string{
		"echo x > a; echo y > b":                          "a b",
		"if test -d sub; then cd sub; fi; rm a":           "a sub/a",
		"cd sub && rm a":                                  "sub/a",
		"cd sub & rm a":                                   "a",
		"(cd sub); rm a":                                  "a",
		"cd sub; cd -; rm a":                              "a",
		"command cd sub; rm a":                            "sub/a",
		"f() { cd sub; }; rm a":                           "a",
		"for f in a b; do rm $f.txt; done":                "a.txt b.txt",
		"x=a; if true; then x=b; fi; rm $x":               "a b",
		"x=a; f() { local x=b; }; f; rm $x":               "a",
		"rm $(cat list)":                                  "one two",
		"xargs rm < list":                                 "one two",
		"while read -r f; do rm \"$f\"; done < list":      "one two",
		"sh run.sh":                                       "build/a.txt",
		"sh run.sh made":                                  "made/a.txt",
		". ./lib.sh; put a":                               "a",
		"make all":                                        "made/all",
		"make OUT=x all":                                  "x/all",
		"make":                                            "first.txt",
		"npm run build":                                   "built old",
		"sed -n -f write.sed a":                           "seds",
		"awk -f write.awk a":                              "awks",
		"patch -p1 < change.diff":                         "changed",
		"git apply change.diff":                           "changed",
		"find . -name '*.go' -exec rm {} \\;":             "./**/*.go",
		"f=a.txt; rm \"${f%.txt}.md\"":                    "a.md",
		"ln -s a b; echo x > b":                           "a b",
		"rm ~/notes; rm $HOME/notes2":                     "/home/tester/notes /home/tester/notes2",
		"true || cd sub; rm a":                            "a sub/a",
		"set -- a b; shift; rm $1":                        "a b",
		"trap 'rm \"$t\"' EXIT; t=a":                      "a",
		"python3 -c 'print(1 > 0)'":                       "",
		"sed 's/a/w b/' c":                                "",
		"awk '{ print ($1 > 2) }' a":                      "",
		"git restore -- ':/a'":                            "/project/a",
		"tar cf a.tar sub":                                "a.tar",
		"case x in y) cd sub;; esac; rm a":                "a sub/a",
		"gcc -MMD -MF deps.d -c x.c -o x.o":               "deps.d x.o",
		"F=a eval 'rm $F'":                                "a",
		"readonly x=a\nx=b\nrm $x":                        "a",
		"echo a | while read f; do rm $f; done":           "a",
		"mapfile -t l < list; rm \"${l[@]}\"":             "one two",
		"strace -qo trace true":                           "trace",
		"pushd -n sub; rm a":                              "a",
		"echo x > /dev/null; echo y > /dev/../project/a":  "/dev/../project/a",
		"X=1 sh -c 'rm $X'":                               "1",
		"git stash; echo x > a":                           "a",
		"printf 'a\\nb\\n' | xargs -I{} cp {} sub/{}.bak": "sub/a.bak sub/b.bak",
	} {
		analysis, err := command.Analyze(text, files.scene())
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(paths(analysis), " "); got != want || len(analysis.Unresolved) > 0 {
			t.Errorf("%s: writes %q, want %q; unresolved %q", text, got, want, analysis.Unresolved)
		}
	}
}

// What cannot be known is said to be hidden.
func TestWhatIsHiddenIsSaid(t *testing.T) {
	files := project{"evil.py": "x"}
	for _, text := range []string{
		"rm $X", "rm \"$(base64 -d x)\"", "cd $X; rm a", "eval $X", "x=$(unknown); rm $x", "read x; rm $x", "read x < /nowhere; rm ${x:-a}", "git -C $X reset --hard", "python3 -c \"$CODE\"",
		"sed \"$X\" a", "awk 'BEGIN { system(x) }'", "awk '{ print > $1 }'", "tar xf x.tar --to-command=x", "printf x > json.py; python3 -c 'import json'", "find . -name x -exec sh {} \\;",
		"git symbolic-ref HEAD refs/heads/x; git reset --hard", "LD_PRELOAD=x ls", "GOFLAGS=-toolexec=x go build", "PERL5OPT=-Mx perl -v",
	} {
		analysis, err := command.Analyze(text, files.scene())
		if err == nil && len(analysis.Unresolved) == 0 {
			t.Errorf("%s: nothing is unresolved, writes %v", text, paths(analysis))
		}
	}
}

// FuzzProgramsAreReadWithoutAPanic reads foreign texts as each language that a command may hold.
func FuzzProgramsAreReadWithoutAPanic(f *testing.F) {
	for _, seed := range []string{
		"s/a/b/w x", "$!{N;s/[/]/\\//e;}", "a\\", "{ print > \"x\" NR }", "/[^]/\"]/ { \"x\" | getline }", "import os.path as p, json; print(f\"{p.join('a', 'b')}\")", "from x import (a as b,)", "open('x', mode=",
		"const {a: b} = require('fs'); `${x[`y`]}`", "s{a}{b}ee; tr/a/b/; m/(?{})/", "all: a\n\t$(call x,$(shell y))\ninclude z\ndefine q\n", `{"scripts": {"a": "b"}}`, "--- a\n+++ b\n@@ -1 +1 @@\n", "diff --git a b\nrename to c",
		"PK\x03\x04", "\x1f\x8b", "BZh9", "${x", "$(", "\xff\xfe",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		files := project{
			"p.sed": text, "p.awk": text, "p.sh": text, "Makefile": text, "package.json": text, "p.diff": text, "p.tar": text, "p.zip": text, "list": text,
		}
		quoted := "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
		for _, line := range []string{
			"sed -f p.sed a", "awk -f p.awk a", "sh p.sh a b", "make", "make x", "npm run a", "patch < p.diff", "git apply p.diff", "tar xf p.tar", "unzip p.zip", "xargs rm < list",
			"python3 -c " + quoted, "node -e " + quoted, "perl -pe " + quoted, "sh -c " + quoted, text,
		} {
			_, _ = command.Analyze(line, files.scene()) // bash may not be able to read it
		}
	})
}
