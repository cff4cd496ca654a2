package reconcile_test

import (
	"os/exec"
	"testing"
)

// What an approved command does to the files that it names is explained, and what happens to
// other governed files meanwhile is not.
func TestWhatApprovedCommandsDoIsExplained(t *testing.T) {
	for _, command := range []string{
		"mv docs/a.md docs/z.md",
		"mv docs old",
		"mv src/a.go docs/",
		"cp src/a.go docs/",
		"cp src/a.go docs",
		"cp -r src docs/",
		"cp src/a.go docs/a.md",
		"install -m 644 src/a.go docs/i.md",
		"sed -i s/a/b/ docs/a.md",
		"sed -i s/a/b/ docs/*.md",
		"echo x > docs/n.md",
		"cd docs && echo q > a.md",
		"mkdir -p docs/d && echo x > docs/d/e.md",
		"cat src/a.go >> docs/a.md",
		"tee docs/a.md docs/b.md < src/a.go",
		"printf x | dd of=docs/a.md",
		"ln -s a.md docs/l.md",
		"touch docs/t.md",
		"chmod 640 docs/a.md",
		"truncate -s 0 docs/a.md",
		"rm docs/*.md",
		"rm -r docs",
		"find docs -name '*.md' -delete",
	} {
		p := newProject(t)
		run := func() {
			c := exec.Command("bash", "-c", command)
			c.Dir = p.Dir
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s: %v %s", command, err, out)
			}
		}

		p.run(command, run)
		if r := p.report(); !r.Complete || r.Explained == 0 {
			t.Errorf("%s: %d explained, not %q", command, r.Explained, found(r))
		}

		p = newProject(t)
		p.run(command, func() {
			run()
			p.Write("infra/main.tf", "evil\n")
		})
		if r := p.report(); found(r) != "infra/main.tf" {
			t.Errorf("%s: %q", command, found(r))
		}
	}
}
