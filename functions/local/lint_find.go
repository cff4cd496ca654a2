package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"governance.internal/shared/lint"
)

// homeConfigs are where clients look in a home directory, on every system.
var homeConfigs = []string{
	".claude.json", ".mcp.json",
	".cursor/mcp.json", ".codeium/windsurf/mcp_config.json",
	".gemini/settings.json", ".gemini/antigravity/mcp_config.json", ".qwen/settings.json",
	".kiro/settings/mcp.json", ".aws/amazonq/mcp.json", ".copilot/mcp-config.json",
	".lmstudio/mcp.json", ".junie/mcp/mcp.json", ".factory/mcp.json", ".continue/config.json",
	".config/zed/settings.json", ".config/amp/settings.json", ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc",
	".codex/config.toml", ".config/goose/config.yaml",
}

// appConfigs are where desktop programs look, relative to the folder that the system keeps for
// their settings.
var appConfigs = []string{
	"Claude/claude_desktop_config.json",
	"Code/User/mcp.json", "Code/User/settings.json",
	"Code - Insiders/User/mcp.json", "Code - Insiders/User/settings.json",
	"VSCodium/User/mcp.json", "VSCodium/User/settings.json",
	"Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
	"Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
	"Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
}

// appFolder is that folder on this system, relative to the home directory.
func appFolder(system string) string {
	switch system {
	case "darwin":
		return "Library/Application Support"
	case "windows":
		return "AppData/Roaming"
	}
	return ".config"
}

// configPlaces are all files that known clients read, in this folder and in a home directory.
func configPlaces(project, home, system string) []string {
	var places []string
	for _, name := range lint.ProjectFiles {
		places = append(places, filepath.Join(project, name))
	}

	if home == "" {
		return places
	}
	for _, name := range homeConfigs {
		places = append(places, filepath.Join(home, name))
	}

	for _, name := range appConfigs {
		places = append(places, filepath.Join(home, appFolder(system), name))
	}
	return places
}

// findConfigs gives the configurations of known clients that exist here. Settings of an editor
// without MCP servers are left out. What exists and cannot be read as JSON is named, because it
// was not judged.
func findConfigs(t terminal) ([]string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		fmt.Fprintf(t.err, "cannot find the home directory, so only this folder is searched: %v\n", err)
	}

	places := configPlaces(".", home, runtime.GOOS)

	var found []string
	for _, place := range places {
		document, err := os.ReadFile(place)
		if os.IsNotExist(err) {
			continue
		}
		switch extension := filepath.Ext(place); {
		case err == nil && (extension == ".toml" || extension == ".yaml"):
			fmt.Fprintf(t.err, "%s: found but not linted, because the lint reads JSON only\n", place)
		case err == nil && hasNoServers(document):
		default:
			found = append(found, place)
		}
	}

	if len(found) == 0 {
		return nil, exit{2, fmt.Errorf("lint found no MCP configuration in %d places of this folder and your home directory; name a file, for example: lint ~/mcp.json", len(places))}
	}
	return found, nil
}

// hasNoServers reports whether a document is well formed and lists no servers.
func hasNoServers(document []byte) bool {
	_, err := lint.LintJSONC(document)
	input, ok := err.(*lint.InputError)
	return ok && input.Code == lint.CodeNoServers
}
