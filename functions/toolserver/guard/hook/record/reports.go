package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// runAllowed records a session in which nothing is refused.
func runAllowed(name, program, local, out string) error {
	a, ok := agents[name]
	if !ok || program == "" || local == "" || out == "" {
		return errors.New("record -reports -agent NAME -program FILE -local FILE -out FILE")
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

	m := &model{steps: a.allowed(p.dir)}
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

	records, err := p.reports()
	if err != nil {
		return fmt.Errorf("%w; the agent said: %.4000s", err, said)
	}
	return p.write(out, name, strings.TrimSpace(string(version)), records)
}

// reports are all calls of the hook, in their order.
func (p project) reports() ([]record, error) {
	text, err := os.ReadFile(p.calls())
	if err != nil {
		return nil, err
	}

	var records []record
	for line := range bytes.Lines(text) {
		var call struct {
			Event string `json:"hook_event_name"`
		}
		if err := json.Unmarshal(line, &call); err != nil {
			return nil, err
		}
		records = append(records, record{
			ID:   call.Event,
			Call: bytes.TrimSpace(line),
		})
	}
	return records, nil
}
