package audit_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/audit"
)

const planted = "Zk39fjQw02mVbx81aaPq"

func insecure(t *testing.T) *guardtest.World {
	w := guardtest.New(t, map[string]string{
		"governance.yaml":       "version: 1\nwebsite: {root: web}\nsecurity:\n  modes: {\"keys/**\": \"0600\"}\n",
		"src/a.ts":              "const apiKey = \"" + planted + "\";\n",
		"src/redact.ts":         "const redact = { token: \"" + planted + "\" }; // redact\n",
		"web/app.js":            "const token = \"" + planted + "\";\n",
		"config.yaml":           "api: http://api.service.io/v1\nlocal: http://localhost:8080\ninsecureSkipVerify: true\nlisten: 0.0.0.0:8080\n",
		"nginx.conf":            "server {\n  listen 80;\n  location / { proxy_pass http://app; }\n}\n",
		"nginx/ok.conf":         "server {\n  listen 80;\n  return 301 https://$host$request_uri;\n}\nserver {\n  listen 443 ssl;\n  limit_req zone=a;\n  location / { proxy_pass http://app; }\n}\n",
		"keys/a.key":            "x",
		".mcp.json":             `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "some-server"]}}}`,
		"run.sh":                "#!/bin/sh\n",
		"docs/README.md":        "The key is kept elsewhere.\n",
		"package-lock.json":     `{"integrity": "sha512-abc"}`,
		"k8s/ingress.yaml":      "kind: Ingress\nmetadata: {}\n",
		"public-docs/notes.txt": "nothing\n",
	})
	for name, mode := range map[string]os.FileMode{"keys/a.key": 0o640, "run.sh": 0o777} {
		if err := os.Chmod(filepath.Join(w.Dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func secure(w *guardtest.World, arguments string) audit.Security {
	w.Helper()
	var answer audit.Security
	w.Call(audit.SecurityAudit(w.Workspace, w.Now), arguments, &answer)
	return answer
}

func rulesOf(answer audit.Security) string {
	var list []string
	for _, f := range answer.Vulnerabilities {
		list = append(list, f.Check+" "+f.Rule+" "+f.Path)
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

func TestWhatMakesAProjectEasyToAttackIsFound(t *testing.T) {
	w := insecure(t)
	answer := secure(w, `{}`)
	want := strings.TrimSpace(`
exposed keyed-secret web/app.js
mcp_config MCP003 .mcp.json
permissions mode-not-as-set keys/a.key
permissions world-writable run.sh
rate_limit missing-rate-limit k8s/ingress.yaml
rate_limit missing-rate-limit nginx.conf
secrets keyed-secret src/a.ts
secrets keyed-secret src/redact.ts
tls certificate-not-verified config.yaml
tls http-endpoint config.yaml
tls listener-on-any config.yaml
tls proxy-without-tls nginx.conf`)
	if got := rulesOf(answer); got != want || answer.Status != "vulnerabilities_found" {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, f := range answer.Vulnerabilities {
		if strings.Contains(f.Message+f.Evidence+f.Hint+f.Fingerprint, planted) {
			t.Errorf("the value is shown: %+v", f)
		}
	}
}

// D19: a line is not left out because it contains the word redact. Only a person leaves a
// finding out: by its fingerprint, with a reason, until a day.
func TestOnlyAFingerprintLeavesAFindingOut(t *testing.T) {
	w := insecure(t)
	found := secure(w, `{"checks":["secrets"],"path":"src/redact.ts"}`)
	if len(found.Vulnerabilities) != 1 {
		t.Fatalf("D19: %+v", found)
	}
	exception := "security: {secret_allow: [{fingerprint: " + found.Vulnerabilities[0].Fingerprint + ", reason: a test, expires: "

	w.Write("governance.yaml", "version: 1\n"+exception+"2027-01-01}]}\n")
	if answer := secure(w, `{"checks":["secrets"],"path":"src/redact.ts"}`); answer.Status != "secure" || answer.Allowed != 1 {
		t.Errorf("%+v", answer)
	}
	w.Write("governance.yaml", "version: 1\n"+exception+"2026-01-01}]}\n")
	if answer := secure(w, `{"checks":["secrets"],"path":"src/redact.ts"}`); answer.Status != "vulnerabilities_found" || answer.Allowed != 0 {
		t.Errorf("expired: %+v", answer)
	}
}

// D10: the website's folder is joined properly, so that its pages are read; and nothing is
// secure that was not looked at.
func TestNothingReadIsNotSecure(t *testing.T) {
	empty := guardtest.New(t, nil)
	if answer := secure(empty, `{}`); answer.Status != "not_checked" || len(answer.Skipped) == 0 {
		t.Errorf("%+v", answer)
	}
	w := insecure(t)
	w.Write("governance.yaml", "version: 1\nwebsite: {root: ./web}\n")
	if answer := secure(w, `{"checks":["exposed"]}`); answer.ByCheck["exposed"].Checked != 1 || answer.ByCheck["exposed"].Findings != 1 {
		t.Errorf("D10: %+v", answer)
	}
}

func TestBadInputOfASecurityAudit(t *testing.T) {
	w := insecure(t)
	for arguments, code := range map[string]string{
		`{"path":"../x"}`:      "path_outside_workspace",
		`{"path":"/etc"}`:      "path_outside_workspace",
		`{"path":"nowhere"}`:   "not_found",
		`{"checks":["nuts"]}`:  "invalid_argument",
		`{"checks":"secrets"}`: "invalid_argument",
	} {
		if e := w.Refused(audit.SecurityAudit(w.Workspace, w.Now), arguments); e.Code != code {
			t.Errorf("%s: %+v", arguments, e)
		}
	}
}
