package server

import (
	"context"
	"os/exec"

	"governance.internal/functions/toolserver/inspect/evidence"
	"governance.internal/functions/toolserver/session/handoff"
	"governance.internal/functions/toolserver/tools/audit"
)

// evidence reads what the workspace shows of its governance.
func (s *Server) evidence() audit.Evidence {
	probe := evidence.Probe{
		Workspace:    s.governed.workspace,
		Verify:       s.verifiedChain,
		CheckHandoff: handoff.Check,
		CanStart: func(program string) error {
			_, err := exec.LookPath(program)
			return err
		},
		Now: s.deps.Now,
	}
	return probe.Facts
}

func (s *Server) verifiedChain(ctx context.Context) (evidence.Chain, error) {
	verified, err := audit.VerifyNow(ctx, s.chain.verify)
	return evidence.Chain{
		Valid:    verified.Valid,
		Entries:  verified.Entries,
		Anchored: verified.Anchored,
	}, err
}
