package processes

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// controlGroup is a control group (cgroup v2, cgroups(7)) of one program and its
// descendants. The kernel freezes or kills all of it at once, including a process that is
// being forked. The zero value is no group: most containers and login sessions forbid
// making one.
type controlGroup struct{ dir string }

// controlPrefix begins the names of our control groups.
const controlPrefix = "governance-"

// ownControlGroup returns the folder of this process's control group, "" without cgroup v2.
var ownControlGroup = sync.OnceValue(func() string {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	return controlGroupIn(string(mounts), string(groups))
})

// controlGroupIn finds the folder in the texts of /proc/self/mountinfo and
// /proc/self/cgroup.
func controlGroupIn(mounts, groups string) string {
	path := ""
	for line := range strings.Lines(groups) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			path = rest
		}
	}

	if path == "" {
		return ""
	}

	for line := range strings.Lines(mounts) {
		fields, kind, _ := strings.Cut(line, " - ")
		at := strings.Fields(fields)
		if len(at) < 5 || !strings.HasPrefix(kind, "cgroup2 ") {
			continue
		}

		root := at[3]
		mounted := at[4]
		below, err := filepath.Rel(root, path)
		if err != nil || !filepath.IsLocal(below) { // this process is outside of what is mounted
			continue
		}
		return filepath.Join(mounted, below)
	}

	return ""
}

// controlGroupOf returns the folder of a program's control group. An id with a path
// separator has none.
func controlGroupOf(id string) string {
	name := controlPrefix + id
	own := ownControlGroup()
	if own == "" ||
		id == "" ||
		len(name) > 200 ||
		filepath.Base(name) != name ||
		strings.ContainsAny(name, " \n") {
		return ""
	}
	return filepath.Join(own, name)
}

// newControlGroup makes a control group, or returns the zero value if that is not possible.
func newControlGroup(id string) controlGroup {
	dir := controlGroupOf(id)
	if dir == "" || os.Mkdir(dir, 0o700) != nil {
		return controlGroup{}
	}
	c := controlGroup{dir}

	if _, err := os.Stat(filepath.Join(dir, "cgroup.kill")); err != nil { // before Linux 5.14
		c.remove()
		return controlGroup{}
	}
	return c
}

// findControlGroup returns the control group that an earlier process made.
func findControlGroup(id string) controlGroup {
	dir := controlGroupOf(id)
	if _, err := os.Stat(dir); dir == "" || err != nil {
		return controlGroup{}
	}
	return controlGroup{dir}
}

func (c controlGroup) exists() bool { return c.dir != "" }

// open gives the folder for the start of a program; nil if there is none.
func (c controlGroup) open() (*os.File, error) {
	if !c.exists() {
		return nil, nil
	}
	return os.Open(c.dir)
}

// freeze stops all processes of the group. None of them runs or forks.
func (c controlGroup) freeze() { c.write("cgroup.freeze") }

// kill sends SIGKILL to all processes of the group, including those that are being forked.
func (c controlGroup) kill() { c.write("cgroup.kill") }

func (c controlGroup) write(name string) {
	if !c.exists() {
		return
	}
	file, err := os.OpenFile(filepath.Join(c.dir, name), os.O_WRONLY, 0)
	if err != nil {
		return // signals do the same, one by one
	}
	defer file.Close()
	_, _ = file.WriteString("1")
}

// pids are the processes that are in the group.
func (c controlGroup) pids() map[int]bool {
	inside := map[int]bool{}
	if !c.exists() {
		return inside
	}
	c.collect(c.dir, inside)
	return inside
}

// collect reads a folder and those below it, because a program may make control groups of
// its own.
func (c controlGroup) collect(dir string, inside map[int]bool) {
	text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return
	}

	for line := range bytes.Lines(text) {
		if pid, err := strconv.Atoi(string(bytes.TrimSpace(line))); err == nil {
			inside[pid] = true
		}
	}

	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}

	for _, e := range entries {
		if e.IsDir() {
			c.collect(filepath.Join(dir, e.Name()), inside)
		}
	}
}

// remove removes an empty group and those below it.
func (c controlGroup) remove() {
	if c.exists() {
		removeControlGroups(c.dir)
	}
}

func removeControlGroups(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			removeControlGroups(filepath.Join(dir, e.Name()))
		}
	}

	_ = os.Remove(dir) // one that is not empty stays
}
