package processes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

var self = os.Getpid()

// adopt makes this process the parent of its descendants' orphans.
var adopt = sync.OnceValue(func() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
})

// Conceal keeps the memory and the environment of this process, where the secrets are, from
// programs of the same user: they can neither read /proc/PID/environ nor trace it
// (PR_SET_DUMPABLE in prctl(2)). What it starts is not concealed.
func Conceal() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// bootID tells one boot of the system from another.
var bootID = sync.OnceValue(func() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // without it every boot is the same one
	return strings.TrimSpace(string(text))
})

func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return name(status.Signal())
	}
	return ""
}

func name(s syscall.Signal) string { return unix.SignalName(s) }

// process is a line of the process table.
type process struct {
	pid, parent, pgrp, session int
	state                      byte
	begun                      uint64 // ticks since boot
	group                      int    // index in a target
}

func (p process) dead() bool { return p.state == 'Z' || p.state == 'X' }

// snapshot reads the process table. A process may be gone or another one a moment later;
// vanished counts those that were gone before they were read. The error means that nobody
// knows what runs.
func snapshot() (all map[int]process, vanished int, err error) {
	names, err := readNames("/proc")
	if err != nil {
		return nil, 0, err
	}
	all = make(map[int]process, len(names))
	for _, text := range names {
		pid, err := strconv.Atoi(text)
		if err != nil {
			continue
		}
		p, err := read(pid)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH):
			vanished++
		case err != nil:
			return nil, 0, err
		default:
			all[pid] = p
		}
	}
	return all, vanished, nil
}

func readNames(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

var errStat = errors.New("processes: no line of the process table")

// read reads /proc/PID/stat (proc_pid_stat(5)). The name in it, in parentheses, may
// hold anything.
func read(pid int) (process, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	return parseStat(pid, string(text))
}

func parseStat(pid int, text string) (process, error) {
	end := strings.LastIndexByte(text, ')')
	if end < 0 {
		return process{}, errStat
	}
	fields := strings.Fields(text[end+1:])
	if len(fields) < 20 || len(fields[0]) != 1 {
		return process{}, errStat
	}
	p := process{pid: pid, state: fields[0][0]}
	var failed error
	for field, to := range map[int]*int{1: &p.parent, 2: &p.pgrp, 3: &p.session} {
		n, err := strconv.Atoi(fields[field])
		*to, failed = n, errors.Join(failed, err)
	}
	begun, err := strconv.ParseUint(fields[19], 10, 64)
	p.begun = begun
	if errors.Join(failed, err) != nil {
		return process{}, errStat
	}
	return p, nil
}

// marked says whether the environment that the process began with has the marker. One of
// another user cannot be read.
func (p process) marked(id string) bool {
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
	if err != nil {
		return false
	}
	for variable := range bytes.SplitSeq(environment, []byte{0}) {
		if string(variable) == Marker+"="+id {
			return true
		}
	}
	return false
}

// send sends a signal to this very process: it is held by a descriptor, and its start time
// compared, before the signal goes out.
func (p process) send(s syscall.Signal) bool {
	held, err := os.FindProcess(p.pid)
	if err != nil {
		return false
	}
	defer held.Release()
	now, err := read(p.pid)
	if err != nil || now.begun != p.begun {
		return false
	}
	return held.Signal(s) == nil
}

// bury takes the exit status of a dead child that nobody else waits for; false if there
// was none to take.
func bury(p process) bool {
	if p.parent != self || managed.has(p.pid) {
		return false
	}
	pid, err := syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
	return err == nil && pid == p.pid
}

// killGroup sends SIGKILL to a process group at once, which nobody escapes by a fork.
func killGroup(id int) { _ = syscall.Kill(-id, syscall.SIGKILL) } // it may be empty

// adopted are the orphans that this process was given, and all below them: its children
// in other sessions.
func adopted(all map[int]process) map[int]bool {
	strays := map[int]bool{}
	for pid := range all {
		var path []int
		at, ok := all[pid], true
		for ok && at.pid != self && len(path) <= len(all) {
			path = append(path, at.pid)
			if at.parent == self {
				break
			}
			at, ok = all[at.parent]
		}
		if !ok || at.parent != self || at.pid == self || at.session == all[self].session {
			continue
		}
		for _, each := range path {
			strays[each] = true
		}
	}
	return strays
}

func (p process) survivor() Survivor {
	why := "it does not end"
	if held, err := os.FindProcess(p.pid); err == nil {
		if err := held.Signal(syscall.Signal(0)); errors.Is(err, os.ErrPermission) {
			why = "it is of another user"
		}
		_ = held.Release()
	}
	command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.pid)) // its arguments may hold secrets
	return Survivor{PID: p.pid, Command: strings.TrimSpace(string(command)), Why: why}
}

// nameless is a file in memory: a container has no place for temporary files.
func nameless() (*os.File, error) {
	fd, err := unix.MemfdCreate("input", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "input"), nil
}
