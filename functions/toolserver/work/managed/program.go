package managed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

const (
	programLimit = 3 * time.Second // for a program that asks or stops
	mostOutput   = 4 << 20         // bytes
)

var errOutput = errors.New("it says too much")

// bounded takes no more than so many bytes.
type bounded struct {
	bytes.Buffer
	most int
}

func (b *bounded) Write(text []byte) (int, error) {
	if b.Len()+len(text) > b.most {
		return 0, errOutput
	}
	return b.Buffer.Write(text)
}

// run runs a program from PATH and returns its output. The error of a missing program is
// *[NotThere].
func run(ctx context.Context, dir string, argv ...string) ([]byte, error) {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, &NotThere{"the program " + filepath.Base(argv[0]) + " is not there"}
	}

	ctx, cancel := context.WithTimeout(ctx, programLimit)
	defer cancel()

	out := &bounded{most: mostOutput}
	c := exec.CommandContext(ctx, path, argv[1:]...)
	c.Dir, c.Env, c.Stdout, c.WaitDelay = dir, environment(), out, 100*time.Millisecond
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, errors.New(filepath.Base(argv[0]) + " does not answer")
		}
		return nil, fmt.Errorf("%s: %w", filepath.Base(argv[0]), err)
	}

	return out.Bytes(), nil
}

// inherited lists the variables that programs get. None contains a secret of this server.
var inherited = []string{"PATH", "HOME", "USER", "LANG", "PM2_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST"}

func environment() (list []string) {
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// NotThere is a provider that cannot be reached.
type NotThere struct{ Why string }

func (n *NotThere) Error() string { return n.Why }

// stopCommands starts the stop commands of the workspace file, and returns a function that
// waits for them and returns their output for each process.
func stopCommands(ctx context.Context, list []Process, dir string) func() [][]string {
	said := make([][]string, len(list))
	var wait sync.WaitGroup
	for i, p := range list {
		if len(p.Stop) == 0 {
			continue
		}
		wait.Go(func() {
			name := filepath.Base(p.Stop[0])
			if _, err := run(ctx, dir, p.Stop...); err != nil {
				said[i] = []string{"stop command failed: " + err.Error()}
				return
			}
			said[i] = []string{name}
		})
	}

	return func() [][]string { wait.Wait(); return said }
}
