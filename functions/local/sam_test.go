package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"governance.internal/functions/local/lambdaruntime"
)

// replayUnderSAM sends every event of a function through its bootstrap with the
// environment that `sam local invoke --env-vars testdata/sam.json` gives it: the
// variables of the template, with the values of that file. Only the addresses of the
// development chain and of the data directory are those of the test.
func replayUnderSAM(t *testing.T, function, bootstrap string, files []string) {
	t.Helper()
	chain := newChain(t)
	var environment []string
	for name, value := range samEnvironment(t, function) {
		switch {
		case name == "RPC_URLS" && value != "":
			value = chain.URL()
		case name == "DATA_DIR" && value != "":
			value = t.TempDir()
		}
		environment = append(environment, name+"="+value)
	}
	lambda, err := lambdaruntime.Start(t.Context(), bootstrap, environment, os.Stderr)
	if err != nil {
		t.Fatalf("under sam: %v", err)
	}

	for _, file := range files {
		event, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := lambda.Invoke(t.Context(), event)
		if err != nil {
			t.Fatalf("under sam: %s: %v", file, err)
		}
		var got gatewayResponse
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if want := statusOf(filepath.Base(file)); got.StatusCode != want {
			t.Errorf("under sam: %s: status %d, want %d: %s", file, got.StatusCode, want, got.Body)
		}
	}
	if err := lambda.Stop(); err != nil {
		t.Errorf("under sam: stop: %v", err)
	}
}

// samEnvironment is the environment of a function under sam, which sets only what the
// template declares.
func samEnvironment(t *testing.T, function string) map[string]string {
	t.Helper()
	var settings struct{ Parameters map[string]string }
	readJSON(t, "../../testdata/sam.json", &settings)

	var stacks map[string]struct {
		Resources map[string]struct {
			Type       string
			Properties struct {
				Description string
				Environment struct{ Variables map[string]any }
			}
		}
	}
	readJSON(t, "../../infra/testdata/templates.golden.json", &stacks)

	for _, resource := range stacks["governance-Api"].Resources {
		if resource.Type != "AWS::Lambda::Function" || resource.Properties.Description != "Governance service: "+function {
			continue
		}
		environment := map[string]string{}
		for name, value := range resource.Properties.Environment.Variables {
			environment[name] = "unknown to sam"
			if plain, ok := value.(string); ok {
				environment[name] = plain
			}
		}
		maps.DeleteFunc(settings.Parameters, func(name, _ string) bool {
			_, declared := environment[name]
			return !declared
		})
		maps.Copy(environment, settings.Parameters)
		return environment
	}
	t.Fatalf("the template has no function %s", function)
	return nil
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
