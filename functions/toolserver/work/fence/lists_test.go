//go:build linux

package fence_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// listed are the commands of a list, one a line.
func listed(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// Commands by other tools: interpreters, editors, archives, plumbing of git, races and tricks with
// descriptors and namespaces.
func TestHostileToolsChangeNoGovernedByte(t *testing.T) {
	commands := listed(t, "hostile.txt")
	if !stands(t) {
		return
	}
	for _, command := range commands {
		folder, home := project(t)
		got := run(t, folder, home, command)
		if list := changed(folder); len(list) > 0 || got.status == 125 {
			t.Errorf("%s: changed %v\n%s", command, list, got.output)
		}
	}
}

// What works without a fence works behind it. A command whose tool is not on this machine fails
// either way.
func TestOrdinaryToolsWorkAsWithout(t *testing.T) {
	commands := listed(t, "ordinary.txt")
	if !stands(t) {
		return
	}
	worked, broken := 0, 0
	for _, command := range commands {
		folder, home := project(t)
		plain := exec.Command("bash", "-c", command)
		plain.Dir = folder
		plain.Env = append(os.Environ(), "HOME="+home)
		if plain.Run() != nil {
			continue
		}

		worked++
		folder, home = project(t)
		if got := run(t, folder, home, command); got.status != 0 {
			broken++
			t.Errorf("%s: status %d\n%s", command, got.status, got.output)
		}
	}
	t.Logf("%d of %d ordinary commands broken", broken, worked)
}
