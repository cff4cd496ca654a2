package server

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestTheDeadlinesOfAHaltKeepTheirOrder(t *testing.T) {
	for _, o := range orders {
		var sum time.Duration
		var parts []string
		for _, each := range o.inner {
			sum += each.limit
			parts = append(parts, each.held)
		}

		if sum > o.outer.limit {
			t.Errorf("%s take %v, and %s is %v: %s", strings.Join(parts, " + "), sum, o.outer.held, o.outer.limit, o.why)
		}
	}
}

// Each deadline is what the code and the deployment say.
func TestTheTableOfDeadlinesIsTrue(t *testing.T) {
	deployed := deployedSeconds(t)
	for _, d := range deadlines {
		want, inInfra := deployed[d.held]
		if !inInfra {
			folder, name, _ := strings.Cut(d.held, " ")
			want = constantOf(t, folder, name)
		}
		if d.limit != want {
			t.Errorf("%s is %v, and the table says %v", d.held, want, d.limit)
		}
	}
}

// deployedSeconds are the timeouts of the deployment, by name.
func deployedSeconds(t *testing.T) map[string]time.Duration {
	t.Helper()
	text, err := os.ReadFile("../../../infra/testdata/templates.golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var stacks any
	if err := json.Unmarshal(text, &stacks); err != nil {
		t.Fatal(err)
	}

	found := map[string]time.Duration{}
	note := func(name string, value any) {
		seconds, err := strconv.Atoi(fmt.Sprint(value))
		if err != nil {
			return
		}
		if before, twice := found[name]; twice && before != time.Duration(seconds)*time.Second {
			t.Errorf("%s is %v and %d s", name, before, seconds)
		}
		found[name] = time.Duration(seconds) * time.Second
	}

	visitObjects(stacks, func(object map[string]any) {
		for _, name := range []string{"OriginReadTimeout", "OriginKeepaliveTimeout", "StopTimeout"} {
			if value, ok := object[name]; ok {
				note(name, value)
			}
		}
		if object["Key"] == "idle_timeout.timeout_seconds" {
			note("idle_timeout.timeout_seconds", object["Value"])
		}
	})
	if len(found) != 4 {
		t.Fatalf("the template names %v", found)
	}
	return found
}

func visitObjects(value any, visit func(map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		visit(value)
		for _, member := range value {
			visitObjects(member, visit)
		}
	case []any:
		for _, element := range value {
			visitObjects(element, visit)
		}
	}
}

// constantOf reads a duration from the source of a package.
func constantOf(t *testing.T, folder, name string) time.Duration {
	t.Helper()
	path := filepath.FromSlash(folder)
	if folder != "." { // the other rooms lie beside this one
		path = filepath.Join("..", path)
	}
	files, err := filepath.Glob(filepath.Join(path, "*.go"))
	if err != nil {
		t.Fatal(err)
	}

	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if limit, ok := durationIn(t, parsed, name); ok {
			return limit
		}
	}

	t.Fatalf("%s has no constant %s", folder, name)
	return 0
}

func durationIn(t *testing.T, file *ast.File, name string) (limit time.Duration, ok bool) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		spec, isValue := n.(*ast.ValueSpec)
		if !isValue {
			return true
		}
		for i, each := range spec.Names {
			if each.Name == name && i < len(spec.Values) {
				limit, ok = evaluate(t, spec.Values[i]), true
			}
		}
		return true
	})
	return limit, ok
}

// evaluate computes an expression of whole numbers and units of the package time.
func evaluate(t *testing.T, expression ast.Expr) time.Duration {
	t.Helper()
	text := types.ExprString(expression)
	for unit, length := range map[string]time.Duration{
		"time.Millisecond": time.Millisecond,
		"time.Second":      time.Second,
		"time.Minute":      time.Minute,
	} {
		text = strings.ReplaceAll(text, unit, strconv.FormatInt(int64(length), 10))
	}

	value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	if err != nil {
		t.Fatal(err)
	}
	nanoseconds, exact := constant.Int64Val(value.Value)
	if !exact {
		t.Fatalf("%s is no duration", text)
	}
	return time.Duration(nanoseconds)
}
