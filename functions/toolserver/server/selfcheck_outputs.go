package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools"
	"governance.internal/functions/toolserver/tools/core"
	"governance.internal/shared/audit/auditor"
	"governance.internal/shared/audit/file"
	"governance.internal/shared/catalog"
	"governance.internal/shared/guides"
	"governance.internal/shared/secretscan"
	"governance.internal/shared/wiring"
)

// fixture is the workspace of the private instance. %[1]s is a token that no output may show.
var fixture = map[string]string{
	"governance.yaml": `version: 1
untouchable: ["infra/**"]
protected: ["package.json"]
versions: [{name: app, source: {file: package.json, pointer: /version}, targets: [{files: [README.md], pattern: 'version (\d+\.\d+\.\d+)'}]}]
processes: {provider: procfs, expected: [{name: api, match: {cmd: 'self-check-fixture'}, script: api/server.js}]}
bots: {files: [{path: bots/lily.py, platform: telegram}]}
docs: [{path: README.md, check: [paths, commands]}]
usage: {sources: [{file: "usage/*.jsonl"}]}
website: {root: web}
`,
	"README.md":          "# Fixture\n\nThis is version 1.2.0. See [the guide](docs/none.md).\n",
	"package.json":       `{"name":"fixture","version":"1.3.0"}`,
	"api/server.js":      "import './gone.js';\nconst token = '%[1]s';\n",
	"bots/lily.py":       "TOKEN = '%[1]s'\n\ndef main():\n    print(TOKEN)\n\nmain()\n",
	"infra/main.tf":      "token = \"%[1]s\"\n",
	".env":               "API_TOKEN=%[1]s\n",
	".mcp.json":          `{"mcpServers":{"a":{"command":"npx","args":["-y","x"],"env":{"TOKEN":"%[1]s"}}}}`,
	"usage/a.jsonl":      `{"ts":"2026-01-01T00:00:00Z","bot":"lily","input_tokens":1,"output_tokens":1}` + "\n",
	"web/index.html":     "<!doctype html><title>Fixture</title><a href=\"gone.html\">gone</a><!-- %[1]s -->\n",
	"SESSION_HANDOFF.md": "# Handoff\n\nThe token is %[1]s.\n",
	"WORKLOG.md":         "# Worklog\n\nUsed %[1]s.\n",
}

// private is an instance of the server over a workspace of its own. It listens nowhere.
type private struct {
	server *Server
	store  *file.Store
	folder string
	token  string // in its files
}

// openPrivate makes a private instance, which only offers tools that read.
func (s *Server) openPrivate() (p *private, err error) {
	folder, err := os.MkdirTemp("", "self-check-")
	if err != nil {
		return nil, errors.New("no temporary folder can be made")
	}
	p = &private{
		folder: folder,
		token:  "ghp_" + (rand.Text() + rand.Text())[:36],
	}
	defer func() {
		if err != nil {
			p.close()
		}
	}()

	if err := p.furnish(); err != nil {
		return nil, errors.New("the temporary workspace cannot be written")
	}
	data := filepath.Join(folder, "data")
	if p.store, err = file.Open(data, wiring.ChainName, file.Options{}); err != nil {
		return nil, errors.New("the temporary audit chain cannot be opened")
	}
	verifier := &auditor.Auditor{
		Store: p.store,
		Notes: p.store,
		Chain: wiring.ChainName,
		Now:   time.Now,
	}
	p.server, err = New(Deps{
		BaseURL:    limiterAddress,
		KillSecret: rand.Text() + rand.Text(),
		Toolsets:   tools.Toolsets,
		ReadOnly:   true,
		Build:      s.deps.Build,
		DataDir:    data,
		Workspace:  filepath.Join(folder, "workspace"),
		Audit:      p.store,
		Verify:     verifier.Report,
		Host:       s.deps.Host,
		Now:        time.Now,
		Random:     rand.Reader,
	})
	return p, err
}

func (p *private) furnish() error {
	root := filepath.Join(p.folder, "workspace")
	for name, text := range fixture {
		if strings.Contains(text, "%[1]s") {
			text = fmt.Sprintf(text, p.token)
		}
		at := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return os.MkdirAll(filepath.Join(p.folder, "data"), 0o700)
}

// close ends the instance and removes its files.
func (p *private) close() {
	if p.server != nil {
		p.server.Close()
	}
	if p.store != nil {
		_ = p.store.Close() // its files go now
	}
	_ = os.RemoveAll(p.folder) // what stays is in the folder for temporary files
}

// probeOutputs runs every tool that only reads on a private instance, and looks for paths of
// the machine and secrets in what it answers.
func (s *Server) probeOutputs(ctx context.Context) (o core.Observation) {
	p, err := s.openPrivate()
	if err != nil {
		o.Skipped = err.Error()
		return o
	}
	defer p.close()

	hidden := append(s.hiddenTexts(), p.folder, p.token)
	run := 0
	for _, t := range readOnly(p.server.sold) {
		if ctx.Err() != nil {
			o.Found(core.SeverityWarn, "OUTPUT_UNTRIED", t.Name+" was not tried: the time of the check was over.", "Try again when the machine has less to do.")
			continue
		}
		o.Tests = append(o.Tests, p.try(ctx, t, hidden, &o))
		run++
	}
	o.Detail = fmt.Sprintf("%d tools that only read answered about a workspace with planted secrets", run)
	return o
}

// try calls a tool with each example of its arguments.
func (p *private) try(ctx context.Context, t *tool.Tool, hidden []string, o *core.Observation) core.SelfTest {
	test := core.SelfTest{
		Tool: t.Name,
		OK:   true,
	}
	began := time.Now()
	calls := 0
	for _, example := range examplesOf(t.Input) {
		arguments, err := json.Marshal(example)
		if err != nil || ctx.Err() != nil {
			continue
		}
		calls++
		result := t.Run(ctx, &tool.Call{
			Arguments: arguments,
			Transport: "self_check",
		})
		text, err := json.Marshal(result)
		leak := leakIn(string(text), hidden)
		broken := err != nil || result.Err != nil && result.Err.Code == "internal"
		if leak != "" {
			o.Found(core.SeverityError, "OUTPUT_LEAKS", "An answer of "+t.Name+" shows "+leak+".", "Redact it in the tool.")
		}
		if broken {
			o.Found(core.SeverityError, "TOOL_FAILS", t.Name+" fails on a small workspace.", "Look into the log of the server.")
		}
		test.OK = test.OK && leak == "" && !broken
	}
	test.MS = time.Since(began).Milliseconds()
	test.Detail = fmt.Sprintf("%d calls", calls)
	return test
}

// hiddenTexts are texts of the running server that no answer may show.
func (s *Server) hiddenTexts() []string {
	hidden := []string{s.deps.KillSecret, s.deps.Token, s.deps.Model.Key}
	for _, folder := range []string{s.deps.DataDir, s.deps.Workspace} {
		if at := absolute(folder); len(at) > len("/data") {
			hidden = append(hidden, at)
		}
	}
	if home, err := os.UserHomeDir(); err == nil && len(home) > len("/root") {
		hidden = append(hidden, home)
	}
	return hidden
}

// machinePath is a path in the home of a person, as it stands on some machine.
var machinePath = regexp.MustCompile(`(?:/home/|/Users/|[A-Z]:\\\\?Users\\)[A-Za-z0-9._-]+[/\\]`)

// leakIn says what a text shows that it must not, "" for nothing.
func leakIn(text string, hidden []string) string {
	for _, each := range hidden {
		if each != "" && strings.Contains(text, each) {
			return "a path or a secret of the machine"
		}
	}
	if machinePath.MatchString(text) {
		return "a path of somebody's machine"
	}
	if found := secretscan.Scan(text); len(found) > 0 {
		return "what looks like a " + found[0].Provider
	}
	return ""
}

// probePages looks for paths and secrets in what anybody can read.
func (s *Server) probePages(ctx context.Context) (o core.Observation) {
	hidden := s.hiddenTexts()
	pages := []string{"/", "/health"}
	for _, path := range pages {
		answer, err := send(ctx, s, s.deps.BaseURL, "", http.MethodGet, path, "")
		if err != nil {
			o.Skipped = "the address of the server cannot be read"
			return o
		}
		if leak := leakIn(string(answer.body), hidden); leak != "" {
			o.Found(core.SeverityError, "PAGE_LEAKS", "GET "+path+" shows "+leak+".", "Redact it in the route.")
		}
	}
	o.Detail = "GET / and GET /health without a token"
	return o
}

// probeEmbedded scans the texts that the program holds, and whether it holds paths of the
// machine that built it.
func (s *Server) probeEmbedded(ctx context.Context) (o core.Observation) {
	texts := s.embedded(ctx)
	for name, text := range texts {
		if leak := leakIn(text, nil); leak != "" {
			o.Found(core.SeverityError, "EMBEDDED_LEAK", name+" holds "+leak+".", "Take it out, and build again.")
		}
	}
	if _, source, _, ok := runtime.Caller(0); ok && filepath.IsAbs(source) {
		o.Found(core.SeverityInfo, "BUILD_PATHS", "The program holds the paths of the machine that built it.", "Build with -trimpath.")
	}
	o.Detail = fmt.Sprintf("%d embedded texts", len(texts))
	return o
}

// embedded are the texts that the program holds, by name.
func (s *Server) embedded(ctx context.Context) map[string]string {
	texts := map[string]string{}
	for _, each := range s.servers.Table.Resources {
		if text, err := each.Read(ctx); err == nil {
			texts["the resource "+each.Name] = text
		}
	}
	for _, name := range guides.Names() {
		text, _ := guides.Full(name)
		texts["the guide "+name] = text
	}
	for name, schema := range catalog.Schemas() {
		texts["the schema "+name] = string(schema)
	}
	for _, t := range s.sold {
		texts["the description of "+t.Name] = t.Description + string(t.Input) + string(t.Output)
	}
	return texts
}
