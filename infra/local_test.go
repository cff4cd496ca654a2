package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
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
	known := map[string]bool{}
	for id, lambda := range of(t, "AWS::Lambda::Function") {
		declared, _ := properties(lambda, "Environment", "Variables").(map[string]any)
		for name, value := range declared {
			known[name] = true
			_, plain := value.(string)
			if _, set := settings.Parameters[name]; !plain && !set {
				t.Errorf("%s: sam cannot know %s", id, name)
			}
		}
	}
	for name := range settings.Parameters {
		if !known[name] && name != "GAS_KEY_KMS" { // declared where our own wallet settles
			t.Errorf("no function declares %s", name)
		}
	}
}

// The image holds what `make dist` puts beside the Dockerfile, runs without privileges, and
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
	for _, line := range []string{"FROM scratch", "COPY toolserver /toolserver", "USER " + taskID + ":" + taskID, "WORKDIR " + dataDir, "EXPOSE 8402", `ENTRYPOINT ["/toolserver"]`} {
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

// engine builds an image from a folder, and runs its program toolserver without any
// setting.
type engine struct {
	build, run func(folder, scratch string) []string
}

func docker(program string) engine {
	return engine{
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

// start builds the image of a folder, runs it and gives what it said.
func (e engine) start(ctx context.Context, folder, scratch string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute) // some wait for a daemon
	defer cancel()
	build := e.build(folder, scratch)
	if out, err := exec.CommandContext(ctx, build[0], build[1:]...).CombinedOutput(); err != nil {
		return string(out), fmt.Errorf("%v: %w", build, err)
	}
	run := e.run(folder, scratch)
	out, err := exec.CommandContext(ctx, run[0], run[1:]...).CombinedOutput()
	return string(out), err
}

// works reports whether an engine can run anything here: a program that says hello. Many are
// installed where they may not.
func (e engine) works(t *testing.T) bool {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"main.go":    "package main\n\nfunc main() { println(\"hello\") }\n",
		"Dockerfile": "FROM scratch\nCOPY toolserver /toolserver\nENTRYPOINT [\"/toolserver\"]\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "toolserver"), filepath.Join(folder, "main.go"))
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	said, err := e.start(t.Context(), folder, t.TempDir())
	return err == nil && strings.Contains(said, "hello")
}

// Where an engine works the image is built, and starts as far as its settings let it: it
// does not open a public port without a token.
func TestTheImageBuildsAndStarts(t *testing.T) {
	i := slices.IndexFunc(engines, func(e engine) bool { return e.works(t) })
	if i < 0 {
		t.Log("no docker, podman or buildah works here: the image was not built")
		return
	}
	dist := t.TempDir()
	if out, err := exec.Command("make", "-C", "..", "-s", "dist-toolserver", "DIST="+dist, "GOARCH="+runtime.GOARCH).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if said, err := engines[i].start(t.Context(), dist+"/toolserver", t.TempDir()); err == nil || !strings.Contains(said, "BASE_URL") {
		t.Errorf("%v: %s", err, said)
	}
}
