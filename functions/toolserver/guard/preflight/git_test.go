package preflight_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
)

// repository is a governed project that is a git repository.
func repository(t testing.TB) *guardtest.World {
	return guardtest.New(t, map[string]string{
		"governance.yaml":             guardtest.Governance,
		"src/a.go":                    "x",
		"evil":                        "[core]\n\tfsmonitor = ./evil.sh\n",
		".git/HEAD":                   "ref: refs/heads/main\n",
		".git/config":                 "[core]\n\tbare = false\n\thooksPath = tools/hooks\n",
		".git/hooks/":                 "",
		".git/info/attributes":        "x",
		".git/objects/":               "",
		".git/refs/heads/main":        "0000000000000000000000000000000000000000\n",
		".git/index.lock":             "",
		".git/COMMIT_EDITMSG":         "x",
		".husky/pre-commit":           "x",
		"tools/hooks/pre-push":        "x",
		"vendor/dep/.git/config":      "x",
		"sub/.git":                    "gitdir: ../.git/modules/sub\n",
		"mirror/HEAD":                 "ref: refs/heads/main\n",
		"mirror/config":               "x",
		"mirror/objects/":             "",
		"mirror/refs/":                "",
		"half/objects/":               "",
		"half/refs/":                  "",
		".git/modules/sub/config":     "x",
		".git/modules/sub/HEAD":       "x",
		".git/worktrees/wt/commondir": "../..\n",
	})
}

// runByGit are files that decide what the next git command runs.
var runByGit = []string{
	".git/config", ".git/hooks/pre-commit", ".git/info/attributes", ".git/HEAD", ".git/refs/heads/main", ".git/modules/sub/config", ".git/new",
	"vendor/dep/.git/config", "vendor/dep/.git/hooks/post-checkout", "sub/.git", ".git", "other/.git", "./src/../.git/config",
	"mirror/config", "mirror/hooks/pre-push", "half/HEAD", "fresh/HEAD", ".git/config.worktree", ".git/worktrees/wt/config.worktree",
}

func check(w *guardtest.World, operation, name string) preflight.Result {
	w.Helper()
	report, err := w.Gate.Check(context.Background(), preflight.Action{Agent: "tester", Tool: "Write", Operation: operation, Dir: ".", Paths: []string{name}})
	if err != nil {
		w.Fatal(err)
	}
	return report.Results[0]
}

// Files in .git can run code at the next git status, so no tool and no form of a command
// may write there.
func TestNothingWritesWhatGitRuns(t *testing.T) {
	w := repository(t)
	if err := os.Symlink(".git", filepath.Join(w.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(runByGit, "link/config") {
		for _, operation := range []string{preflight.Edit, preflight.Create, preflight.Rename} {
			if got := check(w, operation, name); got.Decision != policy.Blocked {
				t.Errorf("%s %s: %s", operation, name, got.Decision)
			}
		}
		for _, form := range []string{
			"echo x > FILE", "cat evil | tee FILE", "cp evil FILE", "mv evil FILE", "ln -s ../evil FILE", "ln -sf $PWD/evil FILE", "sed -i s/a/b/ FILE", "install -m 755 evil FILE",
			"cd src && cp ../evil ../FILE", "bash -c 'cat evil > FILE'", "dd if=evil of=FILE", "rsync evil FILE", "curl -so FILE http://localhost/evil", "git config --file FILE core.pager ./evil",
			"git config --file=FILE user.name x", "git config -f FILE alias.st '!./evil'", "F=FILE; echo x > $F", "mkdir -p FILE",
		} {
			command := strings.ReplaceAll(form, "FILE", name)
			if report := decide(w, command); !refused(t, report.Decision) {
				t.Errorf("%s: %s", command, report.Decision)
			}
		}
	}
	for _, command := range []string{
		"git config core.fsmonitor ./evil", "git config core.pager ./evil", "git config alias.st '!./evil'", "git config core.hooksPath evil", "git config --global core.pager x", "git config trailer.x.command ./evil",
		"git config submodule.x.update '!./evil'", "git config tar.zip.command ./evil", "git config man.x.cmd ./evil", "git config browser.x.cmd ./evil", "git config sendemail.tocmd ./evil", "git config hook.x.command ./evil",
		"git config branch.main.remote 'ext::sh -c ./evil'", "git config pull.twohead evil", "git -c core.fsmonitor=./evil status", "git -c core.pager=./evil log", "git -c trailer.x.command=./evil commit", "git --git-dir=evil status", "GIT_DIR=evil git status", "git --exec-path=. x",
		"git init --template=evil x", "git clone --template=evil a b", "HOME=src git status", "XDG_CONFIG_HOME=src git status", "git config set core.pager ./evil", "git config edit", "git config rename-section user core",
		"mkdir -p b/objects b/refs; echo ref: refs/heads/x > b/HEAD; printf '[core]\\nfsmonitor=./evil' > b/config; cd b && git status",
		"mv .git old", "rm -rf .git", "cp -r evil .git", "git init x && cp evil x/.git/hooks/pre-commit",
		"echo x > .husky/pre-commit", "tee tools/hooks/pre-push < evil", "chmod +x .husky/new", "ln -s ../evil tools/hooks/pre-commit",
	} {
		if report := decide(w, command); !refused(t, report.Decision) {
			t.Errorf("%s: %s", command, report.Decision)
		}
	}
	for _, name := range []string{".husky/pre-commit", "tools/hooks/pre-commit", ".githooks/post-merge"} {
		if got := check(w, preflight.Edit, name); got.Decision != policy.Protected {
			t.Errorf("%s: %s", name, got.Decision)
		}
	}
}

// Committing goes on as before.
func TestCommitsNeedNoPerson(t *testing.T) {
	w := repository(t)
	for _, name := range []string{".git/COMMIT_EDITMSG", ".git/MERGE_MSG", ".gitignore", ".gitattributes", "src/HEAD.go", "half/other", "git/config"} {
		if got := check(w, preflight.Edit, name); got.Decision != policy.OK {
			t.Errorf("%s: %s, %s", name, got.Decision, got.Reason)
		}
	}
	for _, command := range []string{
		"git add -A && git commit -m 'x'", "git commit -F .git/COMMIT_EDITMSG", "rm -f .git/index.lock", "git -c user.name=x -c user.email=y commit -m z", "git -c color.ui=never diff", "git config user.name x", "git config --get core.pager",
		"git config --list", "git push origin main", "git -c core.quotepath=false ls-files", "git -c core.pager=cat log", "git --no-pager log -1", "git status", "git stash list", "cat .git/config", "ls .git/hooks",
		"grep -rn x . --exclude-dir=.git", "find . -path ./.git -prune -o -name '*.go' -print", "tar czf /tmp/x.tgz --exclude=.git .", "git config pull.rebase true", "git config --local user.email x", "du -sh .git", "rm -rf vendor/dep",
	} {
		if report := decide(w, command); report.Decision != policy.OK && report.Decision != policy.Unknown {
			t.Errorf("%s: %s, %+v, unresolved %v", command, report.Decision, report.Results, report.Unresolved)
		}
	}
}
