package managed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"governance.internal/functions/toolserver/work/processes"
)

// PM2 asks the command pm2 about the processes of this user.
type PM2 struct {
	Former *Former
}

// listed is a process as `pm2 jlist` shows it, without its environment, which contains
// secrets.
type listed struct {
	Name string `json:"name"`
	ID   int    `json:"pm_id"`
	PID  int    `json:"pid"`
	Env  struct {
		Status   string `json:"status"`
		Restarts int    `json:"restart_time"`
	} `json:"pm2_env"`
}

func (l listed) runs() bool {
	return l.Env.Status != "stopped" && l.Env.Status != "errored"
}

func (PM2) list(ctx context.Context) ([]listed, error) {
	text, err := run(ctx, "", "pm2", "jlist")
	if err != nil {
		return nil, err
	}
	return parseJlist(text)
}

// parseJlist reads the one line of JSON; pm2 greets before it when it starts its daemon.
func parseJlist(text []byte) (list []listed, err error) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte("[")) &&
			json.Unmarshal(line, &list) == nil {
			return list, nil
		}
	}
	return nil, errors.New("pm2 shows no list")
}

// of gives the instances of a process: one, or several in cluster mode.
func of(p Process, list []listed) (found []listed) {
	for _, each := range list {
		if each.Name == p.Target {
			found = append(found, each)
		}
	}
	return found
}

// States implements [Provider]. Of several instances it reports the worst.
func (m PM2) States(ctx context.Context, list []Process) (states []Status) {
	all, err := m.list(ctx)
	if err != nil {
		return unavailable(list, err.Error())
	}

	for _, p := range list {
		instances := of(p, all)
		if len(instances) == 0 {
			states = append(states, Unknown(p, "pm2 has no such process"))
			continue
		}
		states = append(states, worstOf(p, instances))
	}

	return states
}

func worstOf(p Process, instances []listed) Status {
	s := StatusOf(p, Running)
	for _, each := range instances {
		s.Restarts = max(s.Restarts, each.Env.Restarts)
		switch each.Env.Status {
		case "online":
			s.PID = each.PID
			continue
		case "errored":
			s.State = CrashLoop
		case "waiting restart", "launching":
			s.State = BackingOff
		default:
			s.State = Stopped
		}

		s.Why = "pm2 says " + each.Env.Status
	}

	s.onMachine(s.PID)
	return s
}

// Stop implements [Provider]: pm2 stops the instances, by number so that no name is taken
// for a command, and what is left of them gets signals.
func (m PM2) Stop(ctx context.Context, list []Process) []Outcome {
	all, err := m.list(ctx)
	return Each(list, func(p Process) Outcome {
		if err != nil {
			return Fail(p, nil, err.Error())
		}
		instances := of(p, all)
		if len(instances) == 0 {
			return Fail(p, nil, "pm2 has no such process")
		}
		return m.stop(ctx, p, instances)
	})
}

func (m PM2) stop(ctx context.Context, p Process, instances []listed) Outcome {
	var did []string
	var groups []*processes.Group
	var failed error
	for _, each := range instances {
		if !each.runs() {
			continue
		}
		if len(groups) == 0 {
			did = Keep(m.Former, p, "running")
		}

		if i, ok := processes.Identify(each.PID); ok && each.PID > 1 {
			groups = append(groups, processes.Known(processes.Trace{
				ID:       "pm2 " + p.Name + " " + strconv.Itoa(each.PID),
				Identity: i,
			}))
		}

		_, err := run(ctx, "", "pm2", "stop", strconv.Itoa(each.ID))
		did, failed = append(did, "pm2 stop"), errors.Join(failed, err)
	}

	o := Done(p, did...)
	for _, ended := range processes.Stop(ctx, groups...) {
		o.take(ended)
	}

	if !o.OK {
		return o
	}
	if failed != nil { // what was there has ended; pm2 may start it again
		return o.fail(failed.Error())
	}

	now, err := m.list(ctx)
	if err != nil {
		return o.fail(err.Error())
	}

	for _, each := range of(p, now) {
		if each.runs() {
			return o.fail("pm2 says " + each.Env.Status)
		}
	}

	return o
}

// Start implements [Provider].
func (m PM2) Start(ctx context.Context, p Process, _ string) (string, error) {
	all, err := m.list(ctx)
	if err != nil {
		return "", err
	}

	instances := of(p, all)
	if len(instances) == 0 {
		return "", errors.New("pm2 has no such process")
	}

	for _, each := range instances {
		if _, err := run(ctx, "", "pm2", "restart", strconv.Itoa(each.ID)); err != nil {
			return "", err
		}
	}
	return "pm2 restart", nil
}
