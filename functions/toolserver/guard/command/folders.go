package command

import (
	"path"
	"slices"
	"strings"
)

// changeDir is cd of the shell, which may fail.
func changeDir(r *reader, c call) {
	before := r.place
	r.enter(c)
	r.back, r.sure = before, false
}

// within is the folder that an option of a program names: without it the program does nothing.
func (r *reader) within(folder argument) {
	r.enter(call{"cd", []argument{folder}})
	r.sure = true
}

// enter changes the folder.
func (r *reader) enter(c call) {
	options, files := c.parse(grammar{})
	if len(files) == 0 {
		r.toHome()
		return
	}
	folders := r.names(files[0].word)
	if len(folders) == 0 || !allKnown(folders) {
		r.lost = true
		return
	}

	physical := given(options, "P")
	var next []name
	lost := false
	for _, folder := range folders {
		dirs, ok := r.entered(folder, physical)
		next = append(next, dirs...)
		lost = lost || !ok
	}
	r.dirs = slices.Clip(next)
	r.lost = lost || len(next) > mostPlaces
	if len(next) == 0 {
		r.dirs = []name{{known: true}}
	}
}

func (r *reader) toHome() {
	if r.scene.Home == "" {
		r.lost = true
		return
	}
	r.place = place{dirs: []name{{text: r.scene.Home, known: true}}}
}

// entered are the folders that a change to one leads to. ok is false if they are not known.
func (r *reader) entered(folder name, physical bool) (dirs []name, ok bool) {
	folder.text = r.fromHome(folder.text)
	text := folder.text
	switch {
	case text == "": // the shell and git stay where they are
		return r.dirs, !r.lost
	case text == "-":
		return r.back.dirs, !r.back.lost
	case path.IsAbs(text) && !strings.HasPrefix(text, "/proc/"):
		return []name{{path.Clean(text), true, folder.pattern}}, true
	case strings.ContainsAny(text[:1], "~+-/"):
		return nil, false
	case physical && strings.Contains(text, ".."):
		return nil, false
	}
	return r.enteredFromHere(folder), !r.lost
}

// fromHome writes out the home directory at the beginning of the name of a folder.
func (r *reader) fromHome(folder string) string {
	rest, ok := strings.CutPrefix(folder+"/", "~/")
	if !ok || r.scene.Home == "" {
		return folder
	}
	return path.Join(r.scene.Home, rest)
}

func (r *reader) enteredFromHere(folder name) (dirs []name) {
	for _, dir := range r.dirs {
		joined := path.Join(dir.text, r.behind(folder.text))
		if joined == "." {
			joined = ""
		}
		dirs = append(dirs, name{joined, true, dir.pattern || folder.pattern})
	}
	return dirs
}

func pushDir(r *reader, c call) {
	if c.has("-n") {
		return
	}
	before := r.place
	changeDir(r, c)
	r.stack = append(r.stack, before)
}

func popDir(r *reader, c call) {
	if c.has("-n") {
		return
	}
	n := len(r.stack)
	if n == 0 || len(c.args) > 0 {
		r.lost = true
		return
	}
	r.back = r.place
	r.place, r.stack = r.stack[n-1], r.stack[:n-1]
}
