package core

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/mcp/tool"
)

// What a probe runs against.
const (
	RunningServer   = "running server"
	PrivateInstance = "private instance" // made for the probe, and gone after it
	ThisBuild       = "build"            // what the program holds
)

// Severities of what a probe finds. An error makes the whole check critical; an info is no
// issue.
const (
	SeverityError = "error"
	SeverityWarn  = "warn"
	SeverityInfo  = "info"
)

// Probe tries one property of the server.
type Probe struct {
	Name    string
	Against string
	Run     func(ctx context.Context) Observation
}

// Observation is what a probe saw.
type Observation struct {
	Findings []SelfFinding
	Tests    []SelfTest    // of single tools
	Versions []SelfVersion // that coexist
	Detail   string        // what was done
	Skipped  string        // why nothing could be tried, "" if it was
}

// Found adds a finding.
func (o *Observation) Found(severity, id, message, hint string) {
	o.Findings = append(o.Findings, SelfFinding{
		ID:       id,
		Severity: severity,
		Message:  mask.Text(message),
		Hint:     hint,
	})
}

// SelfFinding is something that is wrong with the server.
type SelfFinding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"` // error, warn or info
	Probe    string `json:"probe"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
}

// SelfTest is one thing that was tried.
type SelfTest struct {
	Tool    string `json:"tool"` // or the name of the probe
	OK      bool   `json:"ok"`
	MS      int64  `json:"ms"`
	Against string `json:"ran_against"`
	Detail  string `json:"detail"`
}

// SelfVersion is a version number, and everything that states it.
type SelfVersion struct {
	Name   string            `json:"name"`
	Of     string            `json:"version_of"`
	Value  string            `json:"value"`
	Stated map[string]string `json:"stated"` // by place
}

// SelfSkip is a probe that could not run.
type SelfSkip struct {
	Check  string `json:"check"`
	Reason string `json:"reason"`
}

// Self is the answer of self_check.
type Self struct {
	Status    string        `json:"status"` // clean, issues_found, CRITICAL or not_checked
	Generated time.Time     `json:"generated_at"`
	Count     int           `json:"finding_count"`
	Critical  int           `json:"critical"` // findings of severity error
	Findings  []SelfFinding `json:"findings"`
	Tests     []SelfTest    `json:"tests"`
	Versions  []SelfVersion `json:"versions"`
	Skipped   []SelfSkip    `json:"skipped"`
}

// SelfDeps are the probes of self_check.
type SelfDeps struct {
	Probes []Probe
	Now    func() time.Time
}

// selfBudget is how long all probes together may take.
const selfBudget = 10 * time.Second

// CheckSelf probes the server that answers.
func CheckSelf(d SelfDeps) *tool.Tool {
	room := make(chan struct{}, 1) // one check at a time
	return tool.Define(tool.Tool{
		Name:        "self_check",
		Title:       "Self check",
		Toolset:     "core",
		Description: "Probes this server: versions, schemas, leaks, limiter, kill secret, audit chain.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(ctx context.Context, _ *tool.Call, _ struct{}) (Self, error) {
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
		default:
			return Self{}, &tool.Error{
				Code:    "limit_exceeded",
				Message: "The server is checking itself already.",
				Hint:    "Try again in ten seconds.",
			}
		}

		ctx, cancel := context.WithTimeout(ctx, selfBudget)
		defer cancel()
		return d.run(ctx), nil
	})
}

// run runs the probes one after the other, as long as there is time.
func (d SelfDeps) run(ctx context.Context) Self {
	answer := Self{
		Generated: d.Now().UTC(),
		Findings:  []SelfFinding{},
		Tests:     []SelfTest{},
		Versions:  []SelfVersion{},
		Skipped:   []SelfSkip{},
	}
	for _, probe := range d.Probes {
		if ctx.Err() != nil {
			answer.Skipped = append(answer.Skipped, SelfSkip{probe.Name, "the time of the check was over"})
			continue
		}
		began := time.Now()
		answer.add(probe, probe.Run(ctx), time.Since(began))
	}
	answer.conclude()
	return answer
}

func (s *Self) add(probe Probe, o Observation, took time.Duration) {
	if o.Skipped != "" {
		s.Skipped = append(s.Skipped, SelfSkip{probe.Name, o.Skipped})
		return
	}

	fine := true
	for _, f := range o.Findings {
		f.Probe = probe.Name
		s.Findings = append(s.Findings, f)
		fine = fine && f.Severity == SeverityInfo
	}
	s.Tests = append(s.Tests, SelfTest{
		Tool:    probe.Name,
		OK:      fine,
		MS:      took.Milliseconds(),
		Against: probe.Against,
		Detail:  o.Detail,
	})
	for _, each := range o.Tests {
		each.Against = probe.Against
		s.Tests = append(s.Tests, each)
	}
	s.Versions = append(s.Versions, o.Versions...)
}

// conclude counts and sorts the findings, and says what they come to.
func (s *Self) conclude() {
	slices.SortStableFunc(s.Findings, func(a, b SelfFinding) int {
		return cmp.Or(strings.Compare(a.Probe, b.Probe), strings.Compare(a.ID, b.ID), strings.Compare(a.Message, b.Message))
	})
	s.Count = len(s.Findings)

	issues := 0
	for _, f := range s.Findings {
		switch f.Severity {
		case SeverityError:
			s.Critical++
		case SeverityWarn:
			issues++
		}
	}
	switch {
	case s.Critical > 0:
		s.Status = "CRITICAL"
	case issues > 0:
		s.Status = "issues_found"
	case len(s.Tests) == 0:
		s.Status = "not_checked"
	default:
		s.Status = "clean"
	}
}
