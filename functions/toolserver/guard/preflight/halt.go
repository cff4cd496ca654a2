package preflight

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"governance.internal/functions/toolserver/work/statefile"
)

// haltIn says why everything is halted, by the flag in the data directory of a service; "" if
// it is not. A flag that cannot be read halts, as it does for the kill switch. A halt of
// dispatches or of processes alone is no halt of other agents.
func haltIn(data string) string {
	text, err := statefile.Read(filepath.Join(data, "HALT"))
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}

	var halt struct{ Reason, Scope string }
	if err != nil || json.Unmarshal(text, &halt) != nil {
		return "the flag HALT cannot be read"
	}
	if halt.Scope == "dispatches" || halt.Scope == "processes" {
		return ""
	}
	return cmp.Or(halt.Reason, "no reason was given")
}
