package middleware_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"governance.internal/functions/toolserver/mcp/middleware"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/ops"
	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/shared/audit/memory"
)

// flag is the halt of a table that may be out of reach.
type flag struct {
	killswitch.Flag
	halt *killswitch.Halt
	err  error
}

func (f *flag) Read(context.Context) (*killswitch.Halt, uint64, error) { return f.halt, 1, f.err }

// Each call of a destructive tool checks whether any task was halted; read-only tools
// continue to work.
func TestADestructiveToolStopsWhenAnyTaskWasHalted(t *testing.T) {
	trail, err := memory.New("governance", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	shared := &flag{}
	halt := killswitch.Open(t.TempDir(), shared, trail, time.Now, rand.Reader, killswitch.Stops{})
	fence := middleware.Fence(func(ctx context.Context) (bool, error) {
		halted, err := halt.Check(ctx)
		return halted != nil, err
	})
	run := func(name string, hints tool.Hints, exempt bool) string {
		behind := fence(&tool.Tool{Name: name, Hints: hints, ExemptFromHalt: exempt, Run: func(context.Context, *tool.Call) tool.Result { return tool.Result{} }})
		if result := behind.Run(t.Context(), &tool.Call{}); result.Err != nil {
			return result.Err.Code
		}
		return "done"
	}
	for _, tc := range []struct {
		halt *killswitch.Halt
		err  error
		want string
	}{{nil, nil, "done"}, {&killswitch.Halt{Reason: "elsewhere"}, nil, "halted"}, {nil, errors.New("out of reach"), "unavailable"}, {nil, nil, "done"}} {
		shared.halt, shared.err = tc.halt, tc.err
		if got := run("delete_it", tool.Hints{Destructive: true}, false); got != tc.want {
			t.Errorf("%+v, %v: %s, want %s", tc.halt, tc.err, got, tc.want)
		}
		if got := run("read_it", tool.Hints{ReadOnly: true}, false); got != "done" {
			t.Errorf("read_it: %s", got)
		}
		for _, each := range []*tool.Tool{ops.EmergencyKillSwitch(nil), ops.DispatchToLLM(nil)} {
			if got := run(each.Name, each.Hints, each.ExemptFromHalt); got != "done" {
				t.Errorf("%s: %s", each.Name, got)
			}
		}
	}
}
