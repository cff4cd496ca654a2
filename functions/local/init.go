package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"governance.internal/functions/toolserver/guard/workspace"
)

// initWorkspace writes a commented governance.yaml for the project that it finds.
// One that is there stays.
func initWorkspace(_ context.Context, t terminal, args []string) error {
	set := flags(t, "init", "init [-workspace DIR] [-print] [-schema]")
	folder := set.String("workspace", ".", "`directory` of the project")
	show := set.Bool("print", false, "print the file and write nothing")
	schema := set.Bool("schema", false, "print the JSON Schema of the file and write nothing")
	rest, err := parse(set, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("init takes no argument %q", rest[0])
	}

	if *schema {
		_, err := t.out.Write(workspace.Schema())
		return err
	}

	w, err := workspace.Open(*folder)
	if err != nil {
		return usage("-workspace: %w", err)
	}
	defer w.Close()

	text, err := w.Draft(projectName(*folder))
	if err != nil {
		return err
	}

	if *show {
		_, err := fmt.Fprint(t.out, text)
		return err
	}

	f, err := os.OpenFile(filepath.Join(*folder, workspace.FileName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already and stays as it is; governance init -print shows what would be written", workspace.FileName)
	} else if err != nil {
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
