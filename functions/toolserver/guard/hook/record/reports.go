package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// runAllowed records a session in which nothing is refused.
func runAllowed(name, program, local, out string) error {
	steps := func(a agent, dir string) []step { return a.allowed(dir) }
	return recordSession("record -reports", name, program, local, out, steps, func(s played) ([]record, error) {
		records, err := s.project.reports()
		if err != nil {
			return nil, fmt.Errorf("%w; the agent said: %.4000s", err, s.said)
		}
		return records, nil
	})
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
