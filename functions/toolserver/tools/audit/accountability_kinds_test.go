package audit_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
)

// findings are the findings as lines: type, path, line and message.
func findings(w *guardtest.World, arguments string) string {
	w.Helper()
	var all []string
	for _, f := range account(w, arguments).Findings {
		if len(f.ID) != 12 || len(f.Fingerprint) != 12 || f.Hint == "" || f.Message == "" || f.Severity == "" {
			w.Errorf("incomplete: %+v", f)
		}
		all = append(all, fmt.Sprintf("%s %s:%d %s", f.Type, f.Path, f.Line, f.Message))
	}
	return strings.Join(all, "\n")
}

// A setting is known by its whole path, so that values of other sections do not count.
func TestPlaceholdersAreFoundByTheirPathInEveryFormat(t *testing.T) {
	for name, c := range map[string]struct{ now, before, where string }{
		"app.json": {"{\n\t\"db\": {\"password\": \"real-one-9x8c7v\"},\n\t\"mail\": {\n\t\t\"password\": \"changeme\"\n\t}\n}", `{"mail":{"password":"` + secret + `"},"db":{"password":"old-one-1q2w3e"}}`, "4 mail/password"},
		"app.yaml": {"db:\n  password: real-one-9x8c7v\nmail:\n  - password: changeme\n", "mail: [{password: " + secret + "}]\n", "4 mail/0/password"},
		"app.toml": {"[db]\npassword = \"real-one-9x8c7v\"\n[mail.smtp]\npassword = 'changeme'\n", "[mail.smtp]\npassword = '" + secret + "'\n", "4 mail/smtp/password"},
		".env":     {"A=1\nexport API_KEY=changeme\n", "API_KEY=" + secret + "\n", "2 API_KEY"},
		"bad.json": {"// a comment\n\"api_key\": \"changeme\",\n", "\"api_key\": \"" + secret + "\"\n", "2 api_key"},
	} {
		w := guardtest.New(t, map[string]string{name: c.now, "backups/" + name: c.before})
		want := "PLACEHOLDER_WITH_REAL_BACKUP " + name + ":" + c.where + " is a placeholder here and has a value in backups/" + name
		if got := findings(w, `{"scope":"credentials"}`); got != want || strings.Contains(got, secret) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		w.Write(name, c.before)
		if got := findings(w, `{"scope":"credentials"}`); got != "" {
			t.Errorf("%s with its value: %q", name, got)
		}
	}
}

// A committed file counts as an earlier version, too; no program is run to read it.
func TestTheLastCommitIsAnEarlierVersion(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: make setup")
	}
	w := guardtest.New(t, map[string]string{"conf/app.yaml": "api_key: " + secret + "\n", "config.json": "{\"size\": 7}\n", "config.example.json": "{\"size\": 0}\n"})
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "x"}} {
		c := exec.Command("git", args...)
		c.Dir = w.Dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	if got := findings(w, `{}`); got != "" {
		t.Errorf("as committed: %s", got)
	}
	w.Write("conf/app.yaml", "api_key: <your key>\n")
	w.Write("config.json", "{\"size\": 0}\n")
	const want = "PLACEHOLDER_WITH_REAL_BACKUP conf/app.yaml:1 api_key is a placeholder here and has a value in the last commit\n" +
		"DEFAULT_CONFIG_OVER_POPULATED config.json:0 is the same as config.example.json, while the last commit is filled"
	if got := findings(w, `{"path":"."}`); got != want {
		t.Errorf("%s", got)
	}
	w.Write(".git/HEAD", "damaged")
	if a := account(w, `{"scope":"credentials"}`); len(a.Skipped) != 1 || !strings.Contains(a.Skipped[0], "last commit") {
		t.Errorf("a repository that cannot be read: %+v", a)
	}
}

// program is a text of many different words.
func program(from int) string {
	var b strings.Builder
	for i := range 120 {
		fmt.Fprintf(&b, "value%d = compute%d(input%d, %d)\n", from+i, from+i, from+i, i)
	}
	return b.String()
}

func TestANewFileThatIsMostlyAnotherOneIsACopy(t *testing.T) {
	now := time.Now()
	w := guardtest.New(t, map[string]string{
		"service.py": program(0), "other.py": program(5000), "notes.txt": program(0),
		"a_new_service.py": strings.Replace(program(0), "value60 = compute60(input60, 60)", "return None", 1), "half.py": program(0)[:len(program(0))/2] + program(9000)[:len(program(9000))/2],
		"a_twin.py": program(5000),
	})
	w.Time = now
	for _, old := range []string{"service.py", "other.py", "notes.txt"} {
		if err := os.Chtimes(filepath.Join(w.Dir, old), now.Add(-100*time.Hour), now.Add(-100*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	got := findings(w, `{"scope":"duplicates"}`)
	const want = "POTENTIAL_DUPLICATE a_new_service.py:0 is to 97 of 100 the same as service.py\nPOTENTIAL_DUPLICATE a_twin.py:0 has the content of other.py"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := findings(w, `{"scope":"duplicates","since":"2100-01-01T00:00:00Z"}`); got != "" {
		t.Errorf("old files: %s", got)
	}
}

// Work that began with the handoff of the last session is looked at as a whole, even
// if that is days ago.
func TestTheTimeLookedAtBeginsWithTheLastHandoff(t *testing.T) {
	w := guardtest.New(t, map[string]string{"deploy.sh": "make || true\n", "SESSION_HANDOFF.md": "# Handoff\n"})
	w.Time = time.Now()
	at := func(name string, age time.Duration) {
		t.Helper()
		if err := os.Chtimes(filepath.Join(w.Dir, name), w.Time.Add(-age), w.Time.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	at("deploy.sh", 50*time.Hour)
	if got := findings(w, `{}`); got != "" {
		t.Errorf("after a fresh handoff: %s", got)
	}
	at("SESSION_HANDOFF.md", 72*time.Hour)
	if got := findings(w, `{}`); got != "RECENT_WORKAROUND deploy.sh:1 ignores a failure" {
		t.Errorf("since an old handoff: %s", got)
	}
}

// More than the limits allow is never called clean.
func TestASearchThatEndsEarlyIsNotClean(t *testing.T) {
	files := map[string]string{"governance.yaml": "limits: {max_findings: 2}\n"}
	for i := range 4 {
		files[fmt.Sprintf("d%d.sh", i)] = "x || true\n"
	}
	w := guardtest.New(t, files)
	w.Time = time.Now()
	if a := account(w, `{}`); a.Total != 2 || !a.Truncated || strings.Join(a.Limits, "") != "max_findings" || a.Status != "suspicious" {
		t.Errorf("%+v", a)
	}
}

// D19: a word such as redact in a line hides nothing, and no secret is shown for it.
func TestD19AWordInALineHidesNoFinding(t *testing.T) {
	w := guardtest.New(t, map[string]string{"run.sh": "TOKEN=" + secret + " make || true # redact, nosec, example\n"})
	w.Time = time.Now()
	a := account(w, `{}`)
	if len(a.Findings) != 1 || strings.Contains(a.Findings[0].Evidence, secret) || !strings.Contains(a.Findings[0].Evidence, "|| true") {
		t.Errorf("%+v", a.Findings)
	}
}
