package command

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reader walks one command; nested shells share it.
type reader struct {
	shell

	result       Analysis
	scene        Scene
	functions    map[string][]*syntax.Stmt // each name with all bodies that it may have
	called       map[string]bool
	links        map[string]string // names that the command makes for files, and for which
	calls        int               // of functions, scripts and nested shells
	depth        int
	size         int               // of all texts that were read
	unclear      map[string]bool   // variables that have had a value which is not known
	constant     map[string]bool   // variables that cannot be set again
	locals       map[string]bool   // variables of the function that runs
	setsPath     bool              // programs are looked for elsewhere
	changesModes bool              // files may become programs
	moved        bool              // branches have been moved to other commits
	branches     map[string]string // that the command makes, and where they begin
	switched     bool              // another branch is checked out
	stashed      bool
	patterned    bool // quotes hide patterns that stand for several texts
	softHidden   int
	soft         int               // scripts that are read within one another: what they hide does not count by itself
	prefix       map[string][]name // variables that are set for one program
	traps        []string          // commands that run later
	text         string            // the whole command
	input        string            // here document of the command
	piped        string            // text of the commands whose output the command reads
	feed         []name            // lines that the command reads, if they are known
}

// shell is what a subshell has for itself.
type shell struct {
	place
	back       place             // where cd - leads to
	stack      []place           // of pushd
	values     map[string][]name // what variables may be; one that is missing is unknown
	arguments  [][]name          // $1 and the following
	shifted    bool              // the arguments have moved
	program    string            // $0
	isScript   bool              // $0 is a file
	splits     bool              // values are split at other characters than blanks
	exported   map[string]bool
	everything bool // all variables are exported
}

// place is where a shell may be: in one of several folders.
type place struct {
	dirs []name // from where the command begins, or absolute
	lost bool   // it may be anywhere
	sure bool   // the last change of folder has not failed
}

func newReader(scene Scene) *reader {
	return &reader{
		shell: shell{
			place:     place{dirs: []name{{known: true}}},
			back:      place{lost: true},
			values:    map[string][]name{},
			arguments: [][]name{},
			exported:  map[string]bool{},
		},
		scene:     scene,
		functions: map[string][]*syntax.Stmt{},
		called:    map[string]bool{},
		links:     map[string]string{},
		branches:  map[string]string{},
		unclear:   map[string]bool{},
		constant:  map[string]bool{},
		result: Analysis{
			Writes:      []Write{},
			Unresolved:  []string{},
			Destructive: []string{},
		},
	}
}

func (s shell) clone() shell {
	s.values = maps.Clone(s.values)
	s.exported = maps.Clone(s.exported)
	s.stack = slices.Clone(s.stack)
	s.dirs = slices.Clone(s.dirs)
	return s
}

// mostPlaces is how many folders a shell may be in before it is lost.
const mostPlaces = 8

// or is where a shell is that may be in either place.
func (p place) or(other place) place {
	for _, dir := range other.dirs {
		if !slices.Contains(p.dirs, dir) {
			p.dirs = append(slices.Clone(p.dirs), dir)
		}
	}
	p.lost = p.lost || other.lost || len(p.dirs) > mostPlaces
	p.sure = p.sure && other.sure
	return p
}

func (p place) same(other place) bool {
	return p.lost == other.lost && slices.Equal(p.dirs, other.dirs)
}

// join is the shell after two ways of which one was taken.
func join(a, b shell) shell {
	a.place = a.place.or(b.place)
	if !a.back.same(b.back) {
		a.back = a.back.or(b.back)
	}
	if len(a.stack) != len(b.stack) {
		a.stack = nil
	}

	for name, values := range a.values {
		other, known := b.values[name]
		merged := union(values, other)
		if !known || len(merged) > mostValues {
			delete(a.values, name)
			continue
		}
		a.values[name] = merged
	}

	maps.Copy(a.exported, b.exported)
	a.shifted = a.shifted || b.shifted || len(a.arguments) != len(b.arguments)
	a.splits = a.splits || b.splits
	return a
}

// union are the values of either list.
func union(a, b []name) []name {
	merged := slices.Clone(a)
	for _, value := range b {
		if !slices.Contains(merged, value) {
			merged = append(merged, value)
		}
	}
	return merged
}

// word notes a file that is written.
func (r *reader) word(w *syntax.Word, how string, remove bool) {
	for _, name := range r.names(w) {
		if !name.known {
			r.unresolved(how+" "+source(w), source(w))
			continue
		}
		r.write(name.text, how, remove, !name.pattern)
	}
}

// write notes a file that is written, from each folder where the shell may be.
func (r *reader) write(file, how string, remove, certain bool) {
	if file == "" || isStreamName(file) || len(r.result.Writes) >= maxFound {
		return
	}

	spelled := r.behind(file)
	file = r.atHome(spelled)
	relative := !path.IsAbs(file)
	hidden := strings.HasPrefix(file, "~") || strings.HasPrefix(path.Clean(file), "/proc/")
	if hidden || file == "!" || relative && r.lost {
		r.unresolved(how+" "+file, file)
	}
	if hidden || file == "!" {
		return
	}

	w := Write{
		Path:    file,
		How:     how,
		Certain: certain,
		Delete:  remove,
		Home:    strings.HasPrefix(spelled, "~/"),
	}
	if !relative {
		r.note(w)
		return
	}
	for _, dir := range r.dirs {
		r.note(r.from(dir, w))
	}
}

func (r *reader) note(w Write) {
	if !slices.Contains(r.result.Writes, w) {
		r.result.Writes = append(r.result.Writes, w)
	}
}

// from is a write by a relative name from a folder.
func (r *reader) from(dir name, w Write) Write {
	if dir.text == "" {
		return w
	}
	w.Path = dir.text + "/" + w.Path
	w.Certain = w.Certain && !dir.pattern
	if !r.sure && !dir.pattern {
		w.Dir = dir.text
	}
	return w
}

// isStreamName reports whether a name stands for a stream or a device, and not for a file.
func isStreamName(file string) bool {
	clean := path.Clean(file)
	isDevice := strings.HasPrefix(clean, "/dev/") && !strings.Contains(file, "..")
	return isDevice && !strings.HasPrefix(clean, "/dev/fd/") && !strings.HasPrefix(clean, "/dev/shm/")
}

// atHome writes out a name below the home directory. Names there that begin with a dot are left:
// what they are for is not known, and some of them run by themselves.
func (r *reader) atHome(file string) string {
	rest, ok := strings.CutPrefix(file, "~/")
	isDotted := strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, ".cache/")
	if !ok || r.scene.Home == "" || isDotted {
		return file
	}
	return r.scene.Home + "/" + rest
}

// behind is where a name leads through the links that the command itself makes.
func (r *reader) behind(name string) string {
	clean := path.Clean(name)
	for link, file := range r.links {
		if rest, ok := strings.CutPrefix(clean+"/", link+"/"); ok {
			return path.Clean(file + "/" + rest)
		}
	}
	return name
}

// unresolved notes a part that hides what it does, and what in it may be a file.
func (r *reader) unresolved(part, text string) {
	if len(r.result.Unresolved) >= maxFound || len(r.result.Mentions) >= 4*maxFound {
		return
	}
	if r.soft > 0 {
		r.softHidden++
	} else {
		r.result.Unresolved = append(r.result.Unresolved, part)
	}

	for _, mention := range strings.FieldsFunc(text, parts) {
		r.mention(mention)
	}
}

func (r *reader) mention(text string) {
	r.result.Mentions = append(r.result.Mentions, text)
	for _, dir := range r.dirs {
		if dir.text != "" && !path.IsAbs(text) {
			r.result.Mentions = append(r.result.Mentions, dir.text+"/"+text)
		}
	}
}

func (r *reader) destructive(program string) {
	r.result.Destructive = append(r.result.Destructive, program)
}

// read reads the file of a name from each folder where the shell may be. ok is false unless it is
// one file that the command itself does not write before.
func (r *reader) readFile(file string) (text []byte, ok bool) {
	at, ok := r.fileName(file)
	if !ok || r.scene.Files == nil || r.wrote(at) {
		return nil, false
	}
	return r.scene.Files.Read(at)
}

// fileName is a name from where the command begins, if the shell is in one folder.
func (r *reader) fileName(file string) (string, bool) {
	file = r.atHome(r.behind(file))
	if path.IsAbs(file) {
		return file, true
	}
	if r.lost || len(r.dirs) != 1 || r.dirs[0].pattern {
		return "", false
	}
	return path.Join(r.dirs[0].text, file), true
}

// source is the text of a word as the command spells it.
func source(node syntax.Node) string {
	var b strings.Builder
	_ = syntax.NewPrinter().Print(&b, node) // to memory
	return b.String()
}
