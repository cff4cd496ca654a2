package server_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"path/filepath"
	"syscall"
	"time"

	"governance.internal/functions/toolserver/server"
	"governance.internal/shared/audit/auditor"
	"governance.internal/shared/audit/file"
)

const (
	floodedVariable = "TEST_FLOODED" // makes the test binary the server that is flooded
	fewDescriptors  = 256
)

// serveFlooded serves with few descriptors until it is killed.
func serveFlooded(dir string) error {
	few := syscall.Rlimit{Cur: fewDescriptors, Max: fewDescriptors}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	chain, err := file.Open(filepath.Join(dir, "chain"), "governance", file.Options{})
	if err != nil {
		return err
	}
	d := server.Deps{
		BaseURL:    "http://" + listener.Addr().String(),
		KillSecret: killSecret,
		DataDir:    dir,
		Workspace:  dir,
		Audit:      chain,
		Verify:     (&auditor.Auditor{Store: chain, Notes: chain, Chain: "governance", Now: time.Now}).Report,
		Host:       machine(),
		Now:        time.Now,
		Random:     rand.Reader,
	}
	server, err := server.New(d)
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return server.Serve(context.Background(), listener)
}
