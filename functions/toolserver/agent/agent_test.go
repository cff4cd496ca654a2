package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/agent/chat"
	"governance.internal/functions/toolserver/agent/modeltest"
	"governance.internal/functions/toolserver/guard/workspace"
)

var apis = []string{Anthropic, OpenAI, Bedrock}

const governance = "version: 1\nuntouchable: [\"keys/**\"]\nprotected: [\"go.mod\"]\n"

// project is a workspace with a few files, and the data directory of a server.
type project struct {
	*testing.T
	dir, data string
}

func newProject(t *testing.T) project {
	t.Helper()
	for name, value := range map[string]string{"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "EXAMPLEID", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": ""} {
		t.Setenv(name, value)
	}
	p := project{t, t.TempDir(), t.TempDir()}
	for name, text := range map[string]string{
		"governance.yaml": governance, "notes.txt": "the house is blue\n", "keys/server.pem": "the key\n", "go.mod": "module x\n", "src/a.go": "package a\n// blue\n",
	} {
		p.write(name, text)
	}
	return p
}

func (p project) write(name, text string) {
	p.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

func (p project) read(name string) string {
	p.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.Error(err)
	}
	return string(text)
}

// spooled are the records that wait for the server.
func (p project) spooled() string {
	p.Helper()
	names, err := filepath.Glob(filepath.Join(p.dir, workspace.StateDir, "spool", "*"))
	if err != nil {
		p.Fatal(err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			p.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// outcome is what came of an agent.
type outcome struct {
	stop   Stop
	log    string
	pauses []time.Duration
	server *modeltest.Server
}

// work lets an agent work by a script; change may be nil.
func (p project) work(api, script string, change func(*Assignment)) outcome {
	p.Helper()
	return p.workWith(p.Context(), api, script, nil, change)
}

func (p project) workWith(ctx context.Context, api, script string, before func(int), change func(*Assignment)) (o outcome) {
	p.Helper()
	o.server = modeltest.Start(p, api, modeltest.Script(p, api, script), before)
	a := Assignment{
		Dispatch: "d1", Task: "Paint the house green.", Turns: 20, Tokens: 1_000_000, Seconds: 60, Workspace: p.dir, DataDir: p.data,
		Provider: Provider{API: api, Name: modeltest.Model, URL: o.server.URL, Key: modeltest.Key},
	}
	if change != nil {
		change(&a)
	}
	governed, err := workspace.Open(p.dir, p.data)
	if err != nil {
		p.Fatal(err)
	}
	defer governed.Close()
	model, err := a.Provider.open()
	if err != nil {
		p.Fatal(err)
	}
	var log bytes.Buffer
	loop := a.loop(governed, model, &log)
	loop.Pause = func(ctx context.Context, d time.Duration) error { o.pauses = append(o.pauses, d); return ctx.Err() }
	o.stop = loop.Run(ctx, a.Task)
	o.log = log.String()
	if strings.Contains(o.log, modeltest.Key) || strings.Contains(o.log, p.dir) {
		p.Errorf("%s: the log tells the key or the place: %s", api, o.log)
	}
	return o
}

// Over each wire format a task of three steps is done, and what is untouchable stays as it
// is; the refusal is recorded, and so are the worklog and the handoff.
func TestAnAgentDoesItsTaskAndIsRefused(t *testing.T) {
	for _, api := range apis {
		p := newProject(t)
		o := p.work(api, "three-steps", nil)
		if o.stop != Done || len(o.server.Requests()) != 5 {
			t.Errorf("%s: %s after %d requests\n%s", api, o.stop, len(o.server.Requests()), o.log)
		}
		if p.read("notes.txt") != "the house is green\n" || p.read("keys/server.pem") != "the key\n" {
			t.Errorf("%s: %q, %q", api, p.read("notes.txt"), p.read("keys/server.pem"))
		}
		if !strings.Contains(p.read("WORKLOG.md"), "notes.txt says green") || !strings.Contains(p.read("SESSION_HANDOFF.md"), "decide about keys/server.pem") {
			t.Errorf("%s: worklog or handoff", api)
		}
		for _, event := range []string{"BLOCKED_UNTOUCHABLE", "WORKLOG", "HANDOFF_WRITTEN"} {
			if !strings.Contains(p.spooled(), event) {
				t.Errorf("%s: no %s in %s", api, event, p.spooled())
			}
		}
		if last := o.server.Requests()[2].Body; !strings.Contains(last, "untouchable") {
			t.Errorf("%s: the model is not told of the refusal: %s", api, last)
		}
	}
}

// The model receives an error for each wrong call and continues.
func TestWrongCallsAreAnswered(t *testing.T) {
	for _, api := range apis {
		o := newProject(t).work(api, "wrong-calls", nil)
		requests := o.server.Requests()
		last := requests[len(requests)-1].Body
		if o.stop != Done || !strings.Contains(last, "invalid_argument") || !strings.Contains(last, "There is no tool of this name") {
			t.Errorf("%s: %s %s", api, o.stop, last)
		}
		if api == OpenAI && !strings.Contains(last, "The arguments are not JSON") {
			t.Errorf("%s: %s", api, last)
		}
	}
}

// Each reason to stop has its own value.
func TestWhyAnAgentStops(t *testing.T) {
	for _, api := range apis {
		for script, want := range map[string]Stop{"refused": Refused, "long": TooLong, "full": ContextFull, "declined": Refused, "denied": Failed, "nonsense": Failed, "half": Failed} {
			if script == "full" && api == OpenAI || script == "declined" && api != OpenAI {
				continue // the format has no such answer
			}
			o := newProject(t).work(api, script, nil)
			asked := len(o.server.Requests())
			if o.stop != want || asked != 1 {
				t.Errorf("%s: %s: %s after %d requests: %s", api, script, o.stop, asked, o.log)
			}
		}
	}
}

// A model that never ends is ended at exactly its turns, or when its tokens are used up.
func TestAnEndlessModelIsEnded(t *testing.T) {
	for _, api := range apis {
		o := newProject(t).work(api, "endless", func(a *Assignment) { a.Turns = 7 })
		if n := len(o.server.Requests()); o.stop != MaxTurns || n != 7 {
			t.Errorf("%s: %s after %d requests", api, o.stop, n)
		}
		o = newProject(t).work(api, "endless", func(a *Assignment) { a.Tokens = 2500 }) // an answer costs 1000
		requests := o.server.Requests()
		if o.stop != TokenBudget || len(requests) != 3 || requests[0].MaxTokens != 2500 || requests[2].MaxTokens != 500 {
			t.Errorf("%s: %s after %+v", api, o.stop, requests)
		}
	}
}

// The halt, the end of the process and the end of the time are seen before each turn and
// each tool: the edit of an answer that came too late is not made.
func TestWhatEndsAnAgentFromOutside(t *testing.T) {
	for _, api := range apis {
		for want, end := range map[Stop]func(project, context.CancelFunc){
			Killed: func(p project, _ context.CancelFunc) {
				if err := os.WriteFile(filepath.Join(p.data, "HALT"), []byte(`{"reason":"a test"}`), 0o600); err != nil {
					p.Error(err)
				}
			},
			OutOfTime: nil,
			"":        func(_ project, cancel context.CancelFunc) { cancel() },
		} {
			p := newProject(t)
			ctx, cancel := context.WithCancel(t.Context())
			if want == OutOfTime {
				ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
			}
			o := p.workWith(ctx, api, "three-steps", func(n int) {
				if n == 2 && end != nil {
					end(p, cancel)
				}
				if end == nil {
					<-ctx.Done()
				}
			}, nil)
			cancel()
			if want == "" {
				want = Killed
			}
			if o.stop != want || p.read("notes.txt") != "the house is blue\n" {
				t.Errorf("%s: %s, want %s: %s", api, o.stop, want, o.log)
			}
		}
	}
}

// A provider that is busy is asked again: after as long as it wants, and longer each time.
func TestABusyProviderIsAskedAgain(t *testing.T) {
	for _, api := range apis {
		o := newProject(t).work(api, "busy", nil)
		if o.stop != Done || len(o.server.Requests()) != 4 || len(o.pauses) != 3 {
			t.Fatalf("%s: %s after %v: %s", api, o.stop, o.pauses, o.log)
		}
		if api != Bedrock && o.pauses[0] != 2*time.Second {
			t.Errorf("%s: Retry-After is not honoured: %v", api, o.pauses)
		}
		if o.pauses[1] < time.Second || o.pauses[2] < 2*time.Second {
			t.Errorf("%s: %v", api, o.pauses)
		}
	}
}

// An agent that no server started says what to do.
func TestAnAssignmentThatIsNone(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `{"seconds":1,"provider":{"api":"smoke"},"workspace":"/nowhere"}`} {
		var out bytes.Buffer
		if status := Main(t.Context(), strings.NewReader(text), &out); StopOf(status) != string(Failed) {
			t.Errorf("%q: %d %s", text, status, &out)
		}
	}
}

// The tools read what may be read and change what may be changed.
func TestTheToolsKeepToTheWorkspace(t *testing.T) {
	p := newProject(t)
	if err := os.Symlink("/etc/passwd", filepath.Join(p.dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(p.dir, "keys/server.pem"), filepath.Join(p.dir, "other.txt")); err != nil {
		t.Fatal(err)
	}
	governed, err := workspace.Open(p.dir, p.data)
	if err != nil {
		t.Fatal(err)
	}
	defer governed.Close()
	var log bytes.Buffer
	loop := Assignment{Dispatch: "d1", DataDir: p.data}.loop(governed, nil, &log)
	for _, c := range []struct {
		name, arguments, want string
		failed                bool
	}{
		{"read_file", `{"path":"notes.txt"}`, "the house is blue", false},
		{"read_file", `{"path":"go.mod"}`, "module x", false},
		{"read_file", `{"path":"src/a.go","from_line":2,"lines":1}`, `"text":"// blue\n"`, false},
		{"read_file", `{"path":"keys/server.pem"}`, "refused", true},
		{"read_file", `{"path":"other.txt"}`, "refused", true},
		{"read_file", `{"path":"governance.yaml"}`, "refused", true},
		{"read_file", `{"path":"../x"}`, "refused", true},
		{"read_file", `{"path":"/etc/passwd"}`, "refused", true},
		{"read_file", `{"path":"link"}`, "refused", true},
		{"read_file", `{"path":"nothing"}`, "not_found", true},
		{"list_files", `{}`, `["go.mod","notes.txt","other.txt","src/a.go"]`, false},
		{"list_files", `{"path":".."}`, "path_outside_workspace", true},
		{"search", `{"pattern":"blue|the key"}`, `[{"path":"notes.txt","line":1,"text":"the house is blue"},{"path":"src/a.go","line":2,"text":"// blue"}]`, false},
		{"search", `{"pattern":"("}`, "no regular expression", true},
		{"propose_edit", `{"path":"notes.txt","old":"house","new":"barn"}`, "notes.txt", false},
		{"propose_edit", `{"path":"notes.txt","old":"house","new":"barn"}`, "0 times", true},
		{"propose_edit", `{"path":"notes.txt","old":"","new":"x"}`, "conflict", true},
		{"propose_edit", `{"path":"go.mod","old":"x","new":"y"}`, "PROTECTED", true},
		{"propose_edit", `{"path":"other.txt","old":"the key","new":"x"}`, "refused", true},
		{"propose_edit", `{"path":"link","old":"root","new":"x"}`, "refused", true},
		{"propose_edit", `{"path":"new/file.txt","old":"","new":"x\n"}`, "created", false},
	} {
		results, _ := loop.use(t.Context(), callsOf(c.name, c.arguments))
		if got := results[0]; got.Failed != c.failed || !strings.Contains(got.Text, c.want) {
			t.Errorf("%s %s: %+v, want %s", c.name, c.arguments, got, c.want)
		}
	}
	if p.read("notes.txt") != "the barn is blue\n" || p.read("new/file.txt") != "x\n" || p.read("go.mod") != "module x\n" {
		t.Error("files are not as they should be")
	}
}

// A secret in a file reaches neither the log nor the model. The guard checks exactly the
// file that is opened, even if its name goes through a link and back.
func TestANameThroughALinkIsJudgedAsItIsOpened(t *testing.T) {
	p := newProject(t)
	p.write("deep/er/x", "x\n")
	for name, target := range map[string]string{"link": "deep/er", "b": "keys"} {
		if err := os.Symlink(target, filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	w, err := workspace.Open(p.dir, p.data)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	a := Assignment{Dispatch: "test", Workspace: p.dir, DataDir: p.data}
	loop := a.loop(w, nil, &bytes.Buffer{})
	for _, path := range []string{"b/server.pem", "link/../b/server.pem"} {
		for name, arguments := range map[string]string{"read_file": `{"path":"` + path + `"}`, "propose_edit": `{"path":"` + path + `","old":"the key","new":"mine"}`} {
			text, failed := loop.call(t.Context(), chat.Call{ID: "1", Name: name, Arguments: arguments})
			if !failed || strings.Contains(text, "the key") {
				t.Errorf("%s of %s: %s", name, path, text)
			}
		}
		if text, failed := loop.call(t.Context(), chat.Call{ID: "1", Name: "propose_edit", Arguments: `{"path":"` + filepath.Dir(path) + `/fresh","new":"mine"}`}); !failed {
			t.Errorf("made: %s", text)
		}
	}
	if p.read("keys/server.pem") != "the key\n" {
		t.Error("the key is changed")
	}
}

func TestSecretsAreMasked(t *testing.T) {
	p := newProject(t)
	secret := "ghp_" + "a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"
	p.write("notes.txt", "token "+secret+"\nthe house is blue\n")
	o := p.work(Anthropic, "three-steps", nil)
	all, err := json.Marshal(o.server.Requests())
	if err != nil {
		t.Fatal(err)
	}
	if o.stop != Done || strings.Contains(o.log, secret) || strings.Contains(string(all), secret) || !strings.Contains(p.read("notes.txt"), secret) {
		t.Errorf("%s: %s", o.stop, o.log)
	}
}

func callsOf(name, arguments string) []chat.Call {
	return []chat.Call{{ID: "1", Name: name, Arguments: arguments}}
}
