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

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/planted"
)

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
		planted.Do(w.World, step)
	}
}

func number(w *world, text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		w.Fatal(err)
	}
	return n
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
		if d.Severity != finding.Info {
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
		files := planted.Files(t, project)
		name := strings.TrimSuffix(filepath.Base(project), ".txtar")
		t.Run(name, func(t *testing.T) {
			if list := found(t, open(t, files).audit()); len(list) > 0 {
				t.Errorf("the clean project: %q", list)
			}
		})

		for _, p := range planted.Read(t, strings.TrimSuffix(project, ".txtar")+".plants") {
			total++
			t.Run(name+"/"+p.Title, func(t *testing.T) {
				w := open(t, files)
				for _, step := range p.Steps {
					w.do(step)
				}
				list := found(t, w.audit())
				slices.Sort(list)
				slices.SortFunc(p.Want, cmp.Compare[string])
				if !slices.Equal(list, p.Want) {
					t.Errorf("found %q, want %q", list, p.Want)
				}
			})
		}
	}
	if total < 60 {
		t.Errorf("%d planted drifts, at least 60", total)
	}
}
