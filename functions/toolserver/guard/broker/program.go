package broker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
)

// Outside is the argument with which a program of ours answers one request, as [Once] does; the
// folder of the project follows.
const Outside = "outside"

// Through answers requests by another program of ours, a process for each: the program that
// listens stays small and starts fast.
func Through(program []string, folder string) Handler {
	return func(ctx context.Context, r Request) Answer {
		a, err := answerOf(ctx, program, folder, r)
		if err != nil {
			return Answer{Errors: fmt.Appendf(nil, "%s: it cannot be answered outside the fence: %v\n", r.Kind, err), Status: 2}
		}
		return a
	}
}

func answerOf(ctx context.Context, program []string, folder string, r Request) (a Answer, err error) {
	asked, err := json.Marshal(r)
	if err != nil {
		return a, err
	}

	arguments := append(program[1:len(program):len(program)], Outside, folder)
	cmd := exec.CommandContext(ctx, program[0], arguments...)
	cmd.Stdin = bytes.NewReader(asked)
	said, err := cmd.Output()
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(said, &a)
}

// Once answers one request by a handler. It returns the exit status of the process.
func Once(handle Handler, in io.Reader, out io.Writer) int {
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()

	var r Request
	if err := json.NewDecoder(io.LimitReader(in, mostBytes)).Decode(&r); err != nil {
		return 1
	}
	if err := json.NewEncoder(out).Encode(handle(ctx, r)); err != nil {
		return 1
	}
	return 0
}
