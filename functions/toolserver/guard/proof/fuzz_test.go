package proof_test

import (
	"testing"

	"governance.internal/functions/toolserver/guard/proof"
	"governance.internal/functions/toolserver/guard/workspace"
)

func FuzzRead(f *testing.F) {
	f.Add("set -eo pipefail; (cd a && env X=1 timeout 5 make test) || exit 1")
	f.Add("bash -c 'sh -c \"make test\"'")
	f.Fuzz(func(t *testing.T, command string) {
		run := proof.Read(workspace.Check{Name: "x", Command: "make test"}, command)
		if run.Proves && !run.Ran {
			t.Errorf("%q proves what it does not run", command)
		}
	})
}

func FuzzTests(f *testing.F) {
	f.Add("--- PASS: TestA\n=== RUN x\n5 passed in 0.1s\n")
	f.Fuzz(func(t *testing.T, output string) {
		if n, told := proof.Tests(output); n < 0 || n > 0 && !told {
			t.Errorf("%q: %d %v", output, n, told)
		}
	})
}
