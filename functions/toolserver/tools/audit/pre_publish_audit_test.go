package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/audit"
)

func published(w *guardtest.World, arguments string) audit.Publication {
	w.Helper()
	var answer audit.Publication
	w.Call(audit.PrePublishAudit(w.Workspace), arguments, &answer)
	return answer
}

func classesOf(answer audit.Publication) string {
	var list []string
	for _, f := range answer.Findings {
		list = append(list, fmt.Sprintf("%s:%d %s %s", f.Path, f.Line, f.Class, f.Rule))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

func TestOnlyWhatShipsIsLookedAt(t *testing.T) {
	leak := "const k = { apiKey: \"" + planted + "\" };\n"
	for name, files := range map[string]map[string]string{
		"npm package": {
			"package.json": `{"name": "x", "files": ["lib", "!lib/private.js"], "main": "main.js"}`,
			"lib/a.js":     leak, "lib/private.js": leak, "test/b.js": leak, "main.js": leak, ".npmrc": "//x/:_authToken=" + planted,
		},
		"go module": {
			"go.mod": "module x\n", "lib/a.go": "var apiKey = \"" + planted + "\"\n", "main.go": "var token = \"" + planted + "\"\n",
			"testdata/c.js": leak, "vendor/d.js": leak, "nested/go.mod": "module y\n", "nested/e.js": leak,
		},
		"container image": {
			"Dockerfile": "FROM scratch\nCOPY . .\n", ".dockerignore": "test\n*.log\n",
			"lib/a.js": leak, "main.js": leak, "test/b.js": leak, "x.log": leak,
		},
	} {
		w := guardtest.New(t, files)
		answer := published(w, `{}`)
		if answer.Basis != name || answer.Critical != 2 || answer.Status != "BLOCKED_critical_findings" {
			t.Errorf("%s: %s of %d files\n%s", name, answer.Basis, answer.Files, classesOf(answer))
		}
	}
}

func TestWhatShouldStayAtHomeIsFound(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"package.json": `{"name": "x"}`,
		"LICENSE":      "Copyright Anna Muster <anna@muster-mail.de>\n",
		"index.js": strings.Join([]string{
			`const a = "/home/anna/project/data";`,
			`const b = "anna.muster@firma-gmbh.de";`,
			`const c = "+49 170 9876543";`,
			`const d = "85.214.132.117";`,
			`const e = "DE89 3704 0044 0532 0130 00";`,
			`const f = { host: "db.prod.corp" };`,
			`const g = "Projekt Nachtfalter";`,
			`const version = "1.2.3.4";`,
			`const h = "support@example.com";`,
			`const i = "192.0.2.7";`,
			`const j = "/home/user/x";`,
			`a.internal.call();`,
			`const k = "10.0.0.7";`,
		}, "\n"),
		"README.md":       "Install it to /Users/anna.muster/bin.\n",
		"governance.yaml": "version: 1\npre_publish: {deny_terms: [nachtfalter]}\n",
	})
	answer := published(w, `{}`)
	want := strings.TrimSpace(`
README.md:1 hardcoded_path home-folder
index.js:1 hardcoded_path home-folder
index.js:2 personal_data email
index.js:3 personal_data phone
index.js:4 personal_data ip-address
index.js:5 personal_data iban
index.js:6 internal_naming internal-host
index.js:7 internal_naming denied-term`)
	if got := classesOf(answer); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	w.Write("governance.yaml", "version: 1\npre_publish: {allow: [\"/home/anna\", \"anna.muster\", \"+49 170\", \"85.214\", \"DE89\"]}\n")
	if answer := published(w, `{}`); answer.Status != "warnings_only" {
		t.Errorf("%s\n%s", answer.Status, classesOf(answer))
	}
}

// D7: only files of the workspace are read, and no line of them is returned as it is.
func TestBadInputOfAPrePublishAudit(t *testing.T) {
	w := guardtest.New(t, nil)
	if answer := published(w, `{}`); answer.Status != "not_checked" {
		t.Errorf("%+v", answer)
	}
	for arguments, code := range map[string]string{
		`{"source_file":"../../etc/passwd"}`: "path_outside_workspace",
		`{"source_file":"/etc/passwd"}`:      "path_outside_workspace",
		`{"source_file":"nowhere"}`:          "not_found",
		`{"path":"nowhere"}`:                 "not_found",
		`{"path":1}`:                         "invalid_argument",
	} {
		if e := w.Refused(audit.PrePublishAudit(w.Workspace), arguments); e.Code != code {
			t.Errorf("%s: %+v", arguments, e)
		}
	}
}
