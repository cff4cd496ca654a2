package audit_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/audit"
)

func account(w *guardtest.World, arguments string) audit.Accountability {
	w.Helper()
	var answer audit.Accountability
	w.Call(audit.CheckAccountability(w.Workspace, w.Now), arguments, &answer)
	return answer
}

const secret = "Zk39fjQw02mVbx81aaPq"

func TestFabricationsAreFoundWithoutTheirValues(t *testing.T) {
	long := strings.Repeat("func handle() { return compute() }\n", 3)
	w := guardtest.New(t, map[string]string{
		".env": "API_KEY=changeme\nPORT=8080\n", "backups/.env": "API_KEY=" + secret + "\nPORT=8080\n",
		"config.json": "{\"mode\": \"example\", \"size\": 1}\n", "config.example.json": "{\"mode\": \"example\", \"size\": 1}\n", "config.json.bak": "{\"mode\": \"real\", \"size\": 7}\n",
		"server.go": long, "server-v2.go": long + "// x\n", "t-twin.go": long,
		"deploy.sh": "make test || true\ngit commit --no-verify\n", "a_test.go": "func TestA(t *testing.T) { t.Skip(\"later\") }\n",
		"README.md": "never write || true\n",
	})
	w.Time = time.Now()
	if err := os.Chtimes(filepath.Join(w.Dir, "server.go"), w.Time, w.Time.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	a := account(w, `{}`)
	var got []string
	for _, f := range a.Findings {
		got = append(got, f.Type+" "+f.Path)
	}
	want := "PLACEHOLDER_WITH_REAL_BACKUP .env,TEST_WEAKENED a_test.go,DEFAULT_CONFIG_OVER_POPULATED config.json,RECENT_WORKAROUND deploy.sh,RECENT_WORKAROUND deploy.sh,POTENTIAL_DUPLICATE server-v2.go,POTENTIAL_DUPLICATE t-twin.go"
	if list := strings.Join(got, ","); list != want || a.Status != "FABRICATION_DETECTED" || a.Fabrications != 2 {
		t.Errorf("%s: %s\nwant %s", a.Status, list, want)
	}
	if text, err := json.Marshal(a); err != nil || strings.Contains(string(text), secret) || strings.Contains(string(text), w.Dir) {
		t.Errorf("%s %v", text, err)
	}
	if one := account(w, `{"scope":"workarounds"}`); one.Status != "suspicious" || one.Total != 3 {
		t.Errorf("%+v", one)
	}
	if later := account(w, `{"scope":"workarounds","since":"2100-01-01T00:00:00Z"}`); later.Status != "clean" {
		t.Errorf("%+v", later)
	}
}

func TestAnEmptyFolderIsNotCalledClean(t *testing.T) {
	w := guardtest.New(t, map[string]string{"empty/": ""})
	if a := account(w, `{}`); a.Status != "not_checked" {
		t.Errorf("%+v", a)
	}
}

// D5: a path is neither a command nor a way out.
func TestD5ThePathIsOnlyAFolder(t *testing.T) {
	w := guardtest.New(t, map[string]string{"a": "x"})
	for path, code := range map[string]string{"$(touch pwned)": "not_found", "; touch pwned": "not_found", "../..": "path_outside_workspace", "/etc": "path_outside_workspace"} {
		if e := w.Refused(audit.CheckAccountability(w.Workspace, w.Now), `{"path":"`+path+`"}`); e.Code != code {
			t.Errorf("%s: %v", path, e)
		}
	}
	if _, err := os.Stat(filepath.Join(w.Dir, "pwned")); err == nil {
		t.Error("the path was run")
	}
}
