package server

import (
	"fmt"
	"strings"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools"
)

// ReadmeTable lists the tools for the README, in their order.
func ReadmeTable() string {
	var b strings.Builder
	b.WriteString("| Tool | Toolset | What it does |\n|---|---|---|\n")
	for _, t := range tools.All(tools.Deps{}, func(*tool.Tool) bool { return true }) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.Name, t.Toolset, t.Description)
	}
	return b.String()
}
