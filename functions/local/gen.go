package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"governance.internal/shared/catalog"
)

// gen rewrites what is generated from the catalogue: the event files and the
// endpoint table of the README. It runs in the root of the repository.
func gen(_ context.Context, t terminal, args []string) error {
	set := flags(t, "gen", "gen")
	if rest, err := parse(set, args); err != nil || len(rest) > 0 {
		return usage("gen takes no arguments")
	}
	module, err := os.ReadFile("go.mod")
	if err != nil || !strings.HasPrefix(string(module), "module governance.internal\n") {
		return usage("gen runs in the root of the repository")
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		return err
	}
	updated, err := replaceTable(string(readme), catalog.ReadmeTable())
	if err != nil {
		return err
	}
	if err := os.WriteFile("README.md", []byte(updated), 0o644); err != nil {
		return err
	}
	return writeEvents("events")
}

const (
	tableBegin = "<!-- endpoints: written by make gen -->\n"
	tableEnd   = "<!-- end of endpoints -->\n"
)

// replaceTable exchanges what stands between the markers.
func replaceTable(readme, table string) (string, error) {
	before, rest, found := strings.Cut(readme, tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !found || !ended {
		return "", fmt.Errorf("README.md: the markers of the endpoint table are missing")
	}
	return before + tableBegin + table + tableEnd + after, nil
}
