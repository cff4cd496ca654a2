package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"governance.internal/functions/toolserver/server"
	"governance.internal/functions/toolserver/work/killswitch"
	auditfile "governance.internal/shared/audit/file"
	"governance.internal/shared/wiring"
)

// answerTime is how long doctor waits for an answer on the port.
const answerTime = 3 * time.Second

// port reports whether the service runs, or could start.
func (d doctor) port(ctx context.Context) symptom {
	f := symptom{
		Name:  "port",
		State: stateOK,
	}
	listener, err := net.Listen("tcp", d.addr)
	if err == nil {
		_ = listener.Close()
		f.Found = d.addr + " is free; governance serve starts the service"
		return f
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		f.State = stateBroken
		f.Found = err.Error()
		f.Do = "name an address of this machine with --addr HOST:PORT"
		return f
	}

	version, err := serviceAt(ctx, d.addr)
	if err != nil {
		f.State = stateWarn
		f.Found = fmt.Sprintf("%s is taken by another program (%v)", d.addr, err)
		f.Do = "stop that program, or start the service with --addr 127.0.0.1:PORT"
		return f
	}
	f.Found = fmt.Sprintf("%s is served by %s", d.addr, version)
	return f
}

// serviceAt asks what listens at an address, and returns the name and version of this
// service.
func serviceAt(ctx context.Context, addr string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/health", nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", errors.New("it does not answer GET /health")
	}
	defer response.Body.Close()

	var health struct{ Service, Version, Status string }
	err = json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&health)
	if err != nil || health.Service != server.Name {
		return "", errors.New("its GET /health is not ours")
	}
	return printable(health.Service + " " + health.Version + ", status " + health.Status), nil
}

// dataDirectory holds keys, so it belongs to its owner alone.
func (d doctor) dataDirectory() symptom {
	f := symptom{
		Name:  "data directory",
		State: stateOK,
		Found: d.data,
	}
	info, err := os.Stat(d.data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.State = stateMissing
		f.Found += " does not exist"
		f.Do = "governance serve makes it at its first start"
	case err != nil:
		f.State = stateBroken
		f.Found = err.Error()
		f.Do = "make the directory readable for this user"
	case !info.IsDir():
		f.State = stateBroken
		f.Found += " is not a directory"
		f.Do = "move the file away, or name another directory with --data"
	case info.Mode().Perm()&0o077 != 0:
		f.State = stateWarn
		f.Found += fmt.Sprintf(" has mode %04o, so other users can look into it", info.Mode().Perm())
		f.Do = "chmod 700 " + d.data
	default:
		f.Found += fmt.Sprintf(", mode %04o", info.Mode().Perm())
	}
	return f
}

// killSecret reports whether the kill secret exists and only its owner can read it.
func (d doctor) killSecret() symptom {
	f := symptom{
		Name:  "kill secret",
		State: stateOK,
		Found: "KILL_SECRET is set",
	}
	if d.getenv("KILL_SECRET") != "" {
		return f
	}

	file := killSecretFile(d.data)
	f.Found = file
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.State = stateMissing
		f.Found = "there is no " + file + ", and KILL_SECRET is not set"
		f.Do = "start the service once with governance serve, which makes one, or set KILL_SECRET"
	case err != nil:
		f.State = stateBroken
		f.Found = err.Error()
		f.Do = "make the file readable for this user"
	case info.Mode().Perm()&0o077 != 0:
		f.State = stateBroken
		f.Found += fmt.Sprintf(" has mode %04o, so other users can read the secret", info.Mode().Perm())
		f.Do = "remove it and start the service again, which makes a new one with mode 0600"
	case info.Size() == 0:
		f.State = stateBroken
		f.Found += " is empty"
		f.Do = "remove it and start the service again, which makes a new one"
	}
	return f
}

// halt reports whether the kill switch is on.
func (d doctor) halt() symptom {
	f := symptom{
		Name:  "kill switch",
		State: stateOK,
		Found: "nothing is halted",
	}
	halt := killswitch.Open(d.data, nil, nil, time.Now, nil, killswitch.Stops{}).Halted()
	if halt != nil {
		f.State = stateWarn
		f.Found = "halted: " + halt.Reason
		f.Do = `lift it with: governance kill --resume --reason "..."`
	}
	return f
}

// chain verifies the audit chain to its end, and says whether its head is noted.
func (d doctor) chain(ctx context.Context) []symptom {
	f := symptom{
		Name:  "audit chain",
		State: stateOK,
	}
	file := auditfile.Path(d.data, wiring.ChainName)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		f.State = stateMissing
		f.Found = file + " does not exist"
		f.Do = "governance serve begins it at its first start"
		if noteExists(file) {
			f.State = stateBroken
			f.Found += ", but the note of its head does: the chain was removed"
			f.Do = "bring the file back from a copy"
		}
		return []symptom{f}
	}

	anchors, err := notedHead(file)
	if err != nil {
		f.State = stateBroken
		f.Found = err.Error()
		f.Do = "keep both files; compare the chain with a receipt or a checkpoint: governance verify chain"
		return []symptom{f}
	}

	report, err := verifySource(ctx, file, anchors)
	switch {
	case err != nil:
		f.State = stateBroken
		f.Found = err.Error()
		f.Do = "make the file readable for this user"
	case !report.Valid:
		f.State = stateBroken
		f.Found = fmt.Sprintf("%s is broken at entry %d: %s", filepath.Base(file), *report.BrokenAt, report.Reason)
		f.Do = "keep the file as evidence, and see what is still good with: governance verify chain " + file
	default:
		f.Found = "valid to its end, " + entries(report.Entries)
	}
	return []symptom{f, headNote(file)}
}

func noteExists(file string) bool {
	_, err := os.Stat(file + ".head")
	return err == nil
}

// headNote is the note beside the chain, without which a cut tail cannot be seen.
func headNote(file string) symptom {
	f := symptom{
		Name:  "head note",
		State: stateOK,
		Found: filepath.Base(file) + ".head is there and readable",
	}
	if !noteExists(file) {
		f.State = stateWarn
		f.Found = "there is none, so a chain whose end was cut off looks whole"
		f.Do = "start the service, which writes it; if the chain is from elsewhere, verify it with --expect-head first"
	}
	return f
}
