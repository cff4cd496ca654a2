// Package command finds out from the text of a shell command which files it would
// write, without running anything. The command is read by a parser of the shell
// language, so quotes, redirections, here documents and nested shells are seen as
// the shell sees them.
//
// Not everything can be known from a text: the program of an interpreter, what eval
// runs, the value of a variable from outside. Such parts are reported as unresolved, and
// with them the words in them that may be names of files. What a program changes by itself
// is found later, by comparing the files.
//
// What a variable, a loop or the output of a plain command may be is followed, each as a set of
// possible texts, and so is the folder in which the shell may be: a change of folder that may not
// have happened leaves both.
//
// A program is one that writes in known ways, or one that is known to only read, or one that is
// unknown. What a program of the last kind is given is reported apart: it counts if it is on
// a list. Scripts are reported, too, for a caller that can read them.
package command

import (
	"errors"
)

// Write is a file that a command would change.
type Write struct {
	Path    string `json:"path"`
	How     string `json:"how"`     // the program, or the redirection
	Certain bool   `json:"certain"` // the name is known exactly; otherwise it is a pattern
	Delete  bool   `json:"-"`       // with all that is in it: removed, moved away or overwritten
	Into    bool   `json:"-"`       // only if its folder is there
	Home    bool   `json:"-"`       // named from the home directory
	Dir     string `json:"-"`       // folder that the command changed into before
}

// Analysis is what a command would do.
type Analysis struct {
	Writes      []Write  `json:"writes"`
	Unresolved  []string `json:"unresolved"`  // parts of the text that hide what they do
	Destructive []string `json:"destructive"` // programs that remove or overwrite
	Mentions    []string `json:"-"`           // words in unresolved parts that may name files
	Named       []Write  `json:"-"`           // files given to programs that may or may not write them
	Scripts     []Script `json:"-"`           // programs in other languages that are run
	Trees       []Tree   `json:"-"`           // changes to the files of a commit
	Below       []Write  `json:"-"`           // folders in which files of unknown names are written
}

// Limits of the analysis.
const (
	maxDepth = 8       // of shells in shells
	maxFound = 500     // writes and unresolved parts
	maxRead  = 2 << 20 // bytes of commands and scripts
)

// ErrSyntax says that the shell would not read the command.
var ErrSyntax = errors.New("this is not a command that bash can read")

// Scene is what is known about where a command runs. Its zero value knows nothing.
type Scene struct {
	Dir   string // folder in which the command begins, absolute
	Home  string // of the user, absolute
	Top   string // of the checkout, absolute
	Files Files  // nil if nothing can be read
}

// Files reads what a command runs or obeys: scripts, Makefiles, patches, archives. Names are
// absolute, or count from the folder in which the command begins.
type Files interface {
	Read(name string) (text []byte, ok bool) // a regular file of moderate size
	IsFolder(name string) bool
}

// Analyze reads a command.
func Analyze(text string, scene Scene) (Analysis, error) {
	r := newReader(scene)
	r.text = text
	err := r.readAll(text)
	return r.result, err
}

// Hidden is the analysis of a text in an unknown language.
func Hidden(text string) Analysis {
	r := newReader(Scene{})
	r.unresolved("a program", text)
	return r.result
}
