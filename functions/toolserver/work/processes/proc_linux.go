package processes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
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

// Conceal hides the memory and the environment of this process, which contain secrets, from
// programs of the same user: they can neither read /proc/PID/environ nor trace it
// (PR_SET_DUMPABLE in prctl(2)). Its children are not concealed.
func Conceal() error {
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// bootID tells one boot of the system from another.
var bootID = sync.OnceValue(func() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // without it every boot is the same one
	return strings.TrimSpace(string(text))
})

// ownSession makes a program start in a session of its own, and in the control group of a
// folder; nil for none.
func ownSession(control *os.File) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setsid: true}
	if control != nil {
		attributes.UseCgroupFD = true
		attributes.CgroupFD = int(control.Fd())
	}
	return attributes
}

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
	threads                    int
	begun                      uint64 // ticks since boot
	group                      int    // index in a target
}

// dead reports that no thread of the process runs. A process whose first thread has ended
// is shown as a zombie while its other threads live.
func (p process) dead() bool {
	return p.state == 'X' || p.state == 'Z' && p.threads <= 1
}

// stopped is by a signal or a debugger.
func (p process) stopped() bool {
	return p.state == 'T' || p.state == 't'
}

// snapshot reads the process table.
func snapshot() (map[int]process, error) {
	all := map[int]process{}
	_, err := eachProcess(func(p process) { all[p.pid] = p })
	return all, err
}

// eachProcess visits the process table, the highest IDs first: those are the youngest, and
// may be gone soon. A process may end, or its ID be reused, a moment later; vanished are
// those that ended before they were read. After an error it is unknown what runs.
func eachProcess(visit func(process)) (vanished []int, err error) {
	names, err := readNames("/proc")
	if err != nil {
		return nil, err
	}

	var pids []int
	for _, text := range names {
		if pid, err := strconv.Atoi(text); err == nil {
			pids = append(pids, pid)
		}
	}

	slices.Sort(pids)
	for _, pid := range slices.Backward(pids) {
		p, err := read(pid)
		switch {
		case isGone(err):
			vanished = append(vanished, pid)
		case err != nil:
			return nil, err
		default:
			visit(p)
		}
	}

	return vanished, nil
}

// isGone reports whether an error means that a process has ended.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
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
	for field, to := range map[int]*int{
		1:  &p.parent,
		2:  &p.pgrp,
		3:  &p.session,
		17: &p.threads,
	} {
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

// mark is the value of [Marker] in the environment that the process began with, "" if there
// is none or it may not be read. Gone reports that the process ended before it was read.
func (p process) mark() (value string, gone bool) {
	environment, err := p.environment()
	if isGone(err) {
		now, err := read(p.pid)
		return "", err != nil || now.begun != p.begun || now.dead()
	}

	for variable := range bytes.SplitSeq(environment, []byte{0}) {
		if value, ok := bytes.CutPrefix(variable, []byte(Marker+"=")); ok {
			return string(value), false
		}
	}
	return "", false
}

// environment is what /proc/PID/environ holds.
func (p process) environment() ([]byte, error) {
	return os.ReadFile(p.folder() + "/environ")
}

// folder returns the folder in /proc that shows the memory of the process: that of its
// first thread, or of another live thread if the first has ended.
func (p process) folder() string {
	folder := fmt.Sprintf("/proc/%d", p.pid)
	if p.state != 'Z' || p.dead() {
		return folder
	}

	threads, err := readNames(folder + "/task")
	if err != nil {
		return folder // it has ended meanwhile
	}

	for _, thread := range threads {
		each := folder + "/task/" + thread
		text, err := os.ReadFile(each + "/stat")
		if err != nil {
			continue
		}
		if t, err := parseStat(p.pid, string(text)); err == nil &&
			t.state != 'Z' &&
			t.state != 'X' {
			return each
		}
	}

	return folder
}

// send sends a signal to exactly this process: it opens a pidfd and compares the start time
// before it signals.
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

// bury reaps a dead child that no other code waits for; false if there was none.
func bury(p process) bool {
	if p.parent != self || managed.has(p.pid) {
		return false
	}
	pid, err := syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
	return err == nil && pid == p.pid
}

// sendToGroup sends a signal to the whole process group of the process at once.
func (p process) sendToGroup(s syscall.Signal) bool {
	now, err := read(p.pid)
	if err != nil || now.begun != p.begun || now.pgrp != p.pgrp {
		return false
	}
	return syscall.Kill(-p.pgrp, s) == nil
}

// adopted returns the orphans that this process adopted, which are its children in other
// sessions, and their descendants.
func adopted(all map[int]process) map[int]bool {
	strays := map[int]bool{}
	for pid := range all {
		var path []int
		at := all[pid]
		ok := true
		for ok && at.pid != self && len(path) <= len(all) {
			path = append(path, at.pid)
			if at.parent == self {
				break
			}
			at, ok = all[at.parent]
		}

		if !ok ||
			at.parent != self ||
			at.pid == self ||
			at.session == all[self].session {
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
	return Survivor{
		PID:     p.pid,
		Command: strings.TrimSpace(string(command)),
		Why:     why,
	}
}

// nameless returns a file in memory, because a container may have no folder for temporary
// files.
func nameless() (*os.File, error) {
	fd, err := unix.MemfdCreate("input", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "input"), nil
}
