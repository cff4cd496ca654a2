// Package ops holds the tools of the toolset ops: the state of the machine, deployments and
// the kill switch.
package ops

import (
	"context"
	"net/http"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/work/killswitch"
)

type killInput struct {
	Reason string `json:"reason" required:"true" min:"1" max:"500"`
	Scope  string `json:"scope" enum:"all,dispatches,processes" default:"all"`
}

// Kill checks the secret of a request and halts. Source is the transport.
type Kill func(ctx context.Context, header http.Header, o killswitch.Order) (killswitch.Outcome, error)

// EmergencyKillSwitch halts everything. The secret travels in the Authorization
// header only: an argument would end up in the context of a model and in logs.
func EmergencyKillSwitch(kill Kill) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "emergency_kill_switch",
		Title:       "Kill switch",
		Toolset:     "ops",
		Description: "Halts all managed work until a person lifts it. Needs the kill secret in the Authorization header, never as an argument.",
		Hints:       tool.Hints{Destructive: true, Idempotent: true},
		Needs:       []tool.Need{tool.NeedKillSecret, tool.NeedHeaders},

		ExemptFromHalt: true, // the switch works at any time
	}, func(ctx context.Context, call *tool.Call, in killInput) (killswitch.Outcome, error) {
		return kill(
			ctx,
			call.Header,
			killswitch.Order{
				Reason: in.Reason,
				Scope:  in.Scope,
				Source: call.Transport,
			},
		)
	})
}
