package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// sam sets only variables that the template declares.
func TestTheSettingsForSAMAreThoseOfTheFunctions(t *testing.T) {
	file, err := os.ReadFile("../testdata/sam.json")
	if err != nil {
		t.Fatal(err)
	}
	var settings struct{ Parameters map[string]string }
	if err := json.Unmarshal(file, &settings); err != nil || len(settings.Parameters) == 0 {
		t.Fatal(settings, err)
	}
	for id, lambda := range of(t, "AWS::Lambda::Function") {
		declared, _ := properties(lambda, "Environment", "Variables").(map[string]any)
		if !strings.Contains(id, "products") {
			continue
		}
		for name := range settings.Parameters {
			if declared[name] == nil {
				t.Errorf("%s does not declare %s", id, name)
			}
		}
		for name, value := range declared {
			if _, plain := value.(string); !plain && settings.Parameters[name] == "" && name != "ORIGIN_SECRET" {
				t.Errorf("%s: sam cannot know %s", id, name)
			}
		}
	}
}

// The image holds what `make dist` puts beside the Dockerfile, runs as nobody, and runs
// no command of a foreign image.
func TestTheImageIsAProgramAndNothingElse(t *testing.T) {
	file, err := os.ReadFile("../functions/toolserver/container/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"FROM scratch", "COPY toolserver /toolserver", "USER " + nobody + ":" + nobody, "WORKDIR " + dataDir, "EXPOSE 8402", `ENTRYPOINT ["/toolserver"]`} {
		if !strings.Contains(string(file), "\n"+line+"\n") {
			t.Errorf("the Dockerfile lacks %q", line)
		}
	}
	if regexp.MustCompile(`(?m)^(RUN|ADD|SHELL)`).Match(file) {
		t.Error("building the image runs a command")
	}
	if !strings.Contains(string(makefile), "-o $(DIST)/toolserver/toolserver ./functions/toolserver/container") {
		t.Error("make dist puts no program beside the Dockerfile")
	}
}
