package toolserver

import "governance.internal/functions/toolserver/approval"

// approvals is the book of what people allow in the workspace.
func (s *Server) approvals() *approval.Book {
	return &approval.Book{Workspace: s.workspace, Now: s.deps.Now, Random: s.deps.Random, Record: s.violations.Note}
}
