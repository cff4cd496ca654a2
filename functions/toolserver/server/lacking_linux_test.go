package server_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/work/fence/fencetest"
)

// lacksVariable makes the test binary one on a kernel that lacks what its value names.
const lacksVariable = "TOOLSERVER_TEST_LACKS"

// lackWhatIsAsked puts a filter around this process, if it is asked to.
func lackWhatIsAsked() error {
	if lacks := os.Getenv(lacksVariable); lacks != "" {
		return fencetest.Forbid(lacks)
	}
	return nil
}

// On a kernel that lacks what a fence needs, the tool's answer, the list over HTTP, a dispatch that
// requires a fence, and the chain say so.
func TestEveryAnswerNamesWhatTheKernelLacks(t *testing.T) {
	for lacks, word := range map[string]string{
		fencetest.Namespaces: "none: the kernel refuses user namespaces",
		fencetest.Landlock:   "kernel without landlock",
	} {
		if lacks == fencetest.Landlock && !fencetest.Possible() {
			continue
		}
		t.Run(lacks, func(t *testing.T) {
			child := exec.Command("/proc/self/exe", "-test.run", "^TestTheFenceIsInEveryAnswer$", "-test.v")
			child.Env = append(os.Environ(), lacksVariable+"="+lacks, wordVariable+"="+word)
			out, err := child.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "--- PASS: TestTheFenceIsInEveryAnswer") {
				t.Errorf("%s\n%v", out, err)
			}
		})
	}
}

// wordVariable is how the fence begins that is expected in every answer.
const wordVariable = "TOOLSERVER_TEST_FENCE"

// What stands around an agent is the same in the tool's answer, in both lists over HTTP and in the
// chain. A dispatch that requires a fence is refused where none stands, with the reason.
func TestTheFenceIsInEveryAnswer(t *testing.T) {
	want := os.Getenv(wordVariable)
	if want == "" && fencetest.Possible() {
		want = "kernel"
	}

	auto := withRunner(t, "auto")
	got := structured[struct {
		Dispatched bool
		Fence      string
	}](auto, "dispatch_to_llm", `{"task":"do nothing"}`)
	if !got.Dispatched || !strings.HasPrefix(got.Fence, want) || got.Fence == "" {
		t.Fatalf("%+v", got)
	}
	if row := auto.ended(); row["fence"] != got.Fence {
		t.Errorf("the list says %v", row["fence"])
	}
	if at := auto.typed("DISPATCH"); len(at) != 1 || !strings.Contains(fmt.Sprint(at[0]), "fence:"+got.Fence) {
		t.Errorf("the chain says %v", at)
	}
	if strings.HasPrefix(got.Fence, "kernel") {
		return
	}

	required := withRunner(t, "required")
	reason := strings.TrimPrefix(want, "none: ")
	object := required.call("dispatch_to_llm", `{"task":"do nothing"}`)
	if text := fmt.Sprint(object); !strings.Contains(text, "fence_unavailable") || !strings.Contains(text, reason) {
		t.Errorf("%s", text)
	}
	if rows := required.dispatches("completed"); len(rows) > 0 {
		t.Errorf("it ran: %v", rows)
	}
}

// withRunner is a server whose agents run a program that does nothing, behind a fence.
func withRunner(t *testing.T, fence string) running {
	return start(t, func(d *depsOf) {
		d.Fence = "/proc/self/exe"
		text := "version: 1\ndispatch: {enabled: true, fence: " + fence + ", command: [\"true\"]}\n"
		if err := os.WriteFile(filepath.Join(d.Workspace, "governance.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	})
}
