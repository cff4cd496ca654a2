package arch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const toolServer = "functions/toolserver"

// rooms are the folders of the tool server, the lowest first. A room may import the
// rooms that it names, and nothing else of the tool server. Each names lower ones only,
// so there is no circle.
var rooms = []struct {
	name string
	may  []string
}{
	{"framework", nil},
	{"guard", nil},
	{"work", []string{"guard"}},
	{"inspect", []string{"guard"}},
	{"session", []string{"guard"}},
	{"mcp", []string{"framework", "guard"}},
	{"tools", []string{"framework", "guard", "work", "inspect", "session", "mcp/tool"}},
	{"agent", []string{"guard", "work", "mcp/tool", "tools"}},
	{"routes", []string{"framework", "guard", "work", "mcp/tool", "mcp/rpc", "mcp/caller", "mcp/eventstream"}},
	{"conformance", []string{"mcp"}},
	{"server", []string{"framework", "guard", "work", "inspect", "session", "mcp", "tools", "agent", "routes"}},
	{"container", []string{"server", "agent", "guard", "inspect", "work"}},
}

// upward are the imports that no rule above allows, each with its reason. The README of
// the tool server names them, too.
var upward = map[[2]string]string{
	{"guard/preflight", "work/statefile"}: "the marks that the guard keeps between calls are files that survive a crash",
	{"guard/preflight", "inspect/git"}:    "a change of branch is judged by the files in which two commits differ",
	{"guard/guardtest", "mcp/tool"}:       "the test bench of the guard calls tools",
	{"work/cluster", "mcp/rpc"}:           "a task that forwards a message of a session refuses it in JSON-RPC",
	{"work/cluster", "mcp/caller"}:        "a forwarded message says who sent it",
}

// place is the path of a package inside the tool server; ok is false outside of it.
func place(dir string) (path string, ok bool) {
	return strings.CutPrefix(dir, toolServer+"/")
}

func room(path string) string {
	name, _, _ := strings.Cut(path, "/")
	return name
}

func mayImport(from, to string) bool {
	for _, each := range rooms {
		if each.name == room(from) {
			return slices.ContainsFunc(each.may, func(name string) bool { return in(to, name) })
		}
	}
	return false
}

func TestRoomsOfTheToolServerImportDownwards(t *testing.T) {
	used := map[[2]string]bool{}
	for _, s := range parseTree(t) {
		from, inside := place(s.dir)
		if s.test || !inside {
			continue
		}

		for _, imported := range s.imports {
			to, inside := place(own(imported))
			if !inside || room(from) == room(to) {
				continue
			}

			arrow := [2]string{from, to}
			if _, named := upward[arrow]; named {
				used[arrow] = true
				continue
			}
			if !mayImport(from, to) {
				t.Errorf("%s imports %s: the room %q may not", s.path, imported, room(from))
			}
		}
	}

	for arrow, reason := range upward {
		if !used[arrow] {
			t.Errorf("%s no longer imports %s (%s): drop the exception here and in the README", arrow[0], arrow[1], reason)
		}
	}
}

// Each rule names rooms that stand before it, so that no circle of rooms can arise.
func TestRoomsOfTheToolServerFormNoCircle(t *testing.T) {
	lower := map[string]bool{}
	for _, each := range rooms {
		for _, name := range each.may {
			if !lower[room(name)] {
				t.Errorf("%q may import %q, which does not stand below it", each.name, name)
			}
		}
		lower[each.name] = true
	}
}

func TestTheToolServerHasTheRoomsOfItsMap(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join(root(t), filepath.FromSlash(toolServer)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(toolServer), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)

	var folders []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".go" {
			t.Errorf("%s lies outside of the rooms", e.Name())
		}
		if !e.IsDir() {
			continue
		}

		folders = append(folders, e.Name())
		known := slices.ContainsFunc(rooms, func(r struct {
			name string
			may  []string
		}) bool {
			return r.name == e.Name()
		})
		if !known {
			t.Errorf("the room %s has no rule", e.Name())
		}
		if !strings.Contains(readme, e.Name()+"/") {
			t.Errorf("README.md does not name the room %s/", e.Name())
		}
	}

	if len(folders) > 12 {
		t.Errorf("%d rooms, at most 12: %v", len(folders), folders)
	}
	for arrow := range upward {
		if !strings.Contains(readme, "`"+arrow[0]+"`") || !strings.Contains(readme, "`"+arrow[1]+"`") {
			t.Errorf("README.md does not name the arrow from %s to %s", arrow[0], arrow[1])
		}
	}
}
