//go:build linux

package violations_test

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/audit"
	"governance.internal/shared/audit/memory"
)

// The spool is in the project, where an agent of the same user can write. It cannot forge
// an entry of the kill switch or of a payment, and cannot delay the record of a refusal.
func TestTheSpoolForgesNothingAndHoldsUpNothing(t *testing.T) {
	dir := t.TempDir()
	w, err := workspace.Open(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	trail, err := memory.New("governance", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hook := &violations.Log{Workspace: w, Now: time.Now, Random: rand.Reader}
	for _, kind := range []string{"KILL_SWITCH_LIFTED", "DISPATCH_END", "SETTLED", violations.BlockedUntouchable} {
		if err := hook.Note(t.Context(), "killswitch", kind, map[string]any{"n": 1}); err != nil {
			t.Fatal(err)
		}
	}
	spool := filepath.Join(dir, workspace.StateDir, "spool")
	err = errors.Join(syscall.Mkfifo(filepath.Join(spool, "0-pipe"), 0o600), os.Mkdir(filepath.Join(spool, "0-folder"), 0o700), os.WriteFile(filepath.Join(spool, "0-long"), make([]byte, 1<<20), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	server := &violations.Log{Trail: trail, Workspace: w, Now: time.Now, Random: rand.Reader}
	if err := server.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	var events []string
	for b, err := range trail.Blocks(t.Context(), 2, 100) {
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b.Lines)) {
			e, err := audit.ParseEntry([]byte(strings.TrimSuffix(line, "\n")))
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, e.Event)
		}
	}
	forged := 0
	for _, e := range events {
		if e == violations.ForgedRecord {
			forged++
		}
	}
	if len(events) != 7 || forged != 6 || !slices.Contains(events, violations.BlockedUntouchable) {
		t.Errorf("the chain took %v", events)
	}
	aside, err := filepath.Glob(filepath.Join(spool, "*.damaged"))
	if err != nil || len(aside) != 6 {
		t.Errorf("put aside: %v (%v)", aside, err)
	}
}
