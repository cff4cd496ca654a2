package agent

import (
	"fmt"
	"io"
	"strings"

	"governance.internal/functions/toolserver/guard/mask"
)

// Log is the agent's log of its work. Recognizable secrets and the path of the workspace
// are redacted.
type Log struct {
	Out  io.Writer
	Hide func(string) string // takes the place of the workspace out of a text
}

// Print writes one line or more.
func (l *Log) Print(format string, args ...any) {
	text := mask.Text(l.Hide(fmt.Sprintf(format, args...)))
	_, _ = io.WriteString(l.Out, strings.TrimRight(text, "\n")+"\n") // a full disk ends no work
}

// hide is for what the model will see, which others may keep.
func (l *Log) hide(text string) string {
	return mask.Shapes(l.Hide(text))
}
