// Package evidence reads from a project how its agents are governed: the audit chain, the hook,
// the lists of the workspace file, the handoff. Nothing that a text claims counts.
package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/scan"
)

// Chain is what a verification of the audit chain found.
type Chain struct {
	Valid    bool
	Entries  uint64
	Anchored bool // its end agrees with a head that was noted before
}

// Probe looks at one project.
type Probe struct {
	Workspace *workspace.Workspace

	// Verify verifies the audit chain; fs.ErrNotExist says that there is none.
	Verify func(context.Context) (Chain, error)

	// CheckHandoff names the missing sections of a handoff, and the ones not filled in.
	CheckHandoff func(text string) (missing, unfilled []string)

	// CanStart reports an error when a program cannot be started.
	CanStart func(program string) error

	Now func() time.Time
}

// Facts returns what was found.
func (p Probe) Facts(ctx context.Context) ([]scan.Fact, error) {
	state, err := p.Workspace.Load()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", workspace.FileName, err)
	}
	chain, err := p.chain(ctx)
	if err != nil {
		return nil, err
	}
	lists, err := p.lists(state)
	if err != nil {
		return nil, err
	}

	hooks := p.hooks()
	facts := append(chain, hooks...)
	facts = append(facts, guarded(lists, canRefuse(hooks))...)
	facts = append(facts, p.handoff(state)...)
	facts = append(facts, p.egress(state.Config.Limits.MaxFiles)...)
	facts = append(facts, p.memory(state)...)
	return facts, nil
}

func (p Probe) chain(ctx context.Context) ([]scan.Fact, error) {
	chain, err := p.Verify(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the audit chain cannot be verified: %w", err)
	}
	if !chain.Valid {
		broken := scan.Fact{
			Dimension: scan.AuditChain,
			Level:     scan.Named,
			Found:     "There is an audit chain, and it is broken.",
		}
		return []scan.Fact{broken}, nil
	}

	trail := scan.Fact{
		Dimension: scan.AuditChain,
		Level:     scan.Enforced,
		Found:     fmt.Sprintf("The hash chain is valid to its end: %d entries.", chain.Entries),
	}
	if chain.Anchored {
		trail.Level = scan.Checked
		trail.Found = fmt.Sprintf("The hash chain is valid to its end, which agrees with a noted head: %d entries.", chain.Entries)
	}
	actor := scan.Fact{
		Dimension: scan.Attribution,
		Level:     scan.Stated,
		Found:     "Each entry of the audit chain names its actor.",
	}
	return []scan.Fact{trail, actor}, nil
}

// maxSettings is the size of an agent's settings that is read, in bytes.
const maxSettings = 1 << 20

// hooks finds the agents whose steps the hook checks.
func (p Probe) hooks() []scan.Fact {
	var facts []scan.Fact
	for _, name := range hook.Names() {
		settings := hook.Agents[name].Settings
		text, err := p.Workspace.ReadFile(settings, maxSettings)
		if err != nil {
			continue
		}
		program := hook.ProgramIn(string(text), name)
		if program == "" {
			continue
		}
		facts = append(facts, p.installed(name, settings, program))
	}
	return facts
}

func (p Probe) installed(agent, settings, program string) scan.Fact {
	fact := scan.Fact{
		Dimension: scan.PreflightGates,
		Level:     scan.Enforced,
		Found:     fmt.Sprintf("%s starts the hook before each step of %s.", settings, agent),
	}
	if err := p.CanStart(program); err != nil {
		fact.Level = scan.Named
		fact.Found = fmt.Sprintf("%s names a hook of %s that cannot be started.", settings, agent)
	}
	return fact
}

func canRefuse(hooks []scan.Fact) bool {
	for _, fact := range hooks {
		if fact.Level >= scan.Enforced {
			return true
		}
	}
	return false
}

// counts are the files that the lists of the workspace file match.
type counts struct {
	configured             bool
	untouchable, protected int
}

func (p Probe) lists(state workspace.State) (counts, error) {
	found := counts{configured: state.Configured}
	if !state.Configured {
		return found, nil
	}
	untouchable, err := compiled(state.Config.Untouchable)
	if err != nil {
		return found, err
	}
	protected, err := compiled(state.Config.Protected)
	if err != nil {
		return found, err
	}

	err = p.Workspace.Walk(".", state.Config.Limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		if entry.IsDir() {
			return nil
		}
		if untouchable.Match(name) {
			found.untouchable++
		}
		if protected.Match(name) {
			found.protected++
		}
		return nil
	})
	if errors.Is(err, workspace.ErrManyFiles) {
		err = nil // what was seen counts
	}
	return found, err
}

func compiled(globs []workspace.Glob) (policy.Patterns, error) {
	var patterns []string
	for _, g := range globs {
		patterns = append(patterns, g.Pattern)
	}
	return policy.CompileAll(patterns)
}

// guarded tells what the lists are worth: without a hook that refuses they are words.
func guarded(found counts, refused bool) []scan.Fact {
	if !found.configured {
		return nil
	}

	files := scan.Fact{
		Dimension: scan.ProtectedFiles,
		Level:     levelOf(found.untouchable+found.protected, refused),
		Found:     fmt.Sprintf("%s lists %d untouchable and %d protected files that exist.", workspace.FileName, found.untouchable, found.protected),
	}
	approval := scan.Fact{
		Dimension: scan.HumanApprovalGates,
		Level:     levelOf(found.protected, refused),
		Found:     fmt.Sprintf("Changes of %d files need the approval of a person.", found.protected),
	}
	return []scan.Fact{files, approval}
}

// levelOf is the level of a list that matches files.
func levelOf(files int, refused bool) int {
	switch {
	case files == 0:
		return scan.Named
	case refused:
		return scan.Enforced
	}
	return scan.Stated
}

// maxHandoff is the size of a handoff that is read, in bytes.
const maxHandoff = 256 << 10

func (p Probe) handoff(state workspace.State) []scan.Fact {
	name := state.Config.Session.Handoff
	text, err := p.Workspace.ReadFile(name, maxHandoff)
	if err != nil {
		return nil
	}
	info, err := fs.Stat(p.Workspace.Files(), name)
	if err != nil {
		return nil
	}

	age := p.Now().Sub(info.ModTime())
	missing, unfilled := p.CheckHandoff(string(text))
	fact := scan.Fact{
		Dimension: scan.SessionHandoff,
		Level:     scan.Stated,
		Found:     name + " is complete and fresh.",
	}
	switch {
	case len(missing) > 0 || len(unfilled) > 0:
		fact.Level, fact.Found = scan.Named, name+" is not filled in."
	case age > time.Duration(state.Config.Rules.HandoffMaxAge):
		fact.Level, fact.Found = scan.Named, name+" is older than the workspace file allows."
	}
	return []scan.Fact{fact}
}

// maxManifest is the size of a deployment file that is read, in bytes.
const maxManifest = 256 << 10

// egress looks for rules on outbound traffic. That a file holds one does not prove that it is
// applied, so it is a stated practice.
func (p Probe) egress(mostFiles int) []scan.Fact {
	var facts []scan.Fact
	err := p.Workspace.Walk(".", mostFiles, func(name string, entry fs.DirEntry) error {
		if entry.IsDir() || len(facts) > 0 || !isManifest(name) {
			return nil
		}
		text, err := p.Workspace.ReadFile(name, maxManifest)
		if err != nil || !limitsEgress(string(text)) {
			return nil
		}
		facts = append(facts, scan.Fact{
			Dimension: scan.EgressControl,
			Level:     scan.Stated,
			Found:     name + " limits outbound traffic; whether it is applied is not seen here.",
		})
		return nil
	})
	if err != nil {
		return facts // what was seen counts
	}
	return facts
}

func isManifest(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// limitsEgress reports a network policy of Kubernetes for egress, or a network of Compose without a
// way out.
func limitsEgress(text string) bool {
	policy := strings.Contains(text, "kind: NetworkPolicy") && strings.Contains(text, "- Egress")
	internal := strings.Contains(text, "services:") && (strings.Contains(text, "internal: true") || strings.Contains(text, "network_mode: none"))
	return policy || internal
}

// memory looks at the folder of session facts: each is dated, has a source, and is kept in files.
func (p Probe) memory(state workspace.State) []scan.Fact {
	entries, err := fs.ReadDir(p.Workspace.Files(), state.Config.Session.FactsDir)
	if err != nil || len(entries) == 0 {
		return nil
	}
	return []scan.Fact{{
		Dimension: scan.MemoryGovernance,
		Level:     scan.Stated,
		Found:     fmt.Sprintf("%s keeps what is remembered in %d dated files.", state.Config.Session.FactsDir, len(entries)),
	}}
}
