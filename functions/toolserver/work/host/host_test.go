package host_test

import (
	"context"
	"errors"
	"maps"
	"testing"
	"testing/fstest"
	"time"

	"governance.internal/functions/toolserver/work/host"
)

func files(texts map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for path, text := range texts {
		tree[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

const meminfo = "MemTotal:        4194304 kB\nMemFree:          524288 kB\nMemAvailable:    2097152 kB\n"

// The free memory is the smaller of that of the machine and of the container.
func TestMemoryIsThatOfTheTighterLimit(t *testing.T) {
	container := map[string]string{
		"proc/meminfo": meminfo, "sys/fs/cgroup/memory.max": "1073741824\n", "sys/fs/cgroup/memory.current": "805306368\n",
		"sys/fs/cgroup/memory.stat": "anon 1\ninactive_file 268435456\n",
	}
	with := func(name, text string) map[string]string {
		changed := maps.Clone(container)
		changed[name] = text
		return changed
	}
	for name, tc := range map[string]struct {
		files map[string]string
		want  host.Memory
	}{
		"no container":       {map[string]string{"proc/meminfo": meminfo}, host.Memory{TotalMB: 4096, AvailableMB: 2048, UsedPercent: 50, Source: "meminfo"}},
		"container":          {container, host.Memory{TotalMB: 1024, AvailableMB: 512, UsedPercent: 50, Source: "cgroup"}},
		"without a limit":    {with("sys/fs/cgroup/memory.max", "max\n"), host.Memory{TotalMB: 4096, AvailableMB: 2048, UsedPercent: 50, Source: "meminfo"}},
		"limit above all":    {with("sys/fs/cgroup/memory.max", "99999999999\n"), host.Memory{TotalMB: 4096, AvailableMB: 2048, UsedPercent: 50, Source: "meminfo"}},
		"over the limit":     {with("sys/fs/cgroup/memory.current", "2147483648\n"), host.Memory{TotalMB: 1024, AvailableMB: 0, UsedPercent: 100, Source: "cgroup"}},
		"no file statistics": {with("sys/fs/cgroup/memory.stat", ""), host.Memory{TotalMB: 1024, AvailableMB: 256, UsedPercent: 75, Source: "cgroup"}},
	} {
		if got, err := (host.Reader{Files: files(tc.files)}).Memory(); err != nil || got != tc.want {
			t.Errorf("%s: %+v (%v), want %+v", name, got, err, tc.want)
		}
	}
	for _, text := range []string{"", "MemTotal: x kB\nMemAvailable: 1 kB\n", "MemTotal: 1 kB\n", "MemTotal: 0 kB\nMemAvailable: 0 kB\n"} {
		if got, err := (host.Reader{Files: files(map[string]string{"proc/meminfo": text})}).Memory(); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if _, err := (host.Reader{Files: fstest.MapFS{}}).Memory(); err == nil {
		t.Error("no such file, and memory all the same")
	}
}

// The second look at the ticks is 200 ms after the first.
func TestCPUIsWhatWasUsedInTheWindow(t *testing.T) {
	tree := files(map[string]string{"proc/loadavg": "1.25 1 1 1/1 1\n", "proc/stat": "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1\n"})
	r := host.Reader{Files: tree, Cores: 2, Sleep: func(_ context.Context, d time.Duration) {
		if d != 200*time.Millisecond {
			t.Errorf("window %v", d)
		}
		tree["proc/stat"] = &fstest.MapFile{Data: []byte("cpu  125 0 50 860 65 0 0 0 0 0\n")}
	}}
	if got, err := r.CPU(t.Context()); err != nil || got != (host.CPU{Cores: 2, Load1: 1.25, UsedPercent: 25}) {
		t.Errorf("%+v (%v)", got, err)
	}
	for _, text := range []string{"", "cpu 1 2", "cpu  a b c d e f\n", "intr 1 2 3 4 5 6\n"} {
		broken := host.Reader{Files: files(map[string]string{"proc/loadavg": "1 1 1", "proc/stat": text}), Sleep: func(context.Context, time.Duration) {}}
		if got, err := broken.CPU(t.Context()); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestDiskIsNamedAndNotByItsPath(t *testing.T) {
	r := host.Reader{Disk: func(path string) (uint64, uint64, error) {
		if path != "/srv/data" {
			return 0, 0, errors.New("no such path")
		}
		return 200_000_000_000, 50_000_000_000, nil
	}}
	if got, err := r.DiskOf("/srv/data", "data"); err != nil || got != (host.Disk{Mount: "data", TotalGB: 200, FreeGB: 50, UsedPercent: 75}) {
		t.Errorf("%+v (%v)", got, err)
	}
	if _, err := r.DiskOf("/else", "data"); err == nil {
		t.Error("no error")
	}
	if total, free, err := host.DiskSpace(t.TempDir()); err != nil || free > total || total == 0 {
		t.Errorf("this machine: %d of %d (%v)", free, total, err)
	}
}

func FuzzListening(f *testing.F) {
	f.Add([]byte("  sl  local_address rem_address   st\n   0: 0100007F:1F90 00000000:0000 0A 0\n   1: 00000000000000000000000000000000:0016 0:0 0A\n"))
	f.Add([]byte("x :FFFFF y 0A\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		ports, err := host.Reader{Files: fstest.MapFS{"proc/net/tcp": {Data: text}, "proc/net/tcp6": {Data: text}}}.Listening()
		if err != nil {
			t.Fatal(err)
		}
		for port := range ports {
			if port < 1 || port > 65535 {
				t.Errorf("port %d of %q", port, text)
			}
		}
	})
}
