package hook

import (
	"bytes"
	"encoding/json"
	"strings"

	"governance.internal/functions/toolserver/guard/coder"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/workspace"
)

// maxWritten is the size of a governed file that is compared with what a call wrote, in bytes.
const maxWritten = 8 << 20

// compareWritten marks governed files that do not hold what the call wrote, where the agent
// tells that: something else wrote to them meanwhile.
func compareWritten(w *workspace.Workspace, report coder.Report, c call, m message, files []outcome.File) {
	if report != coder.Succeeded || len(files) != 1 || files[0].List == "" {
		return
	}
	written, known := c.written(m)
	if !known {
		return
	}

	text, err := w.ReadFile(files[0].Path, maxWritten)
	if err != nil { // gone, or too large: its digest says so
		return
	}
	files[0].Other = !bytes.Equal(plainLines(text), plainLines([]byte(written)))
}

// plainLines are the lines of a text with plain ends: agents keep the ends that a file had.
func plainLines(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}

// written is the whole text of the one file that a call wrote.
func (c call) written(m message) (text string, known bool) {
	var told struct {
		Original *string `json:"originalFile"` // Claude Code
		Display  struct {
			New *string `json:"newContent"` // Gemini CLI
		} `json:"returnDisplay"`
	}
	_ = json.Unmarshal(m.Response, &told) // what has another form tells nothing

	content, hasContent := c.texts("content")
	older, hasOlder := c.texts("old_string")
	newer, hasNewer := c.texts("new_string")
	switch {
	case told.Display.New != nil:
		return *told.Display.New, true
	case c.Tool == "Write" && hasContent:
		return content, true
	case c.Tool == "Edit" && told.Original != nil && hasOlder && hasNewer:
		return replaced(*told.Original, older, newer, string(c.Input["replace_all"]) == "true"), true
	}
	return "", false
}

// texts is an argument that is a text, also an empty one.
func (c call) texts(name string) (string, bool) {
	var text string
	raw, there := c.Input[name]
	if !there || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}

func replaced(text, older, newer string, all bool) string {
	if older == "" { // a new file
		return newer
	}
	if all {
		return strings.ReplaceAll(text, older, newer)
	}
	return strings.Replace(text, older, newer, 1)
}
