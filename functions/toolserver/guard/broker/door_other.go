//go:build !linux

package broker

import (
	"errors"
	"net"
)

// Door is the way out of a fence. Only Linux has fences.
type Door struct{}

// Find returns nil: there is no fence.
func Find(string) *Door { return nil }

func (*Door) dial() (net.Conn, error) { return nil, errors.ErrUnsupported }

func listen(string) (net.Listener, error) { return nil, errors.ErrUnsupported }

func peer(net.Conn) int { return 0 }
