package snapshot

import (
	_ "embed" // the script
	"fmt"
	"path"
	"strings"
)

// asidePrefix begins the names of the folders into which a restore moves what stands in
// the way.
const asidePrefix = "pre-restore-"

var (
	//go:embed restore.sh.txt
	scriptBegin string
	//go:embed restore_end.sh.txt
	scriptEnd string
)

// atOnce is how many names are given to one program.
const atOnce = 200

// restoreScript writes the script of a snapshot. Every name stands in single quotes, so
// that no name is read as anything else.
func restoreScript(entries []Entry, a archive, s Snapshot) []byte {
	var b strings.Builder
	begin, rest, _ := strings.Cut(scriptBegin, "set -eu\n")
	b.WriteString(begin + "set -eu\n")
	fmt.Fprintf(&b, "archive=%s\narchive_sha256=%s\nmanifest_sha256=%s\n", quote(a.name), a.sha256, s.Digest)
	b.WriteString(rest)

	b.WriteString("\nentries() {\n")
	folders := foldersOf(entries)
	eachBatch(&b, "u", folders)
	for i, folder := range folders {
		fmt.Fprintf(&b, "d %d %s\n", i, quote(folder))
	}
	for i, e := range entries {
		number := len(folders) + i
		switch e.Kind {
		case kindFile:
			fmt.Fprintf(&b, "f %d %s\n", number, quote(e.name()))
		case kindLink:
			fmt.Fprintf(&b, "l %d %s %s\n", number, quote(e.name()), quote(e.Target))
		}
	}
	writeModes(&b, entries)
	b.WriteString(":\n}\n")
	b.WriteString(scriptEnd)
	return []byte(b.String())
}

// foldersOf are all folders that the entries need, each before what is in it.
func foldersOf(entries []Entry) []string {
	var folders []string
	known := map[string]bool{".": true}
	var add func(name string)
	add = func(name string) {
		if known[name] {
			return
		}
		add(path.Dir(name))
		known[name] = true
		folders = append(folders, name)
	}

	for _, e := range entries {
		add(path.Dir(e.name()))
		if e.Kind == kindFolder {
			add(e.name())
		}
	}
	return folders
}

// writeModes sets the permissions of files, and then of folders, the deepest first, so that
// an inaccessible folder is closed last.
func writeModes(b *strings.Builder, entries []Entry) {
	byMode := map[string][]string{}
	var modes []string
	for _, e := range entries {
		if e.Kind != kindFile {
			continue
		}
		if byMode[e.Mode] == nil {
			modes = append(modes, e.Mode)
		}
		byMode[e.Mode] = append(byMode[e.Mode], e.name())
	}
	for _, mode := range modes {
		eachBatch(b, "m "+mode, byMode[mode])
	}

	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Kind == kindFolder {
			eachBatch(b, "m "+entries[i].Mode, []string{entries[i].name()})
		}
	}
}

// eachBatch calls a function of the script with names, some at once.
func eachBatch(b *strings.Builder, call string, names []string) {
	for len(names) > 0 {
		n := min(atOnce, len(names))
		b.WriteString(call)
		for _, name := range names[:n] {
			b.WriteString(" " + quote("./"+name))
		}
		b.WriteString("\n")
		names = names[n:]
	}
}

// quote writes a text for the shell.
func quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
