// Package tools is the one ordered list of the server's tools.
package tools

import (
	"governance.internal/functions/toolserver/tool"
	"governance.internal/functions/toolserver/tools/audit"
)

// Deps are what the tools work with.
type Deps struct{}

// All are the tools in the order in which they are listed everywhere.
func All(d Deps) []*tool.Tool {
	return []*tool.Tool{
		audit.LintMCPConfig(),
	}
}
