package managed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Docker asks the Engine API over its socket
// (https://docs.docker.com/reference/api/engine/).
type Docker struct {
	Socket string // path of the unix socket
	Former *Former
}

const mostInspect = 4 << 20 // bytes of an answer

// inspected is a container as the engine shows it. Its environment is not read.
type inspected struct {
	State struct {
		Status    string
		Running   bool
		Pid       int
		StartedAt time.Time
	}
	RestartCount int
}

// ask sends a request. Paths are without a version: the engine takes its newest.
func (d Docker) ask(ctx context.Context, method, path string) ([]byte, error) {
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", d.Socket)
		},
	}}

	req, err := http.NewRequestWithContext(ctx, method, "http://docker"+path, nil)
	if err != nil {
		return nil, err
	}

	answer, err := client.Do(req)
	var refused *net.OpError
	switch {
	case errors.As(err, &refused) && refused.Op == "dial":
		return nil, &NotThere{"the engine cannot be reached at its socket"}
	case err != nil:
		return nil, errors.New("the engine does not answer")
	}
	defer answer.Body.Close()

	text, err := io.ReadAll(io.LimitReader(answer.Body, mostInspect+1))
	switch {
	case err != nil:
		return nil, errors.New("the engine does not answer")
	case len(text) > mostInspect:
		return nil, errOutput
	case answer.StatusCode == http.StatusNotFound:
		return nil, &NotThere{"there is no such container"}
	case answer.StatusCode == http.StatusNotModified: // it is so already
		return nil, nil
	case answer.StatusCode >= 300:
		return nil, fmt.Errorf("the engine answers %d", answer.StatusCode)
	}

	return text, nil
}

func container(p Process) string { return "/containers/" + url.PathEscape(p.Target) }

func (d Docker) inspect(ctx context.Context, p Process) (c inspected, err error) {
	text, err := d.ask(ctx, http.MethodGet, container(p)+"/json")
	if err == nil && json.Unmarshal(text, &c) != nil {
		err = errors.New("the answer of the engine cannot be read")
	}
	return c, err
}

// States implements [Provider].
func (d Docker) States(ctx context.Context, list []Process) []Status {
	return EachStatus(list, func(p Process) (Status, error) { return d.status(ctx, p) })
}

func (d Docker) status(ctx context.Context, p Process) (Status, error) {
	c, err := d.inspect(ctx, p)
	if err != nil {
		return Status{}, err
	}

	s := StatusOf(p, Stopped)
	s.PID = c.State.Pid
	s.Restarts = c.RestartCount

	switch c.State.Status {
	case "running":
		uptime := max(time.Since(c.State.StartedAt), 0)
		s.State = Running
		s.UptimeS = int64(uptime / time.Second)
	case "paused":
		s.State = Suspended
	case "restarting":
		s.State = BackingOff
		if c.RestartCount >= mostRestarts(p) {
			s.State = CrashLoop
		}
	default:
		s.Why = "the engine says " + strings.ToValidUTF8(c.State.Status, "?")
	}

	s.onMachine(s.PID)
	return s, nil
}

// Stop implements [Provider]. A container that is stopped so is not started again by its
// restart policy.
func (d Docker) Stop(ctx context.Context, list []Process) []Outcome {
	return Each(list, func(p Process) Outcome { return d.stop(ctx, p) })
}

func (d Docker) stop(ctx context.Context, p Process) Outcome {
	c, err := d.inspect(ctx, p)
	if err != nil {
		return Fail(p, nil, err.Error())
	}
	if !c.State.Running && c.State.Status != "restarting" {
		return Done(p)
	}

	did := Keep(d.Former, p, "running")
	soft, cancel := context.WithTimeout(ctx, hardAfter)
	defer cancel()

	_, err = d.ask(soft, http.MethodPost, container(p)+"/stop?t=2")
	if did = append(did, "stop"); err != nil {
		_, err = d.ask(ctx, http.MethodPost, container(p)+"/kill?signal=SIGKILL")
		did = append(did, "kill")
	}

	if Until(ctx, func() bool {
		c, err := d.inspect(ctx, p)
		return err == nil &&
			!c.State.Running &&
			c.State.Status != "restarting"
	}) {
		return Done(p, did...)
	}

	if err != nil {
		return Fail(p, did, err.Error())
	}
	return Fail(p, did, "the engine says that it still runs")
}

// Start implements [Provider].
func (d Docker) Start(ctx context.Context, p Process, _ string) (string, error) {
	_, err := d.ask(ctx, http.MethodPost, container(p)+"/start")
	return "start", err
}
