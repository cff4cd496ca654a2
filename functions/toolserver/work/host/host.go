// Package host reads the memory, disk and processor use of the machine or the container,
// from the proc and cgroup file systems of Linux. A value whose file is missing is reported
// as unavailable.
package host

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Reader reads one machine. Files is the root of its file system.
type Reader struct {
	Files fs.FS
	Disk  func(path string) (total, free uint64, err error) // bytes
	Sleep func(context.Context, time.Duration)
	Cores int
}

// Memory is the memory that a new process could use, the smaller of machine and cgroup.
type Memory struct {
	TotalMB     int    `json:"total_mb"`
	AvailableMB int    `json:"available_mb"`
	UsedPercent int    `json:"used_pct"`
	Source      string `json:"source"` // meminfo or cgroup
}

// Disk is a file system.
type Disk struct {
	Mount       string `json:"mount"`
	TotalGB     int    `json:"total_gb"`
	FreeGB      int    `json:"free_gb"`
	UsedPercent int    `json:"used_pct"`
}

// CPU is the load of the processors.
type CPU struct {
	Cores       int     `json:"cores"`
	Load1       float64 `json:"load1"`
	UsedPercent int     `json:"used_pct"` // in a window of 200 ms
}

var errFormat = errors.New("not in the expected format")

const mib = 1 << 20

// Memory reads /proc/meminfo and the memory limit of cgroup v2.
func (r Reader) Memory() (Memory, error) {
	text, err := fs.ReadFile(r.Files, "proc/meminfo")
	if err != nil {
		return Memory{}, err
	}

	total, okTotal := meminfo(text, "MemTotal")
	available, okAvailable := meminfo(text, "MemAvailable")
	if !okTotal || !okAvailable || total == 0 {
		return Memory{}, errFormat
	}

	source := "meminfo"
	if limit, free, ok := r.cgroup(); ok && free < available {
		total, available, source = min(limit, total), free, "cgroup"
	}
	return Memory{int(total / mib), int(available / mib), percent(total-min(available, total), total), source}, nil
}

// meminfo is a line of /proc/meminfo in bytes.
func meminfo(text []byte, name string) (uint64, bool) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) >= 2 && fields[0] == name+":" {
			kib, err := strconv.ParseUint(fields[1], 10, 44)
			return kib << 10, err == nil
		}
	}
	return 0, false
}

// cgroup returns the limit of the container and its free part. Inactive file pages count as
// free, because the kernel drops them first.
func (r Reader) cgroup() (limit, free uint64, ok bool) {
	limit, err1 := r.number("sys/fs/cgroup/memory.max") // "max" without a limit
	used, err2 := r.number("sys/fs/cgroup/memory.current")
	if err1 != nil || err2 != nil {
		return 0, 0, false
	}

	if text, err := fs.ReadFile(r.Files, "sys/fs/cgroup/memory.stat"); err == nil {
		for line := range strings.Lines(string(text)) {
			if rest, found := strings.CutPrefix(line, "inactive_file "); found {
				if idle, err := strconv.ParseUint(strings.TrimSpace(rest), 10, 64); err == nil {
					used -= min(idle, used)
				}
			}
		}
	}

	return limit, limit - min(used, limit), true
}

func (r Reader) number(path string) (uint64, error) {
	text, err := fs.ReadFile(r.Files, path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
}

// DiskOf reads the file system that holds a path. It is shown under name.
func (r Reader) DiskOf(path, name string) (Disk, error) {
	total, free, err := r.Disk(path)
	if err != nil {
		return Disk{}, err
	}
	if total == 0 {
		return Disk{}, errFormat
	}

	const gb = 1_000_000_000
	return Disk{name, int(total / gb), int(free / gb), percent(total-min(free, total), total)}, nil
}

// CPU samples /proc/stat over 200 ms.
func (r Reader) CPU(ctx context.Context) (CPU, error) {
	text, err := fs.ReadFile(r.Files, "proc/loadavg")
	if err != nil {
		return CPU{}, err
	}

	first, _, _ := strings.Cut(string(text), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return CPU{}, errFormat
	}

	busy1, all1, err := r.ticks()
	if err != nil {
		return CPU{}, err
	}

	r.Sleep(ctx, 200*time.Millisecond)
	busy2, all2, err := r.ticks()
	if err != nil {
		return CPU{}, err
	}

	return CPU{r.Cores, load, percent(busy2-min(busy1, busy2), all2-min(all1, all2))}, nil
}

// ticks are those since the start of the machine: at work, and all.
func (r Reader) ticks() (busy, all uint64, err error) {
	text, err := fs.ReadFile(r.Files, "proc/stat")
	if err != nil {
		return 0, 0, err
	}

	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line)
	if len(fields) < 6 || fields[0] != "cpu" {
		return 0, 0, errFormat
	}

	for i, field := range fields[1:] {
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return 0, 0, errFormat
		}
		if i >= 8 { // guest time is part of user time
			break
		}

		all += n
		if i != 3 && i != 4 { // idle, and waiting for a disk
			busy += n
		}
	}

	return busy, all, nil
}

func percent(part, whole uint64) int {
	if whole == 0 {
		return 0
	}
	return int(part * 100 / whole)
}

// Listening returns the TCP ports with a listener on any address (the files proc/net/tcp
// and tcp6; proc_net(5)).
func (r Reader) Listening() (map[int]bool, error) {
	ports := map[int]bool{}
	text, err := fs.ReadFile(r.Files, "proc/net/tcp")
	if err != nil {
		return nil, err
	}
	listening(text, ports)
	if text, err := fs.ReadFile(r.Files, "proc/net/tcp6"); err == nil { // it is not there without IPv6
		listening(text, ports)
	}
	return ports, nil
}

const stateListen = "0A"

func listening(text []byte, ports map[int]bool) {
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[3] != stateListen {
			continue
		}
		_, port, _ := strings.Cut(fields[1], ":")
		if n, err := strconv.ParseUint(port, 16, 16); err == nil && n > 0 {
			ports[int(n)] = true
		}
	}
}

// Sleep waits unless the call ends first.
func Sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// Cores is the number of processors that this process may use.
func Cores() int { return runtime.GOMAXPROCS(0) }
