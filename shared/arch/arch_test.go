package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "governance.internal/"

// source is one parsed Go file.
type source struct {
	path    string // slash-separated, from the root of the repository
	dir     string
	test    bool
	imports []string
	file    *ast.File
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func parseTree(t *testing.T) []source {
	t.Helper()
	parsed.Do(func() { parsedTree = readTree(t) })
	return parsedTree
}

// The tree is parsed once for all tests.
var (
	parsed     sync.Once
	parsedTree []source
)

func readTree(t *testing.T) []source {
	t.Helper()
	base := root(t)
	var all []source
	err := filepath.WalkDir(base, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != base || d.Name() == "node_modules" || d.Name() == "dist") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		all = append(all, parseFile(t, base, name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d Go files found; the walk is broken", len(all))
	}
	return all
}

func parseFile(t *testing.T, base, name string) source {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(base, name)
	if err != nil {
		t.Fatal(err)
	}
	s := source{path: filepath.ToSlash(rel), test: strings.HasSuffix(name, "_test.go"), file: file}
	s.dir = path.Dir(s.path)
	for _, spec := range file.Imports {
		s.imports = append(s.imports, strings.Trim(spec.Path.Value, `"`))
	}
	return s
}

// own gives the folder of an import of ours, "" for a foreign one.
func own(imported string) string {
	rest, ok := strings.CutPrefix(imported, module)
	if !ok {
		return ""
	}
	return rest
}

// function is the folder under functions/ that a folder belongs to.
func function(dir string) string {
	rest, ok := strings.CutPrefix(dir, "functions/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

func in(dir string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return dir == f || strings.HasPrefix(dir, f+"/") })
}

// lightEthereum is what of go-ethereum goes into Lambdas.
var lightEthereum = []string{
	"github.com/ethereum/go-ethereum", "github.com/ethereum/go-ethereum/common", "github.com/ethereum/go-ethereum/common/hexutil",
	"github.com/ethereum/go-ethereum/core/types", "github.com/ethereum/go-ethereum/crypto", "github.com/ethereum/go-ethereum/ethclient",
	"github.com/ethereum/go-ethereum/rpc",
}

// adapters are the last path elements that may speak to an AWS service; cloud is what
// several of them share.
var adapters = []string{"dynamo", "s3", "kms", "ecs", "lambda", "bedrock", "cloud"}

func TestImportDirections(t *testing.T) {
	pure := []string{"shared/catalog", "shared/lint", "shared/sarif", "shared/secretscan", "shared/textkit", "shared/scan", "functions/toolserver/guard/policy"}
	for _, s := range parseTree(t) {
		for _, imported := range s.imports {
			for _, rule := range []struct {
				broken bool
				why    string
			}{
				{in(s.dir, "shared") && in(own(imported), "functions", "infra"), "1: shared never imports functions or infra"},
				{function(own(imported)) != "" && function(s.dir) != function(own(imported)) && function(s.dir) != "local", "2: one function never imports another; only local may"},
				{in(s.dir, "infra") && own(imported) != "" && !in(own(imported), "infra", "shared/catalog", "shared/config"), "3: infra imports only shared/catalog and shared/config"},
				{foreign(imported, "github.com/aws/aws-lambda-go", "github.com/awslabs/aws-lambda-go-api-proxy") && !in(s.dir, "shared/lambdahttp") && path.Base(s.dir) != "bootstrap", "4: aws-lambda-go only in shared/lambdahttp and bootstraps"},
				{foreign(imported, "github.com/aws/aws-sdk-go-v2") && !slices.Contains(adapters, path.Base(s.dir)) && !in(s.dir, "shared/wiring"), "5: the AWS SDK only in adapters named after the service and shared/wiring"},
				{foreign(imported, "github.com/ethereum/go-ethereum") && !in(s.dir, "shared/x402/evm", "functions/local/devchain"), "6: go-ethereum only in shared/x402/evm and functions/local/devchain"},
				{in(s.dir, "shared/x402/evm") && !s.test && foreign(imported, "github.com/ethereum/go-ethereum") && !slices.Contains(lightEthereum, imported), "6: shared/x402/evm links no node of the chain"},
				{foreign(imported, "github.com/aws/aws-cdk-go") && !in(s.dir, "infra"), "7: awscdk only in infra"},
				{!s.test && (in(s.dir, pure...) || s.dir == "shared/audit") && (thirdParty(imported) || own(imported) != "" && !in(own(imported), pure...)), "8: standard library (and golang.org/x) only"},
			} {
				if rule.broken {
					t.Errorf("%s imports %s: rule %s", s.path, imported, rule.why)
				}
			}
		}
	}
}

func foreign(imported string, modules ...string) bool { return in(imported, modules...) }

func thirdParty(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return strings.Contains(first, ".") && own(imported) == "" && first != "golang.org"
}

// Rule 9: what only one function needs lives with it. A package counts as
// imported through other shared packages too.
func TestSharedPackagesServeSeveralFunctions(t *testing.T) {
	imports := map[string]map[string]bool{}
	for _, s := range parseTree(t) {
		if s.test {
			continue
		}
		if imports[s.dir] == nil {
			imports[s.dir] = map[string]bool{}
		}
		for _, imported := range s.imports {
			if folder := own(imported); folder != "" {
				imports[s.dir][folder] = true
			}
		}
	}
	users := map[string]map[string]bool{}
	for dir := range imports {
		if name := function(dir); name != "" {
			for folder := range reach(imports, dir) {
				if users[folder] == nil {
					users[folder] = map[string]bool{}
				}
				users[folder][name] = true
			}
		}
	}
	for dir := range imports {
		// Suites and memory stores serve tests; adapters stand beside what they adapt.
		if !in(dir, "shared") || dir == "shared/arch" || strings.HasSuffix(dir, "test") || path.Base(dir) == "memory" {
			continue
		}
		if len(users[dir]) < 2 {
			t.Errorf("%s serves %d functions: rule 9: move it into its only user", dir, len(users[dir]))
		}
	}
}

func reach(imports map[string]map[string]bool, from string) map[string]bool {
	seen, todo := map[string]bool{}, []string{from}
	for len(todo) > 0 {
		dir := todo[0]
		todo = todo[1:]
		for next := range imports[dir] {
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return seen
}

func TestPackageNames(t *testing.T) {
	documented := map[string]int{}
	for _, s := range parseTree(t) {
		if slices.Contains([]string{"util", "utils", "common", "types", "models", "helper", "helpers", "misc"}, s.file.Name.Name) {
			t.Errorf("%s: rule 10: no package named %s", s.path, s.file.Name.Name)
		}
		if s.test {
			continue
		}
		documented[s.dir] += 0
		if s.file.Doc != nil {
			documented[s.dir]++
		}
	}
	for dir, n := range documented {
		if n != 1 {
			t.Errorf("%s has %d package comments, must have one", dir, n)
		}
	}
}

func TestTopLevelIsExactlyAsOrdered(t *testing.T) {
	want := []string{"LICENSE", "Makefile", "NOTICE", "README.md", "events", "functions", "go.mod", "go.sum", "shared", "testdata"}
	later := []string{"cdk.json", "infra"} // ordered too; they come with the deployment
	entries, err := os.ReadDir(root(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && e.Name() != "bin" && e.Name() != "dist" && e.Name() != "cdk.out" && !slices.Contains(later, e.Name()) {
			got = append(got, e.Name())
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("top level %v, want %v", got, want)
	}
}

// No committed file names a package registry or a path of somebody's machine. The
// lint knows registries: whether a configuration overrides one is what it judges.
func TestNoHostOfARegistryIsNamed(t *testing.T) {
	forbidden := regexp.MustCompile(`(?i)(registry\.npmjs\.org/|proxy\.golang|pypi\.org|repo1\.maven|deb\.debian|/home/[a-z]+/|/Users/[a-z]+/go)`)
	base := root(t)
	for _, folder := range []string{"functions", "shared", "events", ".ci", ".github", ".decisions"} {
		err := filepath.WalkDir(filepath.Join(base, folder), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") || strings.Contains(filepath.ToSlash(name), "/shared/lint/") {
				return err
			}
			text, err := os.ReadFile(name)
			if m := forbidden.Find(text); m != nil {
				t.Errorf("%s names %q", name, m)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
