package drift_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/fact"
)

// plant is one change of a project, and what an audit must find then.
type plant struct {
	title string
	steps []string
	want  []string // "type target line"
}

// world is a project with what runs beside it.
type world struct {
	*guardtest.World
	down     []string
	restarts map[string]int
	closed   []int
}

func open(t *testing.T, files map[string]string) *world {
	t.Helper()
	w := &world{
		World:    guardtest.New(t, files),
		restarts: map[string]int{},
	}
	w.Time = time.Now()
	return w
}

func (w *world) audit() *drift.Audit {
	return &drift.Audit{
		Workspace: w.Workspace,
		Builtins:  fact.Builtins{"mcp_tools": func() int { return 35 }},
		Now:       w.Now,
		Processes: w.processes,
		Listening: w.listening,
	}
}

func (w *world) processes(context.Context) ([]drift.Process, error) {
	state, err := w.Workspace.Load()
	if err != nil {
		return nil, err
	}
	var list []drift.Process
	for _, p := range state.Config.Processes.Expected {
		each := drift.Process{
			Name:     p.Name,
			State:    drift.Running,
			Known:    true,
			Restarts: w.restarts[p.Name],
		}
		if slices.Contains(w.down, p.Name) {
			each.State = "stopped"
		}
		list = append(list, each)
	}
	return list, nil
}

func (w *world) listening() (map[int]bool, error) {
	open := map[int]bool{}
	for _, port := range []int{8080, 9090} {
		open[port] = !slices.Contains(w.closed, port)
	}
	return open, nil
}

// do carries out one step of a plant.
func (w *world) do(step string) {
	w.Helper()
	words := strings.Fields(step)
	switch words[0] {
	case "delete":
		w.remove(words[1])
	case "write":
		name, text, _ := strings.Cut(strings.TrimPrefix(step, "write "), ": ")
		w.Write(name, text+"\n")
	case "age":
		age, err := time.ParseDuration(words[2])
		if err != nil {
			w.Fatal(err)
		}
		old := w.Time.Add(-age)
		if err := os.Chtimes(filepath.Join(w.Dir, words[1]), old, old); err != nil {
			w.Fatal(err)
		}
	case "down":
		w.down = append(w.down, words[1])
	case "restarts":
		w.restarts[words[1]] = number(w, words[2])
	case "closed":
		w.closed = append(w.closed, number(w, words[1]))
	default:
		w.change(step)
	}
}

func number(w *world, text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// remove removes a file, and the folders that it leaves empty.
func (w *world) remove(name string) {
	w.Helper()
	if err := os.Remove(filepath.Join(w.Dir, name)); err != nil {
		w.Fatal(err)
	}
	for folder := filepath.Dir(name); folder != "."; folder = filepath.Dir(folder) {
		if os.Remove(filepath.Join(w.Dir, folder)) != nil { // it is not empty
			return
		}
	}
}

// change replaces the first place of a text: "file: old -> new".
func (w *world) change(step string) {
	w.Helper()
	name, change, ok := strings.Cut(step, ": ")
	old, new, ok2 := strings.Cut(change, " -> ")
	if !ok || !ok2 {
		w.Fatalf("cannot read %q", step)
	}
	lines := strings.NewReplacer(`\n`, "\n")
	old, new = lines.Replace(old), lines.Replace(new)
	text := w.Read(name)
	if !strings.Contains(text, old) {
		w.Fatalf("%s has no %q", name, old)
	}
	w.Write(name, strings.Replace(text, old, new, 1))
}

func readPlants(t *testing.T, file string) []plant {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []plant
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if title, ok := strings.CutPrefix(line, "# "); ok {
			list = append(list, plant{title: title})
			continue
		}
		last := &list[len(list)-1]
		if want, ok := strings.CutPrefix(line, "find "); ok {
			last.want = append(last.want, want)
			continue
		}
		last.steps = append(last.steps, line)
	}
	return list
}

func projectFiles(t *testing.T, file string) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// found are the drifts of an audit that are more than worth knowing.
func found(t *testing.T, a *drift.Audit) []string {
	t.Helper()
	report, err := a.Run(t.Context(), drift.Full, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, d := range report.Drifts {
		if d.Severity != drift.Info {
			list = append(list, fmt.Sprintf("%s %s %d", d.Type, d.Target, d.Line))
		}
	}
	return list
}

// Each project is clean as it is. Each change of it is found where it is, and nothing else
// is said.
func TestPlantedDriftsAreFoundAndNothingElse(t *testing.T) {
	projects, err := filepath.Glob("testdata/projects/*.txtar")
	if err != nil {
		t.Fatal(err)
	}

	total := 0
	for _, project := range projects {
		files := projectFiles(t, project)
		name := strings.TrimSuffix(filepath.Base(project), ".txtar")
		t.Run(name, func(t *testing.T) {
			if list := found(t, open(t, files).audit()); len(list) > 0 {
				t.Errorf("the clean project: %q", list)
			}
		})

		for _, p := range readPlants(t, strings.TrimSuffix(project, ".txtar")+".plants") {
			total++
			t.Run(name+"/"+p.title, func(t *testing.T) {
				w := open(t, files)
				for _, step := range p.steps {
					w.do(step)
				}
				list := found(t, w.audit())
				slices.Sort(list)
				slices.SortFunc(p.want, cmp.Compare[string])
				if !slices.Equal(list, p.want) {
					t.Errorf("found %q, want %q", list, p.want)
				}
			})
		}
	}
	if total < 60 {
		t.Errorf("%d planted drifts, at least 60", total)
	}
}
