package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"governance.internal/shared/catalog"
	"governance.internal/shared/wiring"
	"governance.internal/shared/x402"
)

// The catalogue, the handlers, the bootstraps and the events name the same
// functions.
func TestCatalogueAndCodeAgree(t *testing.T) {
	want := catalog.Functions()
	slices.Sort(want)

	var bound []string
	for name, handler := range handlers(&wiring.Paid{Gate: &x402.Gate{}}) {
		if handler == nil {
			t.Errorf("%s has no handler", name)
		}
		bound = append(bound, name)
	}
	var deployed []string
	mains, err := filepath.Glob("../*/bootstrap/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range mains {
		if name := filepath.Base(filepath.Dir(filepath.Dir(file))); name == "payment-sweeper" || name == "seal" || name == "not-found" { // on a schedule, or the default route
			continue
		}
		deployed = append(deployed, filepath.Base(filepath.Dir(filepath.Dir(file))))
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), `lambdahttp.Start("`+deployed[len(deployed)-1]+`", `) {
			t.Errorf("%s does not start its own function (%v)", file, err)
		}
	}
	var replayed []string
	files, err := filepath.Glob("../../events/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		replayed = append(replayed, name)
	}
	for what, got := range map[string][]string{"handlers": bound, "bootstraps": deployed, "events": replayed} {
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s %v\ncatalogue %v", what, got, want)
		}
	}
}

// Generated files agree with the catalogue; `make gen` updates them.
func TestGeneratedFilesAreInStep(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	updated, err := replaceTables(string(readme))
	if err != nil || updated != string(readme) {
		t.Errorf("README.md: run make gen (%v)", err)
	}
	fresh := filepath.Join(t.TempDir(), "events")
	if err := writeEvents(fresh); err != nil {
		t.Fatal(err)
	}
	for _, c := range eventCases() {
		want, err := os.ReadFile(filepath.Join(fresh, c.file()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("../../events", c.file()))
		if err != nil || string(got) != string(want) {
			t.Errorf("events/%s: run make gen (%v)", c.file(), err)
		}
	}
	files, err := os.ReadDir("../../events")
	if err != nil || len(files) != len(eventCases()) {
		t.Errorf("events/ has %d files, want %d (%v)", len(files), len(eventCases()), err)
	}
}
