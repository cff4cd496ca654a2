// Package fence runs a program where the kernel holds what text analysis cannot decide: in user,
// mount and process namespaces of its own, with the governed files bound read-only, the secrets
// of the home directory hidden, and Landlock for everything outside the folders that work needs.
//
// No right beyond user namespaces is needed. The program and all that it starts end with the
// fence: its first process is the init of their process namespace.
package fence

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Plan is what a fence does. Paths are absolute and without links.
type Plan struct {
	Folder   string   // of the workspace, in which the program starts
	Program  []string // command line
	ReadOnly []string // files and folders that are there and cannot be changed
	Hidden   []string // files and folders that look empty
	Writable []string // folders outside of which nothing can be written
	Offline  bool     // only the loopback of its own network
}

// Standing says which parts of a fence stand. Its zero value is no fence.
type Standing struct {
	Namespaces bool   `json:"namespaces"`
	ReadOnly   int    `json:"read_only"` // governed places that are bound
	Hidden     int    `json:"hidden"`
	Landlock   int    `json:"landlock"` // version of its interface; 0: the kernel has none
	Network    string `json:"network"`  // open or none
	Why        string `json:"why,omitempty"`
}

// String is the standing in one line for a person.
func (s Standing) String() string {
	if !s.Namespaces {
		return "no fence: " + s.Why
	}

	parts := []string{
		fmt.Sprintf("%d governed places are read-only", s.ReadOnly),
		fmt.Sprintf("%d places are hidden", s.Hidden),
	}
	if s.Landlock > 0 {
		parts = append(parts, fmt.Sprintf("Landlock %d", s.Landlock))
	} else {
		parts = append(parts, "no Landlock: the kernel has none, so files outside of the workspace are not held")
	}
	return "fence: " + strings.Join(append(parts, "network "+s.Network), ", ")
}

// Unavailable is the error of a machine on which no fence can stand.
type Unavailable struct{ Reason string }

func (e *Unavailable) Error() string {
	return "no fence can stand here: " + e.Reason
}

// IsUnavailable reports whether an error says that no fence can stand.
func IsUnavailable(err error) bool {
	var e *Unavailable
	return errors.As(err, &e)
}

// InitCommand is the argument with which a program of ours becomes the first process of a fence;
// it then calls [Init].
const InitCommand = "fence-init"

// message is what the first process tells before it starts the program.
type message struct {
	Standing Standing
	Error    string `json:",omitempty"` // of the set-up; the program was not started
}

func (m message) encode() []byte {
	text, err := json.Marshal(m)
	if err != nil {
		return []byte(`{"Error":"the report cannot be written"}`)
	}
	return text
}
