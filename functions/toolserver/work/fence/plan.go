package fence

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// ofGit are what git obeys and what it runs, in the folder of a repository.
var ofGit = []string{"config", "config.worktree", "hooks", "info/attributes"}

// startUp are files of a home directory that run, or steer a program, at its next start.
var startUp = []string{
	".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile",
	".gitconfig", ".config/git", ".claude/settings.json", ".codex/config.toml", ".gemini/settings.json",
}

// secrets are places of a home directory that hold credentials.
var secrets = []string{
	".ssh", ".aws", ".azure", ".gnupg", ".kube", ".netrc", ".git-credentials", ".pypirc", ".npmrc",
	".config/gcloud", ".config/gh", ".docker/config.json", ".password-store", ".terraform.d/credentials.tfrc.json",
}

// sockets are those of services that would run a program outside the fence.
var sockets = []string{
	"/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock",
	"/run/crio/crio.sock", "/run/dbus/system_bus_socket", "/run/systemd/private",
}

// system are the folders outside of the workspace and the home directory in which work writes.
var system = []string{"/tmp", "/var/tmp", "/dev", "/proc", "/run/user", "/run/lock"}

// PlanOf makes the plan for a program in a workspace: what its lists govern is read-only, what
// the service keeps about itself is hidden. home may be empty.
func PlanOf(w *workspace.Workspace, folder, home string, program []string) (Plan, error) {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{
		Folder:   folder,
		Program:  program,
		Writable: append(slices.Clone(system), folder, os.TempDir()),
	}

	governed, err := governedOf(w)
	if err != nil {
		return p, err
	}
	p.ReadOnly = below(folder, governed)
	linked, err := otherNames(folder, p.ReadOnly)
	if err != nil {
		return p, err
	}
	p.ReadOnly = append(p.ReadOnly, linked...)
	p.ReadOnly = append(p.ReadOnly, below(filepath.Join(folder, ".git"), ofGit)...)
	p.Hidden = append(below(folder, []string{workspace.DataDir}), below("/", sockets)...)

	if home != "" {
		p.Writable = append(p.Writable, home)
		p.ReadOnly = append(p.ReadOnly, below(home, startUp)...)
		p.Hidden = append(p.Hidden, below(home, secrets)...)
	}
	return p, nil
}

// governedOf are the files and folders of a workspace that its lists govern, from its root. A
// folder stands for all that is in it.
func governedOf(w *workspace.Workspace) ([]string, error) {
	state, err := w.Load()
	if err != nil {
		return nil, err
	}

	var found []string
	err = w.Walk(".", state.Config.Limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		decision, rule := state.Policy.Decide(name)
		isFree := decision == policy.OK || decision == policy.Unknown
		if isFree || w.Own(rule) {
			return nil
		}

		found = append(found, name)
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if errors.Is(err, workspace.ErrManyFiles) {
		return nil, errors.New("the workspace has more files than limits.max_files: raise it, so that every governed file is found")
	}
	return found, err
}

// below are those names in a folder that are there, without links.
func below(folder string, names []string) []string {
	var found []string
	for _, name := range names {
		path, err := filepath.EvalSymlinks(filepath.Join(folder, name))
		if err == nil && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}
