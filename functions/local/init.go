package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/guard/workspace"
)

func initCommand(t terminal) *cobra.Command {
	var folder string
	var show, schema bool
	c := command("init", "Write governance.yaml for a project",
		examples(
			"governance init --workspace ~/project", "write the file, with comments",
			"governance init --print", "show it and write nothing",
			"governance init --schema", "print its JSON Schema",
		),
		func(_ context.Context, args []string) error {
			if err := noArguments("init", args); err != nil {
				return err
			}
			if schema {
				_, err := t.out.Write(workspace.Schema())
				return err
			}
			return initWorkspace(t, folder, show)
		})
	c.Flags().StringVar(&folder, "workspace", ".", "`directory` of the project")
	c.Flags().BoolVar(&show, "print", false, "print the file and write nothing")
	c.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of the file and write nothing")
	return c
}

// initWorkspace writes a commented governance.yaml for the project that it finds. It
// never overwrites one.
func initWorkspace(t terminal, folder string, show bool) error {
	w, err := workspace.Open(folder)
	if err != nil {
		return usage("--workspace: %w", err)
	}
	defer w.Close()

	text, err := w.Draft(projectName(folder))
	if err != nil {
		return err
	}

	if show {
		_, err := fmt.Fprint(t.out, text)
		return err
	}

	f, err := os.OpenFile(filepath.Join(folder, workspace.FileName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists already and stays as it is; governance init --print shows a fresh one", workspace.FileName)
	}
	if err != nil {
		return err
	}

	if _, err = f.WriteString(text); err != nil {
		return errors.Join(err, f.Close())
	}
	fmt.Fprintf(t.err, "wrote %s; read it, then let agents be checked with: governance hook install\n",
		workspace.FileName)
	return f.Close()
}

func projectName(folder string) string {
	full, err := filepath.Abs(folder)
	if err != nil {
		return "project"
	}
	return filepath.Base(full)
}
