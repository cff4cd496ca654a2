package hook

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"governance.internal/functions/toolserver/guard/coder"
	"governance.internal/functions/toolserver/guard/outcome"
)

// result are the members of a report that say how a call went.
type result struct {
	Transcript  string          `json:"transcript_path"` // Codex
	Response    json.RawMessage `json:"tool_response"`   // Claude Code, Codex, Gemini CLI
	ToolOutput  json.RawMessage `json:"tool_output"`     // Cursor
	ToolResult  json.RawMessage `json:"toolResult"`      // Copilot CLI
	Output      string          `json:"output"`          // Cursor, of a shell
	Error       json.RawMessage `json:"error"`
	FailureType string          `json:"failure_type"` // Cursor
	Interrupted bool            `json:"is_interrupt"`
	DurationMS  *float64        `json:"duration_ms"` // Claude Code
	Duration    *float64        `json:"duration"`    // Cursor
}

// ending is how a call went, as far as the agent tells.
type ending struct {
	result string
	exit   *int
}

// ended reads how a call went from a report of it.
func (a Agent) ended(report coder.Report, c call, m message) ending {
	e := ending{result: outcome.Succeeded}
	switch report {
	case coder.Failed:
		e.result = outcome.Failed
	case coder.Refused:
		return ending{result: outcome.Refused}
	}

	if refusedByResult(m) {
		return ending{result: outcome.Refused}
	}
	if a.exit != nil {
		e = a.exit(e, c, m)
	}
	if e.exit != nil && *e.exit != 0 && e.result == outcome.Succeeded {
		e.result = outcome.Failed
	}
	return e
}

// refusedByResult reports whether the result itself says that a person refused the call:
// Copilot CLI and Cursor report that as a kind of result.
func refusedByResult(m message) bool {
	var told struct {
		ResultType string `json:"resultType"`
	}
	_ = json.Unmarshal(m.ToolResult, &told) // what is no object says nothing
	return told.ResultType == "denied" || m.FailureType == "permission_denied"
}

func status0() *int { return new(int) }

func statusOf(digits string) *int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return nil
	}
	return &n
}

// runsShell reports whether a call runs a shell command.
func (c call) runsShell() bool {
	_, runs := c.command()
	return runs
}

var claudeExit = regexp.MustCompile(`^Exit code (\d+)\b`)

// claudeExitStatus: Claude Code reports a command as failed unless its status is 0, and begins
// the error with it.
func claudeExitStatus(e ending, c call, m message) ending {
	if !c.runsShell() {
		return e
	}
	if e.result == outcome.Succeeded {
		var told struct {
			Interrupted bool   `json:"interrupted"`
			Background  string `json:"backgroundTaskId"`
		}
		_ = json.Unmarshal(m.Response, &told)
		if told.Interrupted || told.Background != "" { // it runs on, or was ended
			e.result = outcome.Ended
			return e
		}
		e.exit = status0()
		return e
	}

	if match := claudeExit.FindStringSubmatch(textIn(m.Error)); match != nil {
		e.exit = statusOf(match[1])
	}
	return e
}

var codexExit = regexp.MustCompile(`^Exit code: (\d+)\n`)

// codexExitStatus: Codex tells the status of a patch before its output. Of a command it tells
// the output alone, so what looks like a status there is a text of the command; the status is
// in its transcript.
func codexExitStatus(e ending, c call, m message) ending {
	if c.Tool != "apply_patch" {
		e.exit = exitInTranscript(m.Transcript, c.Use)
		if e.exit == nil {
			e.result = outcome.Ended
		}
		return e
	}
	if match := codexExit.FindStringSubmatch(textIn(m.Response)); match != nil {
		e.exit = statusOf(match[1])
	}
	return e
}

// geminiExit is the last such line: the ones before are output of the command.
var geminiExit = regexp.MustCompile(`(?s).*\n(?:Exit Code: (\d+)|(Error|Signal): [^\n]*)\n`)

// geminiExitStatus: Gemini CLI reports failures as results with an error, and the status of a
// command that failed after its output.
func geminiExitStatus(e ending, c call, m message) ending {
	var told struct {
		Error   json.RawMessage `json:"error"`
		Content json.RawMessage `json:"llmContent"`
	}
	_ = json.Unmarshal(m.Response, &told)
	if len(told.Error) > 0 && string(told.Error) != "null" {
		e.result = outcome.Failed
	}
	if !c.runsShell() {
		return e
	}

	text := textIn(told.Content)
	match := geminiExit.FindStringSubmatch(text)
	switch {
	case match != nil && match[1] != "":
		e.exit = statusOf(match[1])
	case match != nil:
		e.result = outcome.Failed
	case e.result == outcome.Succeeded && strings.Contains(text, "Output: "):
		e.exit = status0()
	case e.result == outcome.Succeeded:
		e.result = outcome.Ended
	}
	return e
}

// cursorExitStatus: Cursor gives the result of a command as a text of JSON.
func cursorExitStatus(e ending, c call, m message) ending {
	var told struct {
		Exit *int `json:"exitCode"`
	}
	_ = json.Unmarshal([]byte(textIn(m.ToolOutput)), &told)
	e.exit = told.Exit
	if c.runsShell() && e.exit == nil && e.result == outcome.Succeeded {
		e.result = outcome.Ended
	}
	return e
}

// copilotExitStatus: Copilot CLI tells the kind of a result, and no status.
func copilotExitStatus(e ending, c call, m message) ending {
	var told struct {
		ResultType string `json:"resultType"`
	}
	_ = json.Unmarshal(m.ToolResult, &told)
	switch {
	case told.ResultType == "failure":
		e.result = outcome.Failed
	case c.runsShell():
		e.result = outcome.Ended
	}
	return e
}

// windsurfExitStatus: Windsurf tells that an action is over, and not how it went.
func windsurfExitStatus(e ending, _ call, _ message) ending {
	e.result = outcome.Ended
	return e
}

// textIn is a value of JSON as a text: the text itself, or the spelling of another value.
func textIn(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// output are all texts of the result of a call, for the counts of tests in them.
func (r result) output() string {
	var b strings.Builder
	for _, raw := range []json.RawMessage{r.Response, r.ToolOutput, r.ToolResult, r.Error} {
		var told any
		if json.Unmarshal(raw, &told) != nil {
			continue
		}
		if text, quoted := told.(string); quoted { // Cursor gives JSON as a text
			var inner any
			if json.Unmarshal([]byte(text), &inner) == nil {
				told = inner
			}
		}
		for _, v := range collect(nil, "", told) {
			b.WriteString(v.text + "\n")
		}
	}
	b.WriteString(r.Output)
	return b.String()
}

// milliseconds is how long the call took, nil if the agent does not say.
func (r result) milliseconds() *int64 {
	for _, told := range []*float64{r.DurationMS, r.Duration} {
		if told != nil && *told >= 0 && *told < 1e12 {
			n := int64(*told)
			return &n
		}
	}
	return nil
}
