package ops_test

import (
	"slices"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/ops"
)

const threeProcesses = `processes:
  expected:
    - {name: api, script: api/server.js, requires: ["data/*.csv", "none/**"], ports: [8080], env: [TOKEN]}
    - {name: bot, provider: supervised, command: [python3, bot/main.py, --config=bot/bot.toml, gone.yaml]}
    - {name: legacy, script: run.rb}
    - {name: seen}
`

func dependenciesOf(t *testing.T, files map[string]string, arguments string) ops.Dependencies {
	t.Helper()
	w := guardtest.New(t, files)
	var out ops.Dependencies
	w.Call(ops.CheckDependencies(w.Workspace), arguments, &out)
	return out
}

func TestEachProcessIsMappedToItsFiles(t *testing.T) {
	files := map[string]string{
		"governance.yaml": threeProcesses, "api/server.js": "require('./a'); require('./gone'); process.env.PORT", "api/a.js": "", "data/x.csv": "",
		"bot/main.py": "import helper\nopen('data/x.csv')", "bot/helper.py": "", "bot/bot.toml": "", "run.rb": "",
	}
	out := dependenciesOf(t, files, `{}`)
	if len(out.Processes) != 4 {
		t.Fatalf("%+v", out)
	}
	api, bot, legacy, seen := out.Processes[0], out.Processes[1], out.Processes[2], out.Processes[3]
	if !api.Exists || len(api.Files) != 5 || !slices.Equal(api.Missing, []string{"api/gone", "none/**"}) || !slices.Equal(api.Env, []string{"PORT", "TOKEN"}) || !slices.Equal(api.Ports, []int{8080}) {
		t.Errorf("%+v", api)
	}
	if bot.Script != "bot/main.py" || len(bot.Files) != 5 || !slices.Equal(bot.Missing, []string{"gone.yaml"}) {
		t.Errorf("%+v", bot)
	}
	if !legacy.Exists || seen.Script != "" || seen.Exists {
		t.Errorf("%+v %+v", legacy, seen)
	}
	if len(out.Shared) != 1 || out.Shared[0].Path != "data/x.csv" || !slices.Equal(out.Shared[0].By, []string{"api", "bot"}) {
		t.Errorf("%+v", out.Shared)
	}
	if len(out.Unresolved) != 2 { // a language that is not read, and a process without a script
		t.Errorf("%v", out.Unresolved)
	}
	one := dependenciesOf(t, files, `{"process":"bot"}`)
	if len(one.Processes) != 1 || one.Processes[0].Name != "bot" {
		t.Errorf("%+v", one)
	}
	delete(files, "api/a.js")
	if changed := dependenciesOf(t, files, `{"process":"api"}`); !slices.Contains(changed.Processes[0].Missing, "api/a") {
		t.Errorf("%+v", changed)
	}
}

func TestWithoutProcessesThereIsNoMap(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "version: 1\n"})
	if e := w.Refused(ops.CheckDependencies(w.Workspace), `{}`); e.Code != "not_configured" || e.Hint == "" {
		t.Errorf("%v", e)
	}
	w = guardtest.New(t, map[string]string{"governance.yaml": threeProcesses})
	if e := w.Refused(ops.CheckDependencies(w.Workspace), `{"process":"none"}`); e.Code != "not_found" {
		t.Errorf("%v", e)
	}
}
