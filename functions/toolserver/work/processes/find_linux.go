package processes

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Find returns the matching processes, except this one and its ancestors: a caller that
// ends the matching processes must not end itself.
func Find(match func(argv []string, dir string) bool) ([]Found, error) {
	all, err := snapshot()
	if err != nil {
		return nil, err
	}

	above := map[int]bool{}
	for at, ok := all[self]; ok && !above[at.pid]; at, ok = all[at.parent] {
		above[at.pid] = true
	}

	var found []Found
	for pid, p := range all {
		if above[pid] || p.dead() {
			continue
		}
		argv := p.argv()
		if len(argv) == 0 {
			continue
		}

		dir, _ := os.Readlink(p.folder() + "/cwd") // another user's cannot be read
		if match(argv, dir) {
			identity := Identity{
				PID:   pid,
				Begun: p.begun,
				Boot:  bootID(),
			}
			found = append(found, Found{
				Identity: identity,
				Argv:     argv,
				Dir:      dir,
			})
		}
	}

	return found, nil
}

// argv returns the command line, nil for a kernel thread or a process that is gone.
func (p process) argv() []string {
	text, err := os.ReadFile(p.folder() + "/cmdline")
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// ticksPerSecond of the process table; Linux shows 100 on every architecture (USER_HZ).
const ticksPerSecond = 100

// Look reads the memory and processor use of a process; false if it is gone.
func Look(i Identity) (Usage, bool) {
	p, err := read(i.PID)
	if err != nil ||
		p.begun != i.Begun ||
		i.Boot != bootID() ||
		p.dead() {
		return Usage{}, false
	}

	u := Usage{Stopped: p.stopped()}
	if text, err := os.ReadFile("/proc/uptime"); err == nil {
		first, _, _ := strings.Cut(string(text), " ")
		if now, err := strconv.ParseFloat(first, 64); err == nil {
			u.Uptime = max(time.Duration(now*float64(time.Second))-time.Duration(p.begun)*time.Second/ticksPerSecond, 0)
		}
	}

	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", i.PID)); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64) // of the kernel, and 0 otherwise
			u.Memory = pages * int64(os.Getpagesize())
		}
	}

	return u, true
}

// Identify names a process that is there now.
func Identify(pid int) (Identity, bool) {
	p, err := read(pid)
	return Identity{pid, p.begun, bootID()}, err == nil &&
		!p.dead() &&
		pid != self
}
