package command

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// packageGrammar are the options of package managers of Node with a value.
var packageGrammar = grammar{valued: "CwFe", long: map[string]bool{
	"prefix": true, "cwd": true, "dir": true, "workspace": true, "filter": true, "pack-destination": true, "script-shell": true,
}}

// lifecycle are the scripts that a word of npm runs besides the one of its name.
var lifecycle = map[string][]string{
	"install": {"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"},
	"publish": {"prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish"},
	"pack":    {"prepack", "prepare", "postpack"},
	"version": {"preversion", "version", "postversion"},
	"restart": {"prerestart", "stop", "restart", "start", "postrestart"},
	"rebuild": {"preinstall", "install", "postinstall", "prepare"},
}

// sameWords are other words of npm for one.
var sameWords = map[string]string{"i": "install", "ci": "install", "add": "install", "t": "test", "tst": "test", "rb": "rebuild", "in": "install"}

// packageScript runs a script of package.json.
func packageScript(r *reader, c call) {
	before := r.shell.clone()
	defer func() { r.shell = before }()

	options, operands := c.parse(packageGrammar)
	if o, ok := find(options, "prefix", "cwd", "dir", "C"); ok && o.value.word != nil {
		r.within(o.value)
	}
	for _, o := range options {
		switch o.name {
		case "pack-destination":
			r.word(o.value.word, c.program, false)
		case "script-shell":
			r.hide(c.all())
		}
	}
	if c.program == "bun" && (given(options, "e", "eval", "p", "print") || c.has("repl")) {
		r.hide(c.all())
		return
	}

	word, rest := "install", []argument{}
	if len(operands) > 0 {
		word, rest = operands[0].text, operands[1:]
	}
	if slices.Contains([]string{"run", "run-script", "rum", "urn"}, word) {
		if len(rest) == 0 {
			return
		}
		word, rest = rest[0].text, rest[1:]
		r.lifecycleOf(word, []string{"pre" + word, word, "post" + word}, rest)
		return
	}
	r.packageWord(c, word, rest)
}

// packageWord runs what a word of a package manager stands for.
func (r *reader) packageWord(c call, word string, rest []argument) {
	first := ""
	if len(rest) > 0 {
		first = rest[0].text
	}
	changes := changingWords[first]
	switch word {
	case "pkg":
		if changes {
			r.write("package.json", "set", false, true)
		}
	case "config", "c":
		r.hideIf(c, changes)
	case "exec", "x", "explore", "set":
		r.hide(c.all())
		return
	}

	if other, is := sameWords[word]; is {
		word = other
	}
	names, is := lifecycle[word]
	if !is {
		names = []string{"pre" + word, word, "post" + word}
	}
	r.lifecycleOf(word, names, rest)
}

// changingWords follow a word of npm and make it change something.
var changingWords = setOf("set delete edit fix rm")

// lifecycleOf reads some scripts of package.json, the nearest one upward. The script of the word gets
// the arguments.
func (r *reader) lifecycleOf(word string, names []string, rest []argument) {
	manifest, ok := r.manifest()
	if !ok {
		return
	}
	for _, name := range names {
		text := manifest.Scripts[name]
		if text == "" {
			continue
		}
		if name == word {
			for _, a := range rest {
				text += " " + source(a.word)
			}
		}
		r.child("sh", nil, func() { r.softly(text) })
	}
}

// nodeManifest is package.json.
type nodeManifest struct {
	Scripts map[string]string `json:"scripts"`
}

// manifest reads the nearest package.json, and makes its folder the current one.
func (r *reader) manifest() (found nodeManifest, ok bool) {
	at, ok := r.fileName("package.json")
	if !ok || r.scene.Files == nil {
		return found, false
	}
	for folder := path.Dir(at); ; folder = path.Dir(folder) {
		file := path.Join(folder, "package.json")
		if r.wrote(file) {
			r.unresolved("package.json", r.text)
			return found, false
		}
		if text, is := r.scene.Files.Read(file); is {
			r.dirs = []name{{text: strings.TrimPrefix(folder+"/", "./"), known: true}}
			return found, json.Unmarshal(text, &found) == nil
		}
		if folder == "." || folder == "/" || folder == ".." {
			return found, false
		}
	}
}
