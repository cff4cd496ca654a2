package toolserver

import (
	"context"
	"log/slog"
	"time"

	"governance.internal/functions/toolserver/approval"
	"governance.internal/functions/toolserver/baseline"
)

// watchInterval is how often the governed files are compared with their baseline.
const watchInterval = 30 * time.Second

// net compares the governed files with what they were.
func (s *Server) net() *baseline.Net {
	return &baseline.Net{Workspace: s.workspace, Log: s.violations, Now: s.deps.Now, Approved: s.approvals().UsedSince}
}

// keepWatching compares until ctx ends. A comparison that fails is told once, until
// one succeeds.
func (s *Server) keepWatching(ctx context.Context) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	told := ""
	for {
		changes, err := s.net().Watch(ctx)
		for _, c := range changes {
			slog.WarnContext(ctx, "a governed file changed without passing the guard", "path", c.Path, "change", c.Kind)
		}
		text := ""
		if err != nil && ctx.Err() == nil {
			text = err.Error()
		}
		if text != "" && text != told {
			slog.WarnContext(ctx, "the governed files cannot be compared", "error", text)
		}
		told = text
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// approvals is the book of what people allow in the workspace.
func (s *Server) approvals() *approval.Book {
	return &approval.Book{Workspace: s.workspace, Now: s.deps.Now, Random: s.deps.Random, Record: s.violations.Note}
}
