package ops

import (
	"context"
	"errors"
	"syscall"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/snapshot"
	"governance.internal/functions/toolserver/mcp/tool"
)

type snapshotInput struct {
	Label   string `json:"label,omitempty" pattern:"^[a-z0-9-]{1,40}$" max:"40"`
	Secrets bool   `json:"include_secrets" default:"false"`
}

// Snapshot is the answer of create_snapshot.
type Snapshot struct {
	snapshot.Snapshot
	Entry string `json:"audit_entry"`
}

// CreateSnapshot keeps the workspace as it is.
func CreateSnapshot(k *snapshot.Keeper) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "create_snapshot",
		Title:       "Snapshot",
		Toolset:     "ops",
		Description: "Keeps all files of the workspace in an archive with a manifest and a script that puts them back.",
	}, func(ctx context.Context, _ *tool.Call, in snapshotInput) (Snapshot, error) {
		taken, entry, err := k.Record(ctx, "create_snapshot", snapshot.Options{
			Label:   in.Label,
			Secrets: in.Secrets,
		})
		if err != nil {
			return Snapshot{}, snapshotError(ctx, err)
		}
		return Snapshot{taken, entry}, nil
	})
}

func snapshotError(ctx context.Context, err error) error {
	var limit *snapshot.LimitError
	var problem workspace.Problem
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &limit):
		return &tool.Error{
			Code:    "limit_exceeded",
			Message: "No snapshot was taken: " + err.Error() + ".",
			Hint:    "Exclude large files under snapshot.exclude in " + workspace.FileName + ", or raise snapshot.max_bytes.",
		}
	case errors.As(err, &problem):
		return &tool.Error{
			Code:    "not_configured",
			Message: "The workspace file cannot be read: " + err.Error(),
			Hint:    "A person must repair " + workspace.FileName + ".",
		}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EACCES):
		return &tool.Error{
			Code:    "unavailable",
			Message: "No snapshot was taken: the disk cannot be written.",
			Hint:    "Make room on the disk of the workspace, and try again.",
		}
	}
	return err
}
