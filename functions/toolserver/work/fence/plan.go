package fence

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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

// Wish is what a plan is made for.
type Wish struct {
	Folder  string   // of the workspace
	Dir     string   // in which the program starts, "" for the workspace
	Home    string   // directory of the user, "" for none
	Data    string   // directory that the service keeps for itself, "" for the usual one
	Program []string // command line
	Shown   []string // files that the program sees though their folder is hidden
	Broker  string   // folder that stands in the place of the state of the workspace, "" for none
}

// PlanOf makes the plan for a program in a workspace: what its lists govern is read-only, what
// the service keeps about itself is hidden.
func PlanOf(w *workspace.Workspace, wish Wish) (Plan, error) {
	folder, err := filepath.EvalSymlinks(wish.Folder)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{
		Folder:   folder,
		Dir:      cmp.Or(wish.Dir, folder),
		Program:  wish.Program,
		Shown:    below("/", wish.Shown),
		Writable: append(slices.Clone(system), folder, os.TempDir()),
	}

	state, err := w.Load()
	if err != nil {
		return p, err
	}
	found, err := governedOf(w, state.Policy)
	if err != nil {
		return p, err
	}
	p.Governed, p.Open = found.names, openPatterns(state.Config, found.names)
	p.Links = inFolder(folder, found.links)
	p.ReadOnly = below(folder, found.names)

	linked, err := otherNames(folder, p.ReadOnly)
	if err != nil {
		return p, err
	}
	p.ReadOnly = append(p.ReadOnly, linked...)
	if git := w.GitFolder(); git != "" {
		p.hold(git, ofGit)
	}

	p.ReadOnly = append(p.ReadOnly, below("/", w.Programs())...)

	own := []string{filepath.Join(folder, workspace.DataDir)}
	if wish.Data != "" {
		own = append(own, wish.Data)
	}
	p.miss(own)
	p.Hidden = slices.Concat(below("/", own), below("/", sockets), disks())

	if wish.Broker != "" {
		if p.Door, err = doorOf(folder, wish.Broker); err != nil {
			return p, err
		}
		p.ReadOnly = append(p.ReadOnly, p.Door.Shown)
	}

	if wish.Home != "" {
		p.Writable = append(p.Writable, wish.Home)
		p.hold(wish.Home, startUp)
		p.Hidden = append(p.Hidden, below(wish.Home, secrets)...)
	}
	return p, nil
}

// doorOf closes the state of the workspace: what is in its place leads to the process outside. The
// folder is made if it is not there, because a program could make it and forge a state.
func doorOf(folder, broker string) (Door, error) {
	place := filepath.Join(folder, workspace.StateDir)
	if err := os.Mkdir(place, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return Door{}, err
	}
	if info, err := os.Lstat(place); err != nil || !info.IsDir() {
		return Door{}, errors.New(workspace.StateDir + " is no folder, so it cannot be closed: remove what is there")
	}
	shown, err := filepath.EvalSymlinks(broker)
	return Door{place, shown}, err
}

// disks are the devices through which files could be changed below the mounts, and the memory of
// the machine.
func disks() []string {
	entries, err := os.ReadDir("/dev")
	if err != nil {
		return nil // then there are none
	}

	var found []string
	for _, entry := range entries {
		kind := entry.Type()
		isDisk := kind&fs.ModeDevice != 0 && kind&fs.ModeCharDevice == 0
		isMemory := slices.Contains([]string{"mem", "kmem", "port"}, entry.Name())
		if isDisk || isMemory {
			found = append(found, filepath.Join("/dev", entry.Name()))
		}
	}
	return found
}

// hold makes names in a folder read-only, and keeps in mind which are not there yet.
func (p *Plan) hold(folder string, names []string) {
	p.ReadOnly = append(p.ReadOnly, below(folder, names)...)
	p.miss(inFolder(folder, names))
}

// miss keeps in mind which paths are not there yet.
func (p *Plan) miss(paths []string) {
	for _, path := range paths {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			p.Missing = append(p.Missing, path)
		}
	}
}

// inFolder are names in a folder as paths.
func inFolder(folder string, names []string) []string {
	var paths []string
	for _, name := range names {
		paths = append(paths, filepath.Join(folder, name))
	}
	return paths
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
