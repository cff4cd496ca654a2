//go:build !linux

package fence

import (
	"context"
	"io"
	"os"
	"os/exec"

	"governance.internal/functions/toolserver/work/fence/egress"
)

// Running is a program behind a fence.
type Running struct{ Standing Standing }

// Start fails: only Linux has the namespaces of a fence.
func Start(context.Context, string, string, func() (Plan, error), func(egress.Decision), io.Reader, io.Writer, io.Writer) (*Running, error) {
	return nil, &Unavailable{"only Linux has user namespaces"}
}

// Wait, Kill and Signal are never reached.
func (*Running) Wait() (int, error)     { return 0, nil }
func (*Running) Kill() error            { return nil }
func (*Running) Signal(os.Signal) error { return nil }

// Setup is never made.
type Setup struct{}

// Prepare fails: only Linux has the namespaces of a fence.
func Prepare(string, func(egress.Decision)) (*Setup, error) {
	return nil, &Unavailable{"only Linux has user namespaces"}
}

// Attach, Stand and Close are never reached.
func (*Setup) Attach(*exec.Cmd)                        {}
func (*Setup) Stand(Plan) (Standing, io.Closer, error) { return Standing{}, nil, nil }
func (*Setup) Close() error                            { return nil }

// Forbidden returns the error itself.
func Forbidden(err error) error { return err }

// Init is never reached.
func Init() int { return 125 }
