package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A desktop client talks over standard input and output, beside a running server
// with the same data directory.
func TestToolsOverStandardInputAndOutput(t *testing.T) {
	r := start(t)
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	var complaints strings.Builder
	ended := make(chan int, 1)
	go func() {
		ended <- run(context.Background(), terminal{in: fromClient, out: toClient, err: &complaints}, []string{"mcp", "-data", r.data})
		_ = toClient.Close()
	}()
	answers := bufio.NewScanner(fromServer)
	ask := func(message string) string {
		t.Helper()
		if _, err := io.WriteString(toServer, message+"\n"); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() {
			t.Fatalf("no answer to %s: %v %s", message, answers.Err(), &complaints)
		}
		return answers.Text()
	}
	if greeting := ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`); !strings.Contains(greeting, `"version":"1.11.0"`) {
		t.Errorf("initialize: %s", greeting)
	}
	if _, err := io.WriteString(toServer, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if verified := ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"verify_audit_chain","arguments":{}}}`); !strings.Contains(verified, `"valid":true`) || !strings.Contains(verified, `"entries":2`) {
		t.Errorf("verify_audit_chain: %s", verified)
	}
	for message, want := range map[string]string{
		`garbage`: "-32700", `[]`: "-32600", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`: "-32600",
		`"` + strings.Repeat("x", 1<<20) + `"`:                       "longer than a mebibyte",
		"\n" + `{"jsonrpc":"2.0","id":"still here","method":"ping"}`: `"still here","result":{}`,
	} {
		if answer := ask(message); !strings.Contains(answer, want) {
			t.Errorf("%.60s: %s", message, answer)
		}
	}
	secret, err := os.ReadFile(killSecretFile(r.data))
	if err != nil {
		t.Fatal(err)
	}
	kill := ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"emergency_kill_switch","arguments":{"reason":"a test","secret":"` + strings.TrimSpace(string(secret)) + `"}}}`)
	if _, err := os.Stat(filepath.Join(r.data, "HALT")); err == nil || !strings.Contains(kill, `"isError":true`) || strings.Contains(kill, strings.TrimSpace(string(secret))) {
		t.Errorf("a secret as an argument: %s", kill)
	}
	if err := toServer.Close(); err != nil {
		t.Fatal(err)
	}
	if status := <-ended; status != 0 {
		t.Errorf("exit status %d: %s", status, &complaints)
	}
}

func TestTheKillSecretOfALaptopIsMadeOnceForItsOwnerOnly(t *testing.T) {
	r := start(t)
	info, err := os.Stat(killSecretFile(r.data))
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() < 33 {
		t.Fatalf("%v (%v)", info, err)
	}
	secret, err := os.ReadFile(killSecretFile(r.data))
	if err != nil {
		t.Fatal(err)
	}
	a := r.call("POST", "/kill", `{"reason":"a test"}`, "Authorization", "Bearer "+strings.TrimSpace(string(secret)))
	wantStatus(t, a, 200, "the secret of the file")
	again, err := withKillSecret(r.service.config)
	if err != nil || again.KillSecret != strings.TrimSpace(string(secret)) {
		t.Errorf("another start has another secret (%v)", err)
	}
}
