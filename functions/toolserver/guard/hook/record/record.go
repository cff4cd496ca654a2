// Command record records how a real coding agent calls the guard. It sets a scratch project
// up with governance init's file and governance hook install, starts the agent against a
// model of its own, which asks for forbidden changes, and records each call of the hook and
// what the agent reported to its model. Nothing leaves the machine.
//
//	go run ./functions/toolserver/guard/hook/record -agent claude-code -program PATH -local PATH -out FILE
//
// With -reports the model asks for what is allowed, and the recording holds the calls before
// and the reports afterwards, in the order in which they came.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
)

// patience is how long an agent may take for its whole session.
const patience = 3 * time.Minute

// record is one line of the recording.
type record struct {
	ID   string          `json:"id"`
	Call json.RawMessage `json:"call"` // as the hook got it
	Told string          `json:"told"` // what the agent told its model
}

func main() {
	name := flag.String("agent", "claude-code", "`name` of the agent")
	program := flag.String("program", "", "`file` of the agent's program")
	local := flag.String("local", "", "`file` of the program local")
	out := flag.String("out", "", "`file` of the recording")
	reports := flag.Bool("reports", false, "record a session that is allowed, with all that the agent reports")
	flag.Parse()

	session := run
	if *reports {
		session = runAllowed
	}
	if err := session(*name, *program, *local, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run records a session in which the agent tries what is refused.
func run(name, program, local, out string) error {
	steps := func(a agent, dir string) []step { return append(a.steps(dir), a.around(dir)...) }
	return recordSession("record", name, program, local, out, steps, func(s played) ([]record, error) {
		records, err := s.project.records(s.model, s.steps)
		if err != nil {
			return nil, fmt.Errorf("%w; the agent said: %.4000s", err, s.said)
		}
		if err := s.project.judge(records); err != nil {
			return nil, err
		}
		return records, s.project.withoutGuard(s.agent, program)
	})
}

// played is a session that has ended.
type played struct {
	project project
	agent   agent
	model   *model
	steps   int
	said    string // by the agent
}

// recordSession lets an agent take steps in a scratch project and writes what the hook was told.
func recordSession(usage, name, program, local, out string, steps func(agent, string) []step, read func(played) ([]record, error)) error {
	a, ok := agents[name]
	if !ok || program == "" || local == "" || out == "" {
		return errors.New(usage + " -agent NAME -program FILE -local FILE -out FILE")
	}

	dir, err := os.MkdirTemp("", "agent")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	p := project{
		home:  filepath.Join(dir, "home"),
		dir:   filepath.Join(dir, "work"),
		local: local,
	}
	if err := p.make(name); err != nil {
		return err
	}

	wanted := steps(a, p.dir)
	m := &model{steps: wanted}
	address, err := m.listen()
	if err != nil {
		return err
	}

	version, err := exec.Command(program, "--version").Output()
	if err != nil {
		return err
	}

	said, err := p.start(a, program, address)
	if err != nil {
		return fmt.Errorf("the agent failed: %w: %.4000s", err, said)
	}

	records, err := read(played{p, a, m, len(wanted), string(said)})
	if err != nil {
		return err
	}
	return p.write(out, name, strings.TrimSpace(string(version)), records)
}

// project is the scratch project of a session.
type project struct{ home, dir, local string }

func (p project) calls() string { return filepath.Join(p.home, "calls.jsonl") }

func (p project) make(name string) error {
	files := map[string]string{
		"governance.yaml":    guardtest.Governance,
		"infra/prod/main.tf": "x\n",
		"src/a.go":           "package a\n",
		"go.mod":             "module x\n",
		"infra/prod/a.ipynb": `{"cells":[{"id":"c1","cell_type":"code","source":["x"],"metadata":{},"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":5}`,
	}
	for file, text := range files {
		if err := write(filepath.Join(p.dir, file), text, 0o600); err != nil {
			return err
		}
	}

	if err := errors.Join(os.Link(filepath.Join(p.dir, "infra/prod/main.tf"), filepath.Join(p.dir, "src/hard")), os.Symlink("../infra/prod", filepath.Join(p.dir, "src/soft"))); err != nil {
		return err
	}
	// The hook is the installed one, with a listener in front of it.
	listener := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" != hook ] || [ \"$2\" = install ]; then exec '%s' \"$@\"; fi\ncall=$(cat)\nprintf '%%s\\n' \"$call\" >> '%s'\nprintf '%%s' \"$call\" | '%[1]s' \"$@\"\n",
		p.local, p.calls())
	if err := write(filepath.Join(p.home, "local"), listener, 0o700); err != nil {
		return err
	}

	installed, err := p.command("hook", "install", "-agent", name).CombinedOutput()
	if err != nil {
		return fmt.Errorf("hook install: %w: %s", err, installed)
	}
	if err := p.listen(name); err != nil {
		return err
	}
	if out, err := p.command("baseline").CombinedOutput(); err != nil {
		return fmt.Errorf("baseline: %w: %s", err, out)
	}

	return nil
}

// listen puts the listener into the installed settings.
func (p project) listen(name string) error {
	file := filepath.Join(p.dir, agents[name].settings)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}

	listener := "'" + filepath.Join(p.home, "local") + "'"
	text = bytes.ReplaceAll(text, []byte("'"+p.local+"'"), []byte(listener))
	text = bytes.ReplaceAll(text, []byte("'"+p.local+"-hook'"), []byte(listener+" hook")) // the small program beside it
	return os.WriteFile(file, text, 0o600)
}

func (p project) command(args ...string) *exec.Cmd {
	c := exec.Command(p.local, args...)
	c.Dir = p.dir
	return c
}

func (p project) start(a agent, program, address string) (said []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()

	if a.prepare != nil {
		if err := a.prepare(p, address); err != nil {
			return nil, err
		}
	}

	c := exec.CommandContext(ctx, program, a.args...)
	c.Dir, c.Env = p.dir, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "TERM=dumb"}, a.env(address)...)
	return c.CombinedOutput()
}

// records pairs the calls of the hook with the agent's reports to its model.
func (p project) records(m *model, steps int) ([]record, error) {
	text, err := os.ReadFile(p.calls())
	if err != nil {
		return nil, err
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	if m.turn != steps {
		return nil, fmt.Errorf("the agent asked for %d of %d steps", m.turn, steps)
	}
	var records []record
	for line := range bytes.Lines(text) {
		var call struct {
			ID string `json:"tool_use_id"`
		}
		if err := json.Unmarshal(line, &call); err != nil {
			return nil, err
		}
		if call.ID == "" { // some agents give none; their hooks see every step
			call.ID = idOf(len(records) + 1)
		}
		records = append(records, record{call.ID, bytes.TrimSpace(line), m.told[call.ID]})
	}

	return records, nil
}

// judge checks what the session left: what was tried in plain sight did not happen,
// and what the script did around the guard is found.
func (p project) judge(records []record) error {
	if len(records) < 24 {
		return fmt.Errorf("the hook got %d calls only", len(records))
	}
	text, err := os.ReadFile(filepath.Join(p.dir, "infra/prod/main.tf"))
	if err != nil || string(text) != "by the script\n" {
		return fmt.Errorf("main.tf is %q (%v), so the guard or the script failed", text, err)
	}

	found, err := p.command("baseline").Output()
	if err == nil || string(found) != "modified\tinfra/prod/main.tf\tuntouchable\n" {
		return fmt.Errorf("the comparison found %q", found)
	}
	return nil
}

// withoutGuard tries a change while the program of the hook is gone. Agents take most
// failures of a hook for a yes; the installed command must not.
func (p project) withoutGuard(a agent, program string) error {
	if err := os.Remove(filepath.Join(p.home, "local")); err != nil {
		return err
	}
	m := &model{steps: a.steps(p.dir)[:1]}
	address, err := m.listen()
	if err != nil {
		return err
	}
	said, err := p.start(a, program, address) // some agents end with an error because a report failed
	if m.turn != 1 {
		return fmt.Errorf("the agent failed without the hook: %v: %.4000s", err, said)
	}

	if _, err := os.Stat(filepath.Join(p.dir, "infra/prod/new.tf")); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("without the program of the hook, the agent wrote what is untouchable (%v)", err)
	}
	return nil
}

// write keeps what belongs to the machine and to the session out of the recording.
func (p project) write(out, name, version string, records []record) error {
	head, err := json.Marshal(map[string]string{"agent": name, "version": version})
	if err != nil {
		return err
	}

	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", head)
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s\n", line)
	}

	text := strings.NewReplacer(
		p.dir,
		"WORK",
		p.home,
		"HOME",
		strings.ReplaceAll(p.dir, "/", "-"),
		"-WORK",
	).Replace(b.String())
	return os.WriteFile(out, []byte(text), 0o600)
}

func write(file, text string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), mode)
}
