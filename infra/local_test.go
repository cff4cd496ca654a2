package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"runtime"
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

// The image holds what `make dist` puts beside the Dockerfile, runs as nobody, and
// fetches nothing.
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
	if regexp.MustCompile(`(?m)^(RUN|ADD|SHELL|FROM [^s])`).Match(file) {
		t.Error("building the image runs a command or takes a foreign image")
	}
	if !strings.Contains(string(makefile), "-o $(DIST)/toolserver/toolserver ./functions/toolserver/container") {
		t.Error("make dist puts no program beside the Dockerfile")
	}
}

// engine builds an image from a folder, and runs it without any setting. It works where
// its probe succeeds.
type engine struct {
	probe      []string
	build, run func(folder, scratch string) []string
}

func docker(program string) engine {
	return engine{
		probe: []string{program, "version"}, // asks the daemon
		build: func(folder, _ string) []string {
			return []string{program, "build", "--tag", "governance-toolserver-test", folder}
		},
		run: func(string, string) []string {
			return []string{program, "run", "--rm", "--read-only", "governance-toolserver-test"}
		},
	}
}

// engines are tried in this order. Buildah needs no daemon, and its isolation by chroot
// no rights beyond those of root.
var engines = []engine{
	docker("docker"), docker("podman"),
	{
		probe: []string{"buildah", "version"},
		build: func(folder, scratch string) []string {
			return append(buildah(scratch), "build", "--isolation", "chroot", "--tag", "toolserver", folder)
		},
		run: func(_, scratch string) []string {
			return []string{"sh", "-c", strings.Join(append(buildah(scratch), `run --isolation chroot "$(`, strings.Join(buildah(scratch), " "), `from toolserver)" /toolserver`), " ")}
		},
	},
}

func buildah(scratch string) []string {
	return []string{"buildah", "--storage-driver", "vfs", "--root", scratch + "/root", "--runroot", scratch + "/run"}
}

// Where an engine is installed the image is built, and starts as far as its settings let
// it: it does not open a port to everybody without a token.
func TestTheImageBuildsAndStarts(t *testing.T) {
	for _, e := range engines {
		if exec.Command(e.probe[0], e.probe[1:]...).Run() != nil {
			continue
		}
		dist, scratch := t.TempDir(), t.TempDir()
		if out, err := exec.Command("make", "-C", "..", "-s", "dist-toolserver", "DIST="+dist, "GOARCH="+runtime.GOARCH).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		build := e.build(dist+"/toolserver", scratch)
		if out, err := exec.Command(build[0], build[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", build, err, out)
		}
		run := e.run(dist+"/toolserver", scratch)
		out, err := exec.Command(run[0], run[1:]...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "BASE_URL") {
			t.Errorf("%v: %v: %s", run, err, out)
		}
		return
	}
	t.Log("no docker, podman or buildah here: the image was not built")
}
