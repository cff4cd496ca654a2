package ops

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/work/killswitch"
)

// The secret is in the header that came with the call, and nowhere else.
func TestTheKillSwitchHandsOnTheHeaderAndTheOrder(t *testing.T) {
	var header http.Header
	var order killswitch.Order
	kill := EmergencyKillSwitch(func(_ context.Context, h http.Header, o killswitch.Order) (killswitch.Outcome, error) {
		header, order = h, o
		return killswitch.Outcome{Activated: true}, nil
	})
	sent := http.Header{"Authorization": {"Bearer x"}}
	result := kill.Run(t.Context(), &tool.Call{Arguments: json.RawMessage(`{"reason":"a test"}`), Header: sent, Transport: "sse"})
	if result.IsError || header.Get("Authorization") != "Bearer x" || order != (killswitch.Order{Reason: "a test", Scope: "all", Source: "sse"}) {
		t.Errorf("%+v: %v %+v", result, header, order)
	}
}

func TestTheKillSwitchTakesNoSecretAndNoCommandAsArgument(t *testing.T) {
	kill := EmergencyKillSwitch(func(context.Context, http.Header, killswitch.Order) (killswitch.Outcome, error) {
		t.Error("halted")
		return killswitch.Outcome{}, nil
	})
	for _, arguments := range []string{
		`{}`, `{"reason":""}`, `{"reason":"test","secret":"hidden-1"}`, `{"reason":"test","command":"hidden-1"}`, `{"reason":"test","scope":"some"}`,
		`{"reason":"` + strings.Repeat("x", 501) + `"}`,
	} {
		result := kill.Run(t.Context(), &tool.Call{Arguments: json.RawMessage(arguments)})
		if result.Err == nil || result.Err.Code != "invalid_argument" || strings.Contains(result.Content[0].(tool.Text).Text, "hidden-1") {
			t.Errorf("%s: %+v", arguments, result)
		}
	}
}
