//go:build linux

package processes

import "testing"

// The folder of the control group is found wherever version 2 is mounted, and only there.
func TestTheControlGroupIsFound(t *testing.T) {
	const unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
	const hybrid = "29 23 0:25 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	const below = "30 23 0:26 /user.slice /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
	for _, c := range []struct{ mounts, groups, want string }{
		{unified, "0::/user.slice/app.scope\n", "/sys/fs/cgroup/user.slice/app.scope"},
		{unified, "0::/\n", "/sys/fs/cgroup"},
		{hybrid, "5:cpu:/other\n0::/a\n", "/sys/fs/cgroup/unified/a"},
		{below, "0::/user.slice/app.scope\n", "/sys/fs/cgroup/app.scope"},
		{below, "0::/system.slice\n", ""},
		{unified, "5:cpu:/other\n", ""},
		{"29 23 0:25 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", "0::/\n", ""},
		{"", "0::/\n", ""},
		{"cgroup2", "0::", ""},
	} {
		if got := controlGroupIn(c.mounts, c.groups); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.mounts, c.groups, got, c.want)
		}
	}
}

// An id that is no single name has no control group.
func TestAnIDWithASeparatorHasNoControlGroup(t *testing.T) {
	for _, id := range []string{"", "a/b", "../x", "/", "a b"} {
		if dir := controlGroupOf(id); dir != "" {
			t.Errorf("%q: %s", id, dir)
		}
	}
}
