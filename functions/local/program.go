package main

import (
	"os"
	"os/exec"
	"path/filepath"

	"governance.internal/functions/toolserver/guard/hook"
)

// Names of the two programs, which make builds side by side.
const (
	programName     = "governance"
	hookProgramName = "governance-hook"
)

// program returns the name of this program for command lines that are shown to a person:
// the path that it was started with, or the standard name if the file has another one.
func program() string {
	if filepath.Base(os.Args[0]) == programName {
		return os.Args[0]
	}
	return programName
}

// hookProgram is the program and its first arguments that answer the calls of agents:
// the small one beside this one, or this one.
func hookProgram(own string) []string {
	small, err := exec.LookPath(filepath.Join(filepath.Dir(own), hookProgramName))
	if err == nil {
		return []string{small}
	}
	return hook.Program(own) // knows the name that the small program had before
}
