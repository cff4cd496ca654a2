package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/server"
)

// The server refuses to listen on a public address without a token, and ends when its
// context does.
func TestListenRefusesAnOpenDoorAndEndsWhenTold(t *testing.T) {
	r := start(t, nil)
	if err := r.server.Listen(t.Context(), "0.0.0.0:0"); err == nil || !strings.Contains(err.Error(), "GOV_API_TOKEN") {
		t.Errorf("without a token: %v", err)
	}
	guarded := start(t, func(d *depsOf) { d.Token = apiToken })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- guarded.server.Listen(ctx, "0.0.0.0:0") }()
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the end: %v", err)
	}
	if answer, health := guarded.send("GET", "/health", ""); answer.StatusCode != http.StatusServiceUnavailable || health["status"] != "draining" {
		t.Errorf("after the end: %d %v", answer.StatusCode, health)
	}
}

func TestWrongSettingsStopTheStart(t *testing.T) {
	for name, d := range map[string]server.Deps{
		"BASE_URL": {BaseURL: "tools.example"}, "GOV_TOOLSETS": {BaseURL: "http://tools.example", Toolsets: []string{"cores"}},
		"KILL_SECRET": {BaseURL: "http://tools.example", KillSecret: "short"},
	} {
		if _, err := server.New(d); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
