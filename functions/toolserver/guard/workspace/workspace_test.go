package workspace_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

var update = flag.Bool("update", false, "rewrite the published schema")

func open(t testing.TB, files map[string]string) (*workspace.Workspace, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w, dir
}

func TestMistakesAreReportedWithTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"version: 1\nuntochable: []\n":         "line 2: untochable is no member; there are version",
		"version: 1\nversion: 1\n":             "line 2: version is there already, in line 1",
		"version: 2\n":                         "line 1: version must be a whole number from 1 to 1",
		"rules: {step_back_every: zero}\n":     "line 1: rules.step_back_every must be a whole number",
		"untouchable:\n  - a\n  - [b]\n":       "line 3: untouchable[1] must be a text",
		"untouchable:\n  - a\n  - \"{b\"\n":    "line 3: untouchable[1]: a brace is not closed",
		"limits: {tool_timeout: soon}\n":       "line 1: limits.tool_timeout: write a duration",
		"limits: {max_file_bytes: 2MB}\n":      "line 1: limits.max_file_bytes: write a size",
		"platforms: {features: {x: '('}}\n":    "line 1: platforms.features.x: the regular expression",
		"counts: [{name: x}]\n":                "line 1: counts[0].source is missing",
		"a: &x 1\n":                            "line 1: a is no member",
		"untouchable: &x [a]\nprotected: *x\n": "line 1: untouchable uses an anchor",
		"project: {root: ..}\n":                "project.root must be .",
		"dispatch: {enabled: perhaps}\n":       "line 1: dispatch.enabled must be true or false",
		"propagation: {mode: write}\n":         "line 1: propagation.mode must be one of apply, preview",
		"docs: [{path: a, check: [smell]}]\n":  "line 1: docs[0].check[0] must be one of",
		"untouchable: [a\n":                    "line ",
		"[]\n":                                 "line 1: the document must be members with names",
		strings.Repeat("#", 300<<10):           "more than 256 KiB",
		"rules:\n  extra:\n    - {id: a, rule: b}\n    - {id: c, rle: d}\n":    "line 4: rules.extra[1].rle is no member",
		"members: {targets: [{file: a, format: xml}]}\n":                       "line 1: members.targets[0].format must be one of json, yaml, text",
		"session: {sinks: {research: [a]}}\n":                                  "line 1: session.sinks.research must be a single value",
		"security: {secret_allow: [{fingerprint: a, reason: b}]}\nversion: 1 ": "line 1: security.secret_allow[0].expires is missing",
	} {
		_, err := workspace.Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// All keys of the contract are read, as YAML and as JSON.
func TestTheWholeFileIsRead(t *testing.T) {
	text, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := workspace.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if c.Untouchable[1] != (workspace.Glob{Pattern: "**/*.pem", Line: 3}) || c.Limits.MaxFileBytes != 2<<20 || c.Processes.Expected[0].Match.Cmd.String() != `node .*api\.js` || c.RolesSource.List != "/members" {
		t.Errorf("%+v", c)
	}
	fromJSON, err := workspace.Parse([]byte(`{"version":1,"untouchable":["a"],"rules":{"handoff_max_age":"1h"}}`))
	if err != nil || fromJSON.Untouchable[0].Pattern != "a" {
		t.Errorf("%+v %v", fromJSON, err)
	}
}

func TestThePublishedSchemaIsTheOneOfTheTypes(t *testing.T) {
	const file = "../../../../testdata/governance.schema.json"
	if *update {
		if err := os.WriteFile(file, workspace.Schema(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(published, workspace.Schema()) {
		t.Fatalf("the published schema is an older one (%v); run this test with -update", err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(published))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("urn:schema", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("urn:schema")
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(map[string]any{"version": 1, "untouchable": []any{"a"}}); err != nil {
		t.Error(err)
	}
	if err := compiled.Validate(map[string]any{"untochable": []any{"a"}}); err == nil {
		t.Error("the schema accepts a misspelled member")
	}
}

func TestWithoutAFileThingsAreDetected(t *testing.T) {
	w, _ := open(t, map[string]string{"README.md": "", "package.json": "{}", "site/index.html": ""})
	s, err := w.Load()
	if err != nil || s.Configured || s.Config.Website.Root != "site" || len(s.Config.Docs) != 1 || s.Config.Versions[0].Source.File != "package.json" || s.Config.Session.Handoff != "SESSION_HANDOFF.md" {
		t.Errorf("%+v %v", s, err)
	}
}

func TestTheOlderConfigurationIsTakenOver(t *testing.T) {
	w, dir := open(t, map[string]string{"a*b.js": "", "docs/OPS.md": "", "api/server.js": ""})
	for name, text := range map[string]string{
		"UNTOUCHABLE.txt":            "# list\n" + dir + "/api/server.js (the live one)\n" + dir + "/a*b.js # odd\n/etc/passwd\n",
		"nervous-system.config.json": `{"project_root":"` + dir + `","protected_files_list":"` + dir + `/UNTOUCHABLE.txt","docs_to_audit":["docs/OPS.md"]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := w.Load()
	if err != nil || !s.Configured || s.Source != "nervous-system.config.json" || len(s.Config.Untouchable) != 2 || s.Config.Docs[0].Path != "docs/OPS.md" {
		t.Fatalf("%+v %v", s.Config, err)
	}
	for path, want := range map[string]policy.Decision{"api/server.js": policy.Blocked, "a*b.js": policy.Blocked, "axb.js": policy.OK} {
		if got, _ := s.Policy.Decide(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	if err := os.Remove(filepath.Join(dir, "UNTOUCHABLE.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Load(); err == nil {
		t.Error("Load reports no error for a missing list")
	}
}

func TestTheDraftIsReadAndFitsTheProject(t *testing.T) {
	w, dir := open(t, map[string]string{"go.mod": "", "infra/prod/main.tf": "", "web/index.html": "", "AGENTS.md": ""})
	text, err := w.Draft("acme")
	if err != nil {
		t.Fatal(err)
	}
	c, err := workspace.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if c.Project.Name != "acme" || c.Website.Root != "web" || len(c.Docs) != 1 || !strings.Contains(text, `"infra/prod/**"`) || !strings.Contains(text, `"go.mod"`) || strings.Contains(text, "Cargo") || strings.Contains(text, dir) {
		t.Errorf("%s", text)
	}
}

func TestNothingOutsideIsReadOrWritten(t *testing.T) {
	w, dir := open(t, map[string]string{"in.txt": "in"})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"abs": secret, "rel": "../../../../../../../../" + secret, "dir": filepath.Dir(secret)} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"abs", "rel", "dir/secret", "../" + filepath.Base(filepath.Dir(secret)) + "/secret", secret, "x\x00y"} {
		if text, err := w.ReadFile(name, 100); err == nil {
			t.Errorf("%q read %q", name, text)
		} else if strings.Contains(err.Error(), dir) {
			t.Errorf("%q: the error tells the path: %v", name, err)
		}
		if name != "abs" && name != "rel" { // a link itself may be replaced
			if err := w.WriteFile(name, []byte("x")); err == nil {
				t.Errorf("%q was written", name)
			}
		}
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "secret" {
		t.Errorf("the file outside is %q (%v)", text, err)
	}
}

// Writing a file changes that file and no other, whatever lies beside it.
func TestWritingTouchesNoFileBeside(t *testing.T) {
	w, dir := open(t, map[string]string{"a": "old", "a.new": "beside", "b": "old", "kept": "kept"})
	if err := os.Symlink("kept", filepath.Join(dir, "b.new")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if err := w.WriteFile(name, []byte("new")); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"a": "new", "a.new": "beside", "b": "new", "b.new": "kept", "kept": "kept"} {
		if text, err := w.ReadFile(name, 100); err != nil || string(text) != want {
			t.Errorf("%s: %q (%v)", name, text, err)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 5 {
		t.Errorf("%v (%v)", list, err)
	}
}

func TestPipesAndLargeFilesAreRefused(t *testing.T) {
	w, dir := open(t, map[string]string{"large": strings.Repeat("x", 101)})
	if runtime.GOOS != "windows" {
		if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := w.ReadFile("pipe", 100); !errors.Is(err, workspace.ErrNotRegular) {
			t.Errorf("pipe: %v", err)
		}
	}
	if _, err := w.ReadFile("large", 100); !errors.Is(err, workspace.ErrTooLarge) {
		t.Errorf("large: %v", err)
	}
	if _, err := w.ReadFile(".", 100); !errors.Is(err, workspace.ErrNotRegular) {
		t.Errorf("folder: %v", err)
	}
	if _, err := w.ReadFile("none", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
}

// For any name, Read returns only files of the workspace, and Locate reports only names
// inside it as inside.
func FuzzPathsNeverEscape(f *testing.F) {
	for _, seed := range []string{"a", "../secret", "in/../../secret", "link/secret", "up/secret", "/etc/passwd", "in/./..//../secret", "loop/x", "e\u0301", "A", "in//a", "abs", "link/../secret", strings.Repeat("in/../", 200) + "../secret"} {
		f.Add(seed)
	}
	base := f.TempDir()
	dir := filepath.Join(base, "root")
	if err := os.MkdirAll(filepath.Join(dir, "in"), 0o700); err != nil {
		f.Fatal(err)
	}
	for name, text := range map[string]string{"secret": "outside", "root/in/a": "inside", "root/a": "inside"} {
		if err := os.WriteFile(filepath.Join(base, name), []byte(text), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link": "..", "up": "in/../..", "loop": "loop", "abs": filepath.Join(base, "secret"), "in/back": "../in"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			f.Fatal(err)
		}
	}
	w, err := workspace.Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if text, err := w.ReadFile(name, 1<<20); err == nil && string(text) != "inside" {
			t.Fatalf("%q read %q", name, text)
		}
		p, err := w.Locate(".", name)
		if err != nil {
			return
		}
		leaves := func(name string) bool { return name == ".." || strings.HasPrefix(name, "../") }
		if leaves(p.Name) || leaves(p.Real) || filepath.IsAbs(p.Name) || filepath.IsAbs(p.Real) {
			t.Fatalf("%q is %+v", name, p)
		}
		full := name
		if !filepath.IsAbs(full) {
			full = dir + "/" + name
		}
		if real, err := filepath.EvalSymlinks(full); err == nil {
			inside := real == dir || strings.HasPrefix(real, dir+"/")
			if inside != (p.Real != "") {
				t.Fatalf("%q leads to %q, inside %v: %+v", name, real, inside, p)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("version: 1\nuntouchable: [a]\n")
	f.Add("a: &a [*a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = workspace.Parse([]byte(text))
	})
}
