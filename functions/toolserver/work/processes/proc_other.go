//go:build !linux

package processes

import (
	"errors"
	"os"
	"syscall"
)

// Nothing is started without a process table, because it could not be ended reliably.

var self = os.Getpid()

func adopt() error { return errors.ErrUnsupported }

func bootID() string { return "" }

func ownSession(*os.File) *syscall.SysProcAttr { return nil }

func signalOf(*os.ProcessState) string { return "" }

func name(s syscall.Signal) string { return s.String() }

type process struct {
	pid, parent, pgrp, session int
	begun                      uint64
	group                      int
}

// Conceal does nothing: no agent is started here.
func Conceal() error { return nil }

// Find finds nothing.
func Find(func(argv []string, dir string) bool) ([]Found, error) {
	return nil, errors.ErrUnsupported
}

// Identify knows no process.
func Identify(int) (Identity, bool) { return Identity{}, false }

// Look sees nothing.
func Look(Identity) (Usage, bool) { return Usage{}, false }

func (process) dead() bool                      { return true }
func (process) stopped() bool                   { return false }
func (process) mark() (string, bool)            { return "", false }
func (process) send(syscall.Signal) bool        { return false }
func (process) sendToGroup(syscall.Signal) bool { return false }
func (process) survivor() Survivor              { return Survivor{} }
func read(int) (process, error) {
	return process{}, errors.ErrUnsupported
}

func adopted(map[int]process) map[int]bool { return nil }
func bury(process) bool                    { return false }

func eachProcess(func(process)) ([]int, error) { return nil, errors.ErrUnsupported }

func nameless() (*os.File, error) { return nil, errors.ErrUnsupported }

// controlGroup is none.
type controlGroup struct{}

func newControlGroup(string) controlGroup  { return controlGroup{} }
func findControlGroup(string) controlGroup { return controlGroup{} }

func (controlGroup) exists() bool            { return false }
func (controlGroup) open() (*os.File, error) { return nil, nil }
func (controlGroup) freeze()                 {}
func (controlGroup) kill()                   {}
func (controlGroup) pids() map[int]bool      { return nil }
func (controlGroup) remove()                 {}
