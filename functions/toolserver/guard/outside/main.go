package outside

import (
	"fmt"
	"io"
	"path/filepath"

	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/guard/preflight"
)

// Main is the command write: behind a fence it asks the process outside, elsewhere it writes
// itself, by the same rules. It returns the exit status.
func Main(arguments []string, in io.Reader, out, errs io.Writer) int {
	folder, err := filepath.Abs(preflight.Governed())
	if err != nil {
		fmt.Fprintf(errs, "write: %v\n", err)
		return refused
	}

	if door := broker.Find(folder); door != nil {
		return door.Pass(broker.Write, arguments, in, out, errs)
	}
	return broker.Do(Project{Folder: folder}.Write, broker.Write, arguments, in, out, errs)
}
