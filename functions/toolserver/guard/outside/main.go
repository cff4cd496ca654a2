package outside

import (
	"io"

	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/guard/hook"
)

// Once answers one request, which another program of ours passes on: broker.Through starts a
// program with the argument [broker.Outside] and a folder for it. It returns the exit status.
func Once(snapshots hook.Snapshots, arguments []string, in io.Reader, out io.Writer) int {
	if len(arguments) != 1 {
		return refused
	}
	return broker.Once(Of(snapshots)(arguments[0]), in, out)
}

// Main is the command write: behind a fence it asks the process outside, elsewhere it writes
// itself, by the same rules. It returns the exit status.
func Main(arguments []string, in io.Reader, out, errs io.Writer) int {
	return broker.Ask(Of(nil), broker.Write, arguments, in, out, errs)
}
