//go:build linux

package dispatch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// echo is an agent that prints its arguments, the files among them, its input and its keys.
const echo = `#!/bin/sh
PATH=/usr/bin:/bin
for a; do echo "arg [$a]"; [ -f "$a" ] && cat "$a"; done
cat
env | grep -e KEY -e SECRET
exit 53
`

// installed puts agents on PATH, which holds nothing else.
func installed(t *testing.T, names ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(echo), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

// Every known agent gets its task as one text, whatever is in it, never as a flag, and the
// keys that are its own.
func TestEveryKnownAgentGetsItsTask(t *testing.T) {
	task := "--dangerously --help; $(touch x) `id` \"quoted\" {max_turns}"
	for name, value := range map[string]string{"OPENAI_API_KEY": "key of one", "ANTHROPIC_API_KEY": "key of another", "KILL_SECRET": "the server's"} {
		t.Setenv(name, value)
	}
	for _, name := range PresetNames() {
		installed(t, name)
		preset, found := FindPreset(name)
		if !found || preset.Name() != name {
			t.Fatalf("%s: %+v", name, preset)
		}
		preset.Lookup = os.LookupEnv
		f := open(t, t.TempDir(), func(s *Settings, _ *Deps) { s.Runner = preset })
		r := f.ended(f.start(task).ID)
		log := f.log(r.ID)
		if strings.Count(log, task) != 1 || strings.Contains(log, "arg [--dangerously") || strings.Contains(log, "KILL_SECRET") {
			t.Errorf("%s: %s", name, log)
		}
		if wants := slices.Contains(preset.Env, "OPENAI_API_KEY"); wants != strings.Contains(log, "key of one") {
			t.Errorf("%s: %s", name, log)
		}
		if r.Runner != name || (r.Stop == "max_turns") != (name == "gemini") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Without a name the first one that is installed is taken.
func TestAKnownAgentIsFoundOnThePath(t *testing.T) {
	installed(t)
	if found, ok := FindPreset(""); ok {
		t.Errorf("%+v", found)
	}
	installed(t, "aider", "gemini")
	if found, ok := FindPreset(""); !ok || found.Preset != "gemini" {
		t.Errorf("%+v", found)
	}
	if found, ok := FindPreset("smoke"); ok {
		t.Errorf("%+v", found)
	}
}

// An unavailable runner of the workspace file is refused before anything is created.
func TestACommandThatIsRefused(t *testing.T) {
	for want, e := range map[string]Exec{
		"no dispatch.command":   {},
		"a secret of this":      {Command: []string{"/bin/sh"}, Env: []string{"PATH", "KILL_SECRET"}},
		"program of the agent":  {Command: []string{"/nowhere/agent"}},
		"agent is not there: a": {Command: []string{"/nowhere/a"}},
	} {
		_, err := e.Program(Job{})
		if r := new(Refused); !errors.As(err, &r) || !strings.Contains(r.Message, want) || strings.Contains(r.Message, "/nowhere") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
