package outside

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Write writes a file from outside the fence, if the guard allows it to the agent: a protected
// file only with the approval of a person for this agent and this file, which is used up.
func (p Project) Write(ctx context.Context, r broker.Request) broker.Answer {
	said, err := p.write(ctx, r)
	if err != nil {
		return broker.Answer{Errors: fmt.Appendf(nil, "write: %v\n", err), Status: refused}
	}
	return broker.Answer{Output: []byte(said)}
}

const writeUsage = "usage: governance write [-agent NAME] FILE, with the new content on standard input"

func (p Project) write(ctx context.Context, r broker.Request) (said string, err error) {
	set := flag.NewFlagSet(broker.Write, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	agent := set.String("agent", "claude-code", "")
	if err := set.Parse(r.Arguments); err != nil || set.NArg() != 1 {
		return "", errors.New(writeUsage)
	}

	gate, err := preflight.Open(p.Folder, p.Data)
	if err != nil {
		return "", err
	}
	defer gate.Workspace.Close()
	gate.Enforces, gate.Installed = true, true

	name := set.Arg(0)
	file, err := target(gate.Workspace, r.Folder, name)
	if err != nil {
		return "", err
	}
	operation := preflight.Edit
	if file.Info == nil {
		operation = preflight.Create
	}

	report, err := gate.Check(ctx, preflight.Action{
		Agent:     *agent,
		Tool:      broker.Write,
		Operation: operation,
		Dir:       r.Folder,
		Paths:     []string{name},
	})
	if report.Decision != policy.OK {
		return "", errors.Join(refusal(report), err)
	}

	approval := approvalOf(report)
	own := outcome.Own{
		Boundary:  *agent,
		Tool:      broker.Write,
		Path:      file.Real,
		Operation: operation,
		Approval:  approval,
	}
	err = outcome.Around(gate.Log, own, func() (err error) {
		said, err = replaced(ctx, gate, *agent, file.Real, r.Input, approval)
		return err
	})
	return said, err
}

// target is the file that a name leads to.
func target(w *workspace.Workspace, folder, name string) (workspace.Path, error) {
	file, err := w.Locate(folder, name)
	switch {
	case err != nil:
		return file, err
	case file.Real == "":
		return file, workspace.ErrOutside
	case file.Info != nil && !file.Info.Mode().IsRegular():
		return file, workspace.ErrNotRegular
	}
	return file, nil
}

// refusal says why the guard does not let a file be written, and what to do.
func refusal(report preflight.Report) error {
	var reasons []string
	for _, result := range report.Results {
		if result.Decision == report.Decision {
			reasons = append(reasons, fmt.Sprintf("%s: %s: %s", report.Decision, result.Path, result.Reason))
		}
	}
	return errors.New(strings.Join(append(reasons, report.Next), " "))
}

// approvalOf is the approval that was used up, "" for none.
func approvalOf(report preflight.Report) string {
	for _, result := range report.Results {
		if result.Approval != nil {
			return *result.Approval
		}
	}
	return ""
}

// replaced writes the content in the place of the former one, and records it. The file stays the
// same, because the kernel would take a mount of the fence away with another one.
func replaced(ctx context.Context, gate *preflight.Gate, agent, name string, content []byte, approval string) (said string, err error) {
	file, err := gate.Workspace.OpenState(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return "", err
	}
	defer file.Close()

	before, err := io.ReadAll(file)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", name, err)
	}
	if err := overwrite(file, content); err != nil {
		return "", errors.Join(fmt.Errorf("%s cannot be written", name), err, overwrite(file, before))
	}

	err = gate.Log.Note(ctx, agent, violations.WrittenOutside, map[string]any{
		"path":          name,
		"approval":      approval,
		"before_sha256": digest(before),
		"after_sha256":  digest(content),
		"bytes":         len(content),
	})
	if err != nil {
		return "", errors.Join(fmt.Errorf("%s is as before, because the change cannot be recorded", name), err, overwrite(file, before))
	}
	return fmt.Sprintf("wrote %s, %d bytes\n", name, len(content)), nil
}

// overwrite never leaves the file empty on its way.
func overwrite(file *os.File, content []byte) error {
	_, err := file.WriteAt(content, 0)
	return errors.Join(err, file.Truncate(int64(len(content))), file.Sync())
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
