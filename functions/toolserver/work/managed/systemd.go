package managed

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// Systemd asks systemctl (systemctl(1)) about units of the system.
type Systemd struct {
	Former *Former
}

// unitName matches a valid unit name; nothing else reaches the command line.
var unitName = regexp.MustCompile(`^[A-Za-z0-9:_.@\\-]{1,255}$`)

// unit is what systemd says of one.
type unit struct {
	active, sub, result string
	pid, restarts       int
}

func (u unit) runs() bool {
	return u.active != "inactive" && u.active != "failed"
}

func (Systemd) show(ctx context.Context, p Process) (unit, error) {
	if !unitName.MatchString(p.Target) || strings.HasPrefix(p.Target, "-") {
		return unit{}, &NotThere{"this is no name of a unit: set target"}
	}
	text, err := run(ctx, "", "systemctl", "show", "--property=LoadState,ActiveState,SubState,Result,MainPID,NRestarts",
		"--", p.Target)
	if err != nil {
		return unit{}, err
	}
	return parseUnit(text)
}

// parseUnit reads the lines NAME=VALUE of systemctl show.
func parseUnit(text []byte) (u unit, err error) {
	values := map[string]string{}
	for line := range bytes.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), "=")
		values[name] = value
	}

	switch load := values["LoadState"]; {
	case load == "":
		return u, errors.New("systemctl says nothing of it")
	case load != "loaded" && values["ActiveState"] == "inactive":
		return u, &NotThere{"systemd has no such unit"}
	}

	u = unit{
		active: values["ActiveState"],
		sub:    values["SubState"],
		result: values["Result"],
	}
	u.pid, _ = strconv.Atoi(values["MainPID"]) // without one it is 0
	u.restarts, _ = strconv.Atoi(values["NRestarts"])
	if u.active == "" {
		return u, errors.New("systemctl says nothing of its state")
	}

	return u, nil
}

// States implements [Provider].
func (d Systemd) States(ctx context.Context, list []Process) []Status {
	return EachStatus(list, func(p Process) (Status, error) { return d.status(ctx, p) })
}

func (d Systemd) status(ctx context.Context, p Process) (Status, error) {
	u, err := d.show(ctx, p)
	if err != nil {
		return Status{}, err
	}

	s := StatusOf(p, Running)
	s.PID = u.pid
	s.Restarts = u.restarts

	switch {
	case u.result == "start-limit-hit":
		s.State = CrashLoop
	case u.sub == "auto-restart" || u.sub == "auto-restart-queued":
		s.State = BackingOff
	case !u.runs():
		s.State = Stopped
	}

	if s.State != Running {
		s.Why = u.active + " (" + u.sub + ")"
	}

	s.onMachine(s.PID)
	return s, nil
}

// Stop implements [Provider]: stop without waiting, so that a unit with a long timeout
// does not hold up a halt, then SIGKILL for all of the unit.
func (d Systemd) Stop(ctx context.Context, list []Process) []Outcome {
	return Each(list, func(p Process) Outcome { return d.stop(ctx, p) })
}

func (d Systemd) stop(ctx context.Context, p Process) Outcome {
	u, err := d.show(ctx, p)
	if err != nil {
		return Fail(p, nil, err.Error())
	}
	if !u.runs() {
		return Done(p)
	}

	did := Keep(d.Former, p, "running")
	if _, err := run(ctx, "", "systemctl", "stop", "--no-block", "--", p.Target); err != nil {
		return Fail(p, did, err.Error())
	}

	did = append(did, "stop")
	ended := func() bool {
		u, err := d.show(ctx, p)
		return err == nil && !u.runs()
	}
	soft, cancel := context.WithTimeout(ctx, hardAfter)
	defer cancel()

	if Until(soft, ended) {
		return Done(p, did...)
	}
	_, err = run(ctx, "", "systemctl", "kill", "--signal=SIGKILL", "--", p.Target)
	if did = append(did, "SIGKILL"); Until(ctx, ended) {
		return Done(p, did...)
	}
	if err != nil {
		return Fail(p, did, err.Error())
	}

	return Fail(p, did, "systemd says that it still runs")
}

// Start implements [Provider].
func (Systemd) Start(ctx context.Context, p Process, _ string) (string, error) {
	if !unitName.MatchString(p.Target) || strings.HasPrefix(p.Target, "-") {
		return "", errors.New("this is no name of a unit: set target")
	}
	_, err := run(ctx, "", "systemctl", "start", "--no-block", "--", p.Target)
	return "start", err
}
