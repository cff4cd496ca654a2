package reconcile_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// git runs git in the project, at a time.
func (p *project) git(at time.Time, stdin string, args ...string) string {
	p.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Stdin = p.Dir, strings.NewReader(stdin)
	when := at.Format(time.RFC3339)
	c.Env = append(os.Environ(),
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE="+when,
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE="+when)
	out, err := c.CombinedOutput()
	if err != nil {
		p.Fatalf("git %v: %v %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *project) commitAll() {
	p.git(p.Time, "", "add", "-A", ":!.governance")
	p.git(p.Time, "", "commit", "-qm", "x")
}

// A commit may hold a governed file in a state that the working tree never had.
func TestACommitOfWhatNoEntryExplainsIsFound(t *testing.T) {
	p := newProject(t)
	p.git(p.Time, "", "init", "-q")
	p.Time = p.Time.Add(-time.Minute)
	p.commitAll()
	p.Time = p.Time.Add(2 * time.Minute)

	p.edit("go.mod", "module y\n")
	p.commitAll()
	if r := p.report(); !r.Complete {
		t.Errorf("an explained commit: %+v", r.Changes)
	}

	blob := p.git(p.Time, "module evil\n", "hash-object", "-w", "--stdin")
	p.git(p.Time, "", "update-index", "--cacheinfo", "100644,"+blob+",go.mod")
	tree := p.git(p.Time, "", "write-tree")
	commit := p.git(p.Time, "", "commit-tree", tree, "-p", "HEAD", "-m", "x")
	p.git(p.Time, "", "update-ref", "HEAD", commit)

	r := p.report()
	if found(r) != "go.mod" || r.Changes[0].Seen != "git" {
		t.Errorf("%+v", r.Changes)
	}
}
