//go:build linux

package fence_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/work/fence/fencetest"
)

// lacking runs a command line by this test program as on a kernel that lacks something.
func lacking(t *testing.T, what, folder, home string, arguments ...string) outcome {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", append([]string{"run"}, arguments...)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "HOME="+home, "TEST_LACKS="+what)
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), string(text)}
}

// On a kernel without user namespaces nothing runs unasked; on one without Landlock the answer says
// that files elsewhere are not held.
func TestAKernelThatLacksAPartIsNamed(t *testing.T) {
	folder, home := project(t)
	got := lacking(t, fencetest.Namespaces, folder, home, "--", "touch", "ran")
	if got.status != 125 || !strings.Contains(got.output, "no fence can stand here: the kernel refuses user namespaces") || !strings.Contains(got.output, "-unfenced") {
		t.Errorf("status %d: %s", got.status, got.output)
	}
	if _, err := os.Stat(folder + "/ran"); err == nil {
		t.Error("the program was started")
	}

	got = lacking(t, fencetest.Namespaces, folder, home, "-unfenced", "--", "sh", "-c", "echo x > free; exit 3")
	if got.status != 3 || !strings.Contains(got.output, "going on without one") {
		t.Errorf("status %d: %s", got.status, got.output)
	}

	got = lacking(t, fencetest.Namespaces, folder, home, "-network", "none", "-unfenced", "--", "touch", "limited")
	if _, err := os.Stat(folder + "/limited"); err == nil || got.status != 125 {
		t.Errorf("without a fence no network is limited: status %d: %s", got.status, got.output)
	}

	if !stands(t) {
		return
	}
	folder, home = project(t)
	got = lacking(t, fencetest.Landlock, folder, home, "--", "sh", "-c", "echo x > config/prod.yaml; echo ran")
	if !strings.Contains(got.output, "\nran") || !strings.Contains(got.output, "no Landlock") || len(changed(folder)) > 0 {
		t.Errorf("status %d: %s", got.status, got.output)
	}
}
