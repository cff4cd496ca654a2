package server_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"governance.internal/functions/toolserver/agent"
	"governance.internal/functions/toolserver/server"
	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/shared/dynamotest"
	"governance.internal/shared/porttest"
	"governance.internal/shared/wiring"
)

// taskVariable makes the test binary a task that listens on its value.
const taskVariable = "TOOLSERVER_TEST_TASK"

func TestMain(m *testing.M) {
	if fence.IsFirstProcess(os.Args[1:]) {
		os.Exit(fence.Init())
	}
	if len(os.Args) == 2 && os.Args[1] == server.AgentCommand {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		os.Exit(agent.Main(ctx, os.Stdin, os.Stdout))
	}
	if dir := os.Getenv(floodedVariable); dir != "" {
		fmt.Fprintln(os.Stderr, serveFlooded(dir))
		os.Exit(1)
	}
	if address := os.Getenv(benchVariable); address != "" {
		fmt.Fprintln(os.Stderr, serveBench(address))
		os.Exit(1)
	}
	if address := os.Getenv(taskVariable); address != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		parts, err := wiring.ToolsFromEnvironment()
		if err == nil {
			err = server.Run(ctx, parts, address)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := lackWhatIsAsked(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// task is a tool server in a process of its own, as one of several.
type task struct {
	running
	process *exec.Cmd
	log     *strings.Builder
}

// tasks starts as many on one state table and one audit chain, with further variables, and
// returns when all of them answer.
func tasks(t *testing.T, n int, environment ...string) (all []task) {
	t.Helper()
	endpoint, state := dynamotest.Table(t, "pk", "sk")
	_, chain := dynamotest.Table(t, "pk", "sk")
	for range n {
		address := porttest.Address(t)
		one := task{running{T: t, url: "http://" + address}, exec.Command(os.Args[0]), new(strings.Builder)}
		one.process.Stderr = one.log
		one.process.Env = append(os.Environ(), taskVariable+"="+address, "BASE_URL="+one.url, "TASK_ADDRESS="+address, "DATA_DIR="+t.TempDir(),
			"STATE_TABLE="+state, "AUDIT_TABLE="+chain, "DYNAMODB_ENDPOINT="+endpoint, "KILL_SECRET="+killSecret)
		one.process.Env = append(one.process.Env, environment...)
		if err := one.process.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = one.process.Process.Kill()
			_ = one.process.Wait()
			if t.Failed() {
				t.Logf("%s: %s", address, one.log)
			}
		})
		all = append(all, one)
	}
	for _, one := range all {
		one.answers()
	}
	return all
}

func (k task) answers() {
	k.Helper()
	k.eventually(func() bool {
		answer, err := http.Get(k.url + "/health")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == 200
	})
}

const greet = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// A message reaches its session through any task; when the owner is gone the client gets
// 404 within a second and opens another session.
func TestAMessageReachesItsSessionThroughAnotherTask(t *testing.T) {
	all := tasks(t, 2)
	owner, other := all[0], all[1]
	s := owner.open("/sse")
	through := func(body string) (answer *http.Response) {
		other.eventually(func() bool { // the table may be too slow to read: the client gets a 503 and retries
			answer, _ = other.send("POST", s.endpoint, body)
			return answer.StatusCode != 503
		})
		return answer
	}
	if answer := through(greet); answer.StatusCode != 202 {
		t.Fatalf("forwarded: %d", answer.StatusCode)
	}
	if greeting := s.event("message"); !strings.Contains(greeting, "1.11.0") {
		t.Errorf("greeting %s", greeting)
	}
	through(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	// The secret of the kill switch travels along: it is checked by the owner.
	if answer, _ := other.send("POST", s.endpoint, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"emergency_kill_switch","arguments":{"reason":"a test"}}}`, "Authorization", "Bearer "+killSecret); answer.StatusCode != 202 {
		t.Fatalf("forwarded: %d", answer.StatusCode)
	}
	if halted := s.event("message"); !strings.Contains(halted, `"activated":true`) {
		t.Errorf("halt %s", halted)
	}
	for body, status := range map[string]int{`{"jsonrpc":`: 400, `[]`: 400} {
		if answer := through(body); answer.StatusCode != status {
			t.Errorf("%s: %d, want %d as from the owner", body, answer.StatusCode, status)
		}
	}
	id := strings.TrimPrefix(s.endpoint, "/message?sessionId=")
	for what, made := range map[string]string{"another end": id[:len(id)-2] + "xx", "another task": "0000000000000000" + id[16:], "no seal": id[:strings.LastIndex(id, ".")], "an address": "127.0.0.1:80." + id} {
		if answer, _ := other.send("POST", "/message?sessionId="+made, greet); answer.StatusCode != 404 {
			t.Errorf("an id with %s: %d", what, answer.StatusCode)
		}
	}
	if answer, _ := other.send("POST", s.endpoint, greet, "X-Governance-Task", "guess"); answer.StatusCode != 404 {
		t.Errorf("who only says that he is a task: %d", answer.StatusCode)
	}
	if err := owner.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.process.Wait()
	began := time.Now()
	answer := through(greet)
	t.Logf("figure: 404 of a killed owner after %s", time.Since(began).Round(time.Millisecond))
	if answer.StatusCode != 404 {
		t.Errorf("the owner is gone: %d", answer.StatusCode)
	}
}

// A task that ends by itself gives its sessions and its lease up.
func TestATaskThatEndsLeavesNoLease(t *testing.T) {
	all := tasks(t, 2)
	s := all[0].open("/sse")
	if err := all[0].process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for s.lines.Scan() { // the stream ends
	}
	if err := all[0].process.Wait(); err != nil {
		t.Errorf("%v: %s", err, all[0].log)
	}
	if answer, _ := all[1].send("POST", s.endpoint, greet); answer.StatusCode != 404 {
		t.Errorf("%d", answer.StatusCode)
	}
}

// A halt in one task is a halt in all, and is lifted for all.
func TestAHaltIsSeenByEveryTask(t *testing.T) {
	all := tasks(t, 2)
	halted := func(one task) bool {
		_, health := one.send("GET", "/health", "")
		return health["checks"].(map[string]any)["halt"] == true
	}
	all[0].halt()
	if !halted(all[0]) {
		t.Fatal("not halted where it was asked for")
	}
	all[1].eventually(func() bool { return halted(all[1]) })
	if answer, out := all[1].send("POST", "/kill", liftBody, "Authorization", "Bearer "+killSecret); answer.StatusCode != 200 || out["resumed"] != true {
		t.Fatalf("lifted by another task: %d %v", answer.StatusCode, out)
	}
	all[0].eventually(func() bool { return !halted(all[0]) })
	if n := len(all[1].typed("KILL_SWITCH_LIFTED")); n != 1 {
		t.Errorf("%d lifts on record", n)
	}
}

// halt halts all tasks. If a slow table cannot be written within the time limit, the answer
// says so and the halt is repeated, as a person would do.
func (k task) halt() {
	k.Helper()
	k.eventually(func() bool {
		answer, out := k.send("POST", "/kill", killBody, "Authorization", "Bearer "+killSecret)
		return answer.StatusCode == 200 && out["complete"] == true
	})
}

// typed are the entries of a type that GET /entries shows.
func (r running) typed(event string) (found []any) {
	r.Helper()
	_, object := r.send("GET", "/entries", "")
	for _, e := range object["entries"].([]any) {
		if e.(map[string]any)["event"] == event {
			found = append(found, e)
		}
	}
	return found
}
