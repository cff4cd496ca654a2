package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	"governance.internal/shared/catalog"
)

func TestMain(m *testing.M) {
	status := m.Run()
	jsii.Close()
	os.Exit(status)
}

// resource is one resource of a template.
type resource struct {
	Type           string
	Properties     map[string]any
	DeletionPolicy string
	DependsOn      any
}

// template is what CloudFormation gets for one stack.
type template struct {
	Resources map[string]resource
	Outputs   map[string]any
}

// golden is the committed form of all templates of the default settings.
const golden = "testdata/templates.golden.json"

// deployed returns these templates by the stack's name: from a synth, or as they were
// committed where there is no Node for one.
var deployed = sync.OnceValues(func() (map[string]template, error) {
	if hasNode() {
		return synthesize(nil)
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		return nil, err
	}
	var all map[string]template
	return all, json.Unmarshal(text, &all)
})

func hasNode() bool {
	_, err := exec.LookPath("node")
	return err == nil
}

func needNode(t *testing.T) {
	t.Helper()
	if !hasNode() {
		t.Skip("Node is missing: the CDK needs it for a synth")
	}
}

func templates(t *testing.T) map[string]template {
	t.Helper()
	all, err := deployed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// synthesize runs a synth with some context. The programs of the functions are
// empty files, so that the hashes of the assets depend on nothing.
func synthesize(context map[string]string) (all map[string]template, err error) {
	defer func() {
		if cause := recover(); cause != nil { // jsii panics
			err = fmt.Errorf("synth: %v", cause)
		}
	}()
	dir, err := os.MkdirTemp("", "synth")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := placeholders(dir); err != nil {
		return nil, err
	}
	settings, err := ReadSettings(func(name string) any {
		if value, ok := context[name]; ok {
			return value
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	flags, err := cdkContext()
	if err != nil {
		return nil, err
	}
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(filepath.Join(dir, "out")), Context: &flags})
	Deployment(app, settings, filepath.Join(dir, "dist"))
	app.Synth(nil)
	return readTemplates(filepath.Join(dir, "out"))
}

// cdkContext is the context of cdk.json, which the CDK's command line would pass on.
func cdkContext() (map[string]any, error) {
	text, err := os.ReadFile("../cdk.json")
	if err != nil {
		return nil, err
	}
	var file struct{ Context map[string]any }
	return file.Context, json.Unmarshal(text, &file)
}

func placeholders(dir string) error {
	for _, name := range append(catalog.Functions(), "not-found", "payment-sweeper", "seal", "toolserver") {
		folder := filepath.Join(dir, "dist", name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "bootstrap"), []byte(name), 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "dist", "toolserver", "Dockerfile"), []byte("FROM scratch\n"), 0o644)
}

func readTemplates(out string) (map[string]template, error) {
	files, err := filepath.Glob(filepath.Join(out, "*.template.json"))
	if err != nil {
		return nil, err
	}
	all := map[string]template{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var one template
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, err
		}
		all[strings.TrimSuffix(filepath.Base(file), ".template.json")] = one
	}
	return all, nil
}
