package hook

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// maxTail is how much of a transcript is read, in bytes from its end. What is looked for was
// written a moment ago.
const maxTail = 1 << 20

// exitInTranscript is the exit status of a command in a transcript of Codex, nil if it is not
// there. Codex writes the end of a command into its transcript before it calls the hook, and
// leaves the status out of the call. The output of a command cannot imitate it: there it is a
// text in a line of JSON.
func exitInTranscript(file, call string) *int {
	if call == "" || !filepath.IsAbs(file) {
		return nil
	}
	tail, err := tailOf(file)
	if err != nil {
		return nil
	}

	var status *int
	for line := range bytes.Lines(tail) {
		if !bytes.Contains(line, []byte(call)) {
			continue
		}
		var entry struct {
			Type    string `json:"type"`
			Payload struct {
				Type string `json:"type"`
				Item struct {
					Type string `json:"type"`
					ID   string `json:"id"`
					Exit *int   `json:"exit_code"`
				} `json:"item"`
			} `json:"payload"`
		}
		if json.Unmarshal(line, &entry) != nil { // the first one may be cut
			continue
		}

		item := entry.Payload.Item
		ended := entry.Type == "event_msg" && entry.Payload.Type == "item_completed"
		if ended && item.Type == "CommandExecution" && item.ID == call {
			status = item.Exit
		}
	}
	return status
}

// tailOf reads the end of a regular file. It never waits for a pipe.
func tailOf(file string) ([]byte, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	from := max(info.Size()-maxTail, 0)
	return io.ReadAll(io.NewSectionReader(f, from, maxTail))
}
