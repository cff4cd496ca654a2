package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"governance.internal/functions/toolserver/server"
	"governance.internal/shared/audit/file"
)

// flooded starts such a server and gives its address.
func flooded(t *testing.T, dir string) string {
	t.Helper()
	program := exec.Command("/proc/self/exe")
	program.Env = append(os.Environ(), floodedVariable+"="+dir)
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Process.Kill(); _ = program.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s %v", address, err)
	}
	return strings.TrimSpace(address)
}

// ask sends a request on a connection of its own. Where the machine is so slow that the
// server closed the connection for newer ones before it read the request, it asks again.
func ask(t *testing.T, method, url, body string) (status int, out map[string]any) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	var answer *http.Response
	for tries := 1; answer == nil; tries++ {
		request, err := http.NewRequest(method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+killSecret)
		answer, err = client.Do(request)
		if err != nil && tries == 10 {
			t.Fatal(err)
		}
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
		t.Fatalf("%d: %v", answer.StatusCode, err)
	}
	return answer.StatusCode, out
}

// flood opens connections that say nothing, and such that never finish a request, and opens
// each again that the server closes, until the test ends.
func flood(t *testing.T, address string) {
	t.Helper()
	unfinished := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", address, killSecret)
	var opened, ended sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() { stop(); ended.Wait() })
	for n := range 2 * fewDescriptors {
		opened.Add(1)
		told := sync.OnceFunc(opened.Done)
		ended.Go(func() {
			for ctx.Err() == nil {
				connection, err := (&net.Dialer{Timeout: time.Minute}).DialContext(ctx, "tcp", address)
				if err != nil {
					continue
				}
				if n%2 == 0 {
					_, _ = connection.Write([]byte(unfinished))
				}
				told()
				release := context.AfterFunc(ctx, func() { _ = connection.Close() })
				_, _ = io.Copy(io.Discard, connection)
				release()
				_ = connection.Close()
				time.Sleep(500 * time.Millisecond)
			}
		})
	}
	opened.Wait()
}

// The kill switch works under a flood of silent connections, twice as many as the server
// has descriptors, and of requests that never finish: the agent ends, and the chain records
// it.
func TestAFloodOfConnectionsDoesNotBluntTheKillSwitch(t *testing.T) {
	dir := t.TempDir()
	governed(t, &server.Deps{Workspace: dir}, "sleep 60")
	address := flooded(t, dir)
	url := "http://" + address
	const dispatch = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dispatch_to_llm","arguments":{"task":"wait"}}}`
	if status, out := ask(t, "POST", url+"/mcp", dispatch); status != 200 || !strings.Contains(sprint(out), `"dispatched":true`) {
		t.Fatalf("%d %v", status, out)
	}

	flood(t, address)
	if status, health := ask(t, "GET", url+"/health", ""); status != 200 || health["checks"].(map[string]any)["halt"] != false {
		t.Errorf("health: %d %v", status, health)
	}
	status, out := ask(t, "POST", url+"/kill", killBody)
	if status != 200 || out["complete"] != true || out["kept"] != true || out["audit"] != "written" {
		t.Errorf("kill: %d %v", status, out)
	}
	ended := out["stopped"].(map[string]any)["dispatches"].([]any)
	if len(ended) != 1 || ended[0].(map[string]any)["ended"] != true {
		t.Errorf("kill: %v", out)
	}
	chain, err := os.ReadFile(file.Path(filepath.Join(dir, "chain"), "governance"))
	if err != nil || strings.Count(string(chain), `"KILL_SWITCH"`) != 2 {
		t.Errorf("the chain has not what was asked and what was done (%v): %s", err, chain)
	}
}
