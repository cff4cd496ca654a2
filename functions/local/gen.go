package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/server"
	"governance.internal/shared/catalog"
)

func genCommand() *cobra.Command {
	c := command("gen", "Rewrite the event files and the tables of README",
		examples("governance gen", "in the root of the repository; make gen does the same and more"),
		func(_ context.Context, args []string) error {
			if err := noArguments("gen", args); err != nil {
				return err
			}
			return gen()
		})
	c.Hidden = true
	return c
}

// gen rewrites what is generated: the event files and the README's tables of
// endpoints and of tools. It runs in the root of the repository.
func gen() error {
	module, err := os.ReadFile("go.mod")
	if err != nil || !strings.HasPrefix(string(module), "module governance.internal\n") {
		return usage("gen runs in the root of the repository")
	}

	readme, err := os.ReadFile("README.md")
	if err != nil {
		return err
	}

	updated, err := replaceTables(string(readme))
	if err != nil {
		return err
	}
	if err := os.WriteFile("README.md", []byte(updated), 0o644); err != nil {
		return err
	}

	return writeEvents("events")
}

// replaceTables replaces the tables of endpoints and of tools.
func replaceTables(readme string) (string, error) {
	readme, err := replaceTable(readme, "endpoints", catalog.ReadmeTable())
	if err != nil {
		return "", err
	}
	return replaceTable(readme, "tools", server.ReadmeTable())
}

// replaceTable replaces the text between the markers of a table.
func replaceTable(readme, name, table string) (string, error) {
	begin := "<!-- " + name + ": written by make gen -->\n"
	end := "<!-- end of " + name + " -->\n"
	before, rest, found := strings.Cut(readme, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("README.md: the markers of the table of %s are missing", name)
	}
	return before + begin + table + end + after, nil
}
