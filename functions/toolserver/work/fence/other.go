//go:build !linux

package fence

import (
	"context"
	"io"
	"os"
)

// Running is a program behind a fence.
type Running struct{ Standing Standing }

// Start fails: only Linux has the namespaces of a fence.
func Start(context.Context, string, Plan, io.Reader, io.Writer, io.Writer) (*Running, error) {
	return nil, &Unavailable{"only Linux has user namespaces"}
}

// Wait, Kill and Signal are never reached.
func (*Running) Wait() (int, error)     { return 0, nil }
func (*Running) Kill() error            { return nil }
func (*Running) Signal(os.Signal) error { return nil }

// Init is never reached.
func Init() int { return 125 }
