// Package guides holds the two guides that the service sells, as Markdown, and
// cuts their free previews.
//
// A guide is one embedded file. The part before its marker line is free and the
// rest is paid, so the preview always matches the guide. The text contains
// {base_url} for the service's address, which the handler fills in.
package guides

import (
	"embed"
	"slices"
	"strings"
)

// marker is the line at which a preview ends. It is a Markdown comment and is
// removed from the guide that a buyer gets.
const marker = "<!-- preview ends -->\n"

// BaseURL is the placeholder for the address of the service.
const BaseURL = "{base_url}"

//go:embed *.md
var files embed.FS

var names = []string{"x402-integration", "mcp-hardening"}

// Names returns the names of all guides: the last segment of their paths, in the
// order of the catalogue.
func Names() []string { return slices.Clone(names) }

// Full returns a whole guide as Markdown. It reports false for an unknown name.
func Full(name string) (string, bool) {
	free, paid, ok := load(name)
	return free + paid, ok
}

// Preview returns the free beginning of a guide, title, contents and first
// section, and one line that says how to get the rest. It reports false for an
// unknown name.
func Preview(name string) (string, bool) {
	free, _, ok := load(name)
	if !ok {
		return "", false
	}
	return free + "*The preview ends here. The whole guide is at `GET " + BaseURL + "/x402/playbook/" + name +
		"`, paid per call with x402; `GET " + BaseURL + "/x402/products` says what it costs.*\n", true
}

// load splits a guide at its marker. The lookup in the list keeps foreign
// input out of the path.
func load(name string) (free, paid string, ok bool) {
	if !slices.Contains(names, name) {
		return "", "", false
	}
	text, err := files.ReadFile(name + ".md")
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(text), marker)
}
