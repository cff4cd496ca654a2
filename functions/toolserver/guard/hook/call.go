package hook

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/preflight"
)

// call is a call of a tool, whatever agent makes it.
type call struct {
	Event   string
	Tool    string
	Dir     string // where the agent works, absolute
	Session string // of the agent
	Use     string // id of this call, "" if the agent gives none
	ID      string // of the subagent that calls, "" for none
	Kind    string // of the agent within its session, such as code-reviewer
	Input   map[string]json.RawMessage
}

var errCall = errors.New("it is not the JSON object of a tool call")

// message is what an agent writes to a hook. Agents name the same things differently.
type message struct {
	Event    string          `json:"hook_event_name"`
	Action   string          `json:"agent_action_name"`
	Tool     string          `json:"tool_name"`
	ToolName string          `json:"toolName"`
	Dir      string          `json:"cwd"`
	ID       string          `json:"agent_id"`
	Kind     string          `json:"agent_type"`
	Input    json.RawMessage `json:"tool_input"`
	Args     json.RawMessage `json:"toolArgs"`
	Info     json.RawMessage `json:"tool_info"`
	Command  string          `json:"command"`

	Session      string `json:"session_id"`
	SessionID    string `json:"sessionId"`
	Conversation string `json:"conversation_id"`
	Trajectory   string `json:"trajectory_id"`
	Use          string `json:"tool_use_id"`

	result
	stopping
}

func parseMessage(text []byte) (message, error) {
	var m message
	if json.Unmarshal(text, &m) != nil {
		return message{}, errCall
	}
	return m, nil
}

// session is the id of the agent's session, "" if it gives none.
func (m message) session() string {
	return first(m.Session, m.SessionID, m.Conversation, m.Trajectory)
}

// call is the call of a tool that a message is about.
func (m message) call() (call, error) {
	c := call{
		Event:   first(m.Event, m.Action, "preToolUse"),
		Tool:    first(m.Tool, m.ToolName, m.Action, m.Event),
		Dir:     m.Dir,
		Session: m.session(),
		Use:     m.Use,
		ID:      m.ID,
		Kind:    m.Kind,
	}

	input := slices.Concat(m.Input, m.Args, m.Info) // only one of them is there
	if len(input) == 0 && m.Command != "" {
		input, _ = json.Marshal(map[string]string{"command": m.Command})
	}

	var quoted string
	if json.Unmarshal(input, &quoted) == nil { // some write the arguments as a text
		input = json.RawMessage(quoted)
	}

	if c.Tool == "" ||
		json.Unmarshal(input, &c.Input) != nil ||
		c.Input == nil {
		return call{}, errCall
	}

	if tool := c.text("mcp_tool_name"); tool != "" { // Windsurf puts the call of another server into its own
		c.Tool = "mcp__" + c.text("mcp_server_name") + "__" + tool
		var arguments map[string]json.RawMessage
		if json.Unmarshal(c.Input["mcp_tool_arguments"], &arguments) != nil || arguments == nil {
			return call{}, errCall
		}
		c.Input = arguments
	}

	if dir := c.text("cwd", "dir_path", "directory", "workdir"); strings.HasPrefix(dir, "/") {
		c.Dir = dir
	}

	return c, nil
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// text is the first argument of these names that is a text.
func (c call) text(names ...string) string {
	for _, name := range names {
		var text string
		if json.Unmarshal(c.Input[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// Words in the names of tools. A tool that reads is not asked about.
var (
	shellTool = regexp.MustCompile(`(?i)(bash|shell|terminal|powershell|exec|run_?command|run_?cmd)`)
	writeTool = regexp.MustCompile(`(?i)(write|edit|replace|create|insert|patch|update|append|save|put|upload)`)
	moveTool  = regexp.MustCompile(`(?i)(move|rename)`)
	dropTool  = regexp.MustCompile(`(?i)(delete|remove|unlink)`)
)

// pathNames are the arguments in which agents name files.
var pathNames = []string{"file_path", "filePath", "path", "notebook_path", "target_notebook", "target_file", "absolute_path", "filename", "file", "uri", "source", "destination", "old_path", "new_path", "from", "to"}

// files are the files that a call would change, by operation.
func (c call) files() map[string][]string {
	operation := ""
	switch {
	case dropTool.MatchString(c.Tool):
		operation = preflight.Delete
	case moveTool.MatchString(c.Tool):
		operation = preflight.Rename
	case writeTool.MatchString(c.Tool):
		operation = preflight.Edit
	default:
		return nil
	}

	files := map[string][]string{}
	for _, name := range pathNames {
		if path := c.text(name); path != "" {
			files[operation] = append(files[operation], strings.TrimPrefix(path, "file://"))
		}
	}

	for _, list := range []string{"paths", "files", "file_paths"} {
		var paths []string
		if json.Unmarshal(c.Input[list], &paths) == nil {
			files[operation] = append(files[operation], paths...)
		}
	}

	for _, name := range []string{"command", "patch", "input"} {
		c.patched(c.text(name), files)
	}

	if len(files[operation]) == 0 {
		delete(files, operation)
	}

	return files
}

// patchLine names a file in the patch format of Codex.
var patchLine = regexp.MustCompile(`(?m)^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\r?$`)

func (c call) patched(patch string, files map[string][]string) {
	for _, line := range patchLine.FindAllStringSubmatch(patch, -1) {
		operation := preflight.Edit
		if line[1] == "Delete File" {
			operation = preflight.Delete
		}
		files[operation] = append(files[operation], strings.TrimSpace(line[2]))
	}
}

// command returns the shell command of a call. An argument named command is one for any
// tool.
func (c call) command() (string, bool) {
	if patchLine.MatchString(c.text("command")) {
		return "", false
	}
	if command := c.text("command", "cmd", "command_line"); command != "" {
		return command, true
	}
	if script := c.text("script"); script != "" && shellTool.MatchString(c.Tool) {
		return script, true
	}

	var argv []string // an argument list, as some agents give it
	if json.Unmarshal(c.Input["command"], &argv) == nil && len(argv) > 0 {
		for i, word := range argv {
			argv[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		return strings.Join(argv, " "), true
	}

	return "", false
}
