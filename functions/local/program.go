package main

import (
	"os"
	"path/filepath"

	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/shared/programs"
)

// program returns the name of this program for command lines that are shown to a person:
// the path that it was started with, or the standard name if the file has another one.
func program() string {
	if filepath.Base(os.Args[0]) == programs.Governance {
		return os.Args[0]
	}
	return programs.Governance
}

// hookProgram is the program and its first arguments that answer the calls of agents:
// the small one beside this one, or this one.
func hookProgram(own string) []string {
	if small, found := programs.Beside(own, programs.Hook); found {
		return []string{small}
	}
	return hook.Program(own) // knows the name that the small program had before
}
