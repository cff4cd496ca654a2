package workspace

import "io/fs"

// documents and pages are looked for where no file says which there are.
var (
	documents = []string{"README.md", "CLAUDE.md", "AGENTS.md"}
	webRoots  = []string{"public", "web", "site", "docs"}
	manifests = []struct{ file, pointer string }{{"package.json", "/version"}, {"pyproject.toml", "/project/version"}}
)

// detect makes a configuration of what is there, without any list for the guard.
func (w *Workspace) detect() Config {
	var c Config
	for _, name := range documents {
		if w.isFile(name) {
			c.Docs = append(c.Docs, Document{Path: name})
		}
	}

	for _, folder := range webRoots {
		if w.isFile(folder + "/index.html") {
			c.Website = Website{Root: folder, Pages: []Glob{{Pattern: "**/*.html"}}}
			break
		}
	}

	for _, m := range manifests {
		if w.isFile(m.file) {
			c.Versions = append(c.Versions, Fact{
				Name: m.file,
				Source: Source{
					File:    m.file,
					Pointer: m.pointer,
				},
			})
		}
	}

	return c.withDefaults()
}

func (w *Workspace) isFile(name string) bool {
	info, err := fs.Stat(w.root.FS(), name)
	return err == nil && info.Mode().IsRegular()
}
