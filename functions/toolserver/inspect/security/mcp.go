package security

import (
	"context"
	"path"
	"strings"

	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/shared/lint"
)

// clientFiles are the names under which MCP clients keep their configuration in a project.
var clientFiles = []string{
	".mcp.json", "mcp.json", "mcp_config.json", "claude_desktop_config.json", "mcp_settings.json", "cline_mcp_settings.json",
	"opencode.json", "opencode.jsonc", "mcp-config.json", "mcp.config.json",
}

// mcpConfig lints every configuration of an MCP client.
func (a *audit) mcpConfig(ctx context.Context, _ []string) error {
	for _, name := range a.files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !isClientFile(name) {
			continue
		}
		text, err := a.tree.Read(name)
		if err != nil {
			continue
		}
		result, err := lint.LintJSONC(text)
		if err != nil {
			a.skip(MCPConfig+" "+name, "the configuration cannot be linted: "+err.Error(), "")
			continue
		}

		a.report.Checked[MCPConfig]++
		for _, f := range result.Findings {
			line, _ := f.Position()
			a.add(finding.Finding{
				Check:    MCPConfig,
				Rule:     f.Code,
				Severity: string(f.Severity),
				Path:     name,
				Line:     line,
				Message:  f.Message + ".",
				Hint:     f.Hint + ".",
				Key:      f.Rule + " " + f.Server + " " + f.Path,
			})
		}
	}
	if a.report.Checked[MCPConfig] == 0 {
		a.skip(MCPConfig, "no configuration of an MCP client is there", "")
	}
	return nil
}

func isClientFile(name string) bool {
	base := strings.ToLower(path.Base(name))
	for _, each := range clientFiles {
		if base == each {
			return true
		}
	}
	folder := path.Base(path.Dir(name))
	return base == "settings.json" && (folder == ".gemini" || folder == ".qwen")
}
