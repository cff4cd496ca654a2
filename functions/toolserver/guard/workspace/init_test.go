package workspace_test

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Each kind of project gets a file that can be read, that fits it, and that decides about
// its files at once.
func TestTheDraftFitsEachKindOfProject(t *testing.T) {
	for kind, c := range map[string]struct {
		files                []string
		blocked, guarded, ok string
		without              string
	}{
		"go service":     {[]string{"go.mod", "main.go", "infra/prod/main.tf", "docs/adr/1.md"}, "infra/prod/main.tf", "go.mod", "main.go", "package.json"},
		"node website":   {[]string{"package.json", "public/index.html", "node_modules/x/package.json", ".env"}, ".env", "package.json", "public/index.html", "go.mod"},
		"python package": {[]string{"pyproject.toml", "requirements-dev.txt", "src/a.py", "db/migrations/1.py"}, "config/.env", "db/migrations/1.py", "src/a.py", "Cargo.toml"},
		"rust crate":     {[]string{"Cargo.toml", "src/lib.rs", "keys/a.pem"}, "keys/a.pem", "Cargo.toml", "src/lib.rs", "pyproject"},
		"java service":   {[]string{"pom.xml", "src/A.java", "deploy/Dockerfile"}, "x.key", "deploy/Dockerfile", "src/A.java", "go.mod"},
		"terraform":      {[]string{"main.tf", "prod/terraform.tfstate", "prod/live.tfvars"}, "prod/terraform.tfstate", "", "main.tf", "package.json"},
		"nothing yet":    {nil, "a/.env", "", "a", "docs:"},
		"odd names":      {[]string{"a b/c'd.txt", "{x}/[y].md", "AGENTS.md", "web/index.html"}, "k.pem", "", "a b/c'd.txt", "go.mod"},
	} {
		t.Run(kind, func(t *testing.T) {
			files := map[string]string{}
			for _, name := range c.files {
				files[name] = "x"
			}
			w, dir := open(t, files)
			text, err := w.Draft(`a "quoted" name: x`)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := w.Draft(`a "quoted" name: x`); err != nil || again != text {
				t.Errorf("a second draft differs (%v)", err)
			}
			if err := w.WriteFile(workspace.FileName, []byte(text)); err != nil {
				t.Fatal(err)
			}
			s, err := w.Load()
			if err != nil || !s.Configured || s.Config.Project.Name != `a "quoted" name: x` || strings.Contains(text, dir) || strings.Contains(text, c.without) || strings.Contains(text, "\t") {
				t.Fatalf("%v\n%s", err, text)
			}
			for path, want := range map[string]policy.Decision{c.blocked: policy.Blocked, c.guarded: policy.Protected, c.ok: policy.OK, "governance.yaml": policy.Blocked, ".claude/settings.json": policy.Blocked} {
				if path == "" {
					continue
				}
				if got, _ := s.Policy.Decide(path); got != want {
					t.Errorf("%s: %s, want %s\n%s", path, got, want, text)
				}
			}
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "untouchable") || strings.HasPrefix(line, "protected") {
					return
				}
			}
			t.Errorf("no lists:\n%s", text)
		})
	}
}

// Files that the older service protected are untouchable in the new file.
func TestTheDraftTakesTheOlderListsOver(t *testing.T) {
	w, dir := open(t, map[string]string{"api/server.js": "x", "web/index.html": "x"})
	for name, text := range map[string]string{"UNTOUCHABLE.txt": "# files\n" + dir + "/api/server.js (live)\n\n", "nervous-system.config.json": `{"protected_files_list":"` + dir + `/UNTOUCHABLE.txt","html_dir":"` + dir + `/web","archive_dir":"old"}`} {
		if err := w.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := w.Draft("acme")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteFile(workspace.FileName, []byte(text)); err != nil {
		t.Fatal(err)
	}
	s, err := w.Load()
	if err != nil || s.Config.Website.Root != "web" || strings.Contains(text, dir) {
		t.Fatalf("%v\n%s", err, text)
	}
	if got, _ := s.Policy.Decide("api/server.js"); got != policy.Blocked {
		t.Errorf("%s\n%s", got, text)
	}
	for _, bad := range []string{"{", `{"protected_files_list":"/etc/passwd"}`, `{"protected_files_list":"none.txt"}`} {
		w, _ := open(t, map[string]string{"nervous-system.config.json": bad})
		if _, err := w.Load(); err == nil || !strings.Contains(err.Error(), "nervous-system.config.json") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
