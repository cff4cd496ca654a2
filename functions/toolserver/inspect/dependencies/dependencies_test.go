package dependencies

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func tree(files map[string]string) Tree {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return Tree{
		Read:   func(name string, _ int64) ([]byte, error) { return fs.ReadFile(m, name) },
		Exists: func(name string) bool { info, err := fs.Stat(m, name); return err == nil && info.Mode().IsRegular() },
		List: func(folder string) (names []string) {
			entries, _ := fs.ReadDir(m, folder)
			for _, e := range entries {
				names = append(names, e.Name())
			}
			return names
		},
	}
}

// paths are those of a graph, with a mark before those that are missing.
func paths(g *Graph) (list []string) {
	for _, f := range g.Files {
		name := f.Path
		if !f.Exists {
			name = "!" + name
		}
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

func TestTheFilesThatAProgramNeeds(t *testing.T) {
	for name, tc := range map[string]struct {
		files                  map[string]string
		entry, want            string
		env, unresolved, cycle string
	}{
		"javascript": {map[string]string{
			"api/server.js": "import { a } from './a.js'\nimport './side'\nimport x, {\n y } from \"../lib\"\nconst b = require('./b'), c = require(\"express\"), n = require('fs/promises')\n// import './commented'\n/* require('./also') */\nconst s = \"// no comment: \"; export * from './gone.js'\nawait import('./late.mjs'); fs.readFileSync('config/api.json'); process.env.PORT + process.env['TOKEN']; require('leftpad')",
			"api/a.js":      "import './server.js'", "api/side.ts": "", "lib/index.js": "import type { T } from './types.js'", "lib/types.ts": "", "api/b.json": "{}", "api/late.mjs": "",
			"package.json": `{"dependencies":{"express":"1"}}`,
		}, "api/server.js", "!api/gone.js !config/api.json api/a.js api/b.json api/late.mjs api/server.js api/side.ts lib/index.js lib/types.ts", "PORT TOKEN", "api/server.js: leftpad", "api/server.js -> api/a.js -> api/server.js"},
		"python": {map[string]string{
			"bot/main.py":   "import os, helper\nfrom .tools import (one, two)\nfrom . import near, gone\nimport lib.deep as d\n\"\"\"\nimport nothing\n\"\"\"\n# import no\nopen('data/x.csv')\nos.environ['KEY'] + os.getenv(\"MODE\")\nfrom ..top import z",
			"bot/helper.py": "", "bot/tools/__init__.py": "", "bot/tools/one.py": "", "bot/near.py": "from .main import x", "lib/deep.py": "", "data/x.csv": "", "top.py": "",
		}, "bot/main.py", "!bot/gone.py bot/helper.py bot/main.py bot/near.py bot/tools/__init__.py bot/tools/one.py data/x.csv lib/deep.py top.py", "KEY MODE", "", "bot/main.py -> bot/near.py -> bot/main.py"},
		"go": {map[string]string{
			"go.mod": "module example.com/shop\n", "cmd/api/main.go": "package main\nimport (\"os\"; \"example.com/shop/store\"; \"example.com/shop/gone\"; \"example.com/other\")\nfunc main() { os.Getenv(\"PORT\"); os.ReadFile(\"config.yaml\"); store.X() }",
			"cmd/api/more.go": "package main", "cmd/api/main_test.go": "package main\nimport _ \"example.com/shop/tests\"", "store/store.go": "package store", "config.yaml": "",
		}, "cmd/api/main.go", "!gone cmd/api/main.go cmd/api/more.go config.yaml store/store.go", "PORT", "", ""},
		"nothing there": {map[string]string{}, "api.js", "!api.js", "", "", ""},
		"out of it":     {map[string]string{"a.js": "require('../../etc/passwd'); readFile('/etc/passwd'); readFile('../x')"}, "a.js", "a.js", "", "a.js: ../../etc/passwd", ""},
	} {
		g := Of(tree(tc.files), tc.entry)
		if got := strings.Join(paths(g), " "); got != tc.want {
			t.Errorf("%s: files\n%s, want\n%s", name, got, tc.want)
		}
		if got := strings.Join(g.Env, " ") + "|" + strings.Join(g.Unresolved, " ") + "|" + strings.Join(g.Cycles, " "); got != tc.env+"|"+tc.unresolved+"|"+tc.cycle {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestUnreadableFilesAreReported(t *testing.T) {
	g := Of(tree(map[string]string{"a.go": "no go at all"}), "a.go")
	if len(g.Unread) != 1 || !strings.Contains(g.Unread[0], "a.go") {
		t.Errorf("%+v", g)
	}
	if Reads("a.rb") || !Reads("a.ts") {
		t.Error("which languages are read")
	}
}

func FuzzGraph(f *testing.F) {
	f.Add("import './a'\nrequire(`x`)//", uint8(0))
	f.Add("from . import a\nimport a", uint8(1))
	f.Add("package a\nimport \"x/a\"", uint8(2))
	f.Fuzz(func(t *testing.T, text string, kind uint8) {
		entry := "d/a" + []string{".js", ".py", ".go"}[kind%3]
		for _, each := range Of(tree(map[string]string{entry: text, "go.mod": "module x"}), entry).Files {
			if strings.HasPrefix(each.Path, "/") || strings.HasPrefix(each.Path, "..") || each.Path == "" {
				t.Errorf("%q needs %q", text, each.Path)
			}
		}
	})
}
