package lint

// ProjectFiles are the files in which known clients look for servers in a project, relative
// to its root and separated by slashes. Some are general settings that may hold no servers.
var ProjectFiles = []string{
	".mcp.json", "mcp.json",
	".vscode/mcp.json", ".vscode/settings.json",
	".cursor/mcp.json", ".windsurf/mcp.json", ".zed/settings.json",
	".gemini/settings.json", ".qwen/settings.json", ".kiro/settings/mcp.json", ".amazonq/mcp.json",
	".roo/mcp.json", ".cline/mcp.json", ".junie/mcp/mcp.json", ".trae/mcp.json", ".factory/mcp.json", ".amp/settings.json",
	"opencode.json", "opencode.jsonc", ".codex/config.toml",
}
