// Package fence runs a program where the kernel holds what text analysis cannot decide: in user,
// mount and process namespaces of its own, with the governed files bound read-only, the secrets
// of the home directory hidden, and Landlock for everything outside the folders that work needs.
//
// No right beyond user namespaces is needed. The program and all that it starts end with the
// fence: its first process is the init of their process namespace.
package fence

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Plan is what a fence does. Paths are absolute and without links, but for Links.
type Plan struct {
	Folder   string   // of the workspace
	Dir      string   // in which the program starts
	Program  []string // command line
	ReadOnly []string // files and folders that are there and cannot be changed
	Links    []string // symbolic links that cannot be replaced
	Hidden   []string // files and folders that look empty
	Shown    []string // files in hidden folders that are seen
	Door     Door     // to the process outside; the zero value for none
	Writable []string // folders outside of which nothing can be written
	Network  string   // open, none or allow: and hosts, with only a loopback of its own; set when the fence stands

	Governed []string // names from the root of the workspace that ReadOnly and Links stand for
	Missing  []string // files that would be read-only and are not there yet
	Open     []string // patterns of the workspace that match names which are not there yet
}

// Door is a folder that the fence shows in the place of another.
type Door struct {
	Place, Shown string
}

// Modes of a fence around programs that a service starts.
const (
	Auto     = "auto"     // a fence stands where the kernel allows one
	Required = "required" // without a fence nothing is started
	Off      = "off"
)

// Setting is the variable with a mode that goes before all others.
const Setting = "GOVERNANCE_FENCE"

// Standing says which parts of a fence stand. Its zero value is no fence.
type Standing struct {
	Namespaces bool   `json:"namespaces"`
	ReadOnly   int    `json:"read_only"` // governed places that are bound
	Hidden     int    `json:"hidden"`
	Landlock   int    `json:"landlock"` // version of its interface; 0: the kernel has none
	Network    string `json:"network"`  // open, none, or allow: and the hosts
	Open       int    `json:"open"`     // patterns that match names which are not there yet: those can be made
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
	if s.Open > 0 {
		parts = append(parts, fmt.Sprintf("%d patterns match names that are not there yet, which can be made", s.Open))
	}
	return "fence: " + strings.Join(append(parts, "network "+s.Network), ", ")
}

// Word is the standing in a word, for records: "kernel", "kernel without landlock", or "none: "
// and the reason.
func (s Standing) Word() string {
	switch {
	case !s.Namespaces:
		return "none: " + cmp.Or(s.Why, "not tried")
	case s.Landlock == 0:
		return "kernel without landlock"
	}
	return "kernel"
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

// NotStarted is the error of a program that could not be started though its fence stood.
type NotStarted struct{ Reason string }

func (e *NotStarted) Error() string { return e.Reason }

// InitCommand is the argument with which a program of ours becomes the first process of a fence;
// it then calls [Init].
const InitCommand = "fence-init"

// message is what the first process tells before it starts the program.
type message struct {
	Standing Standing
	Error    string `json:",omitempty"` // of the set-up; the program was not started

	NotStarted bool `json:",omitempty"` // the fence stood, and the program could not be started
}

func (m message) encode() []byte {
	text, err := json.Marshal(m)
	if err != nil {
		return []byte(`{"Error":"the report cannot be written"}`)
	}
	return text
}
