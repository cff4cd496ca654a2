package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/functions/local/devchain"
	"governance.internal/functions/local/lambdaruntime"
	"governance.internal/shared/catalog"
)

func invokeCommand(t terminal) *cobra.Command {
	return command("invoke FUNCTION EVENT-FILE", "Compile a Lambda function and run one event through it",
		examples("governance invoke products events/products.get.json", "like sam local invoke, without Docker"),
		func(ctx context.Context, args []string) error { return invoke(ctx, t, args) })
}

// invoke compiles a function like the deployment does, runs one event through
// it and prints the answer: `sam local invoke` without Docker.
func invoke(ctx context.Context, t terminal, rest []string) error {
	if len(rest) != 2 || len(catalog.ByFunction(rest[0])) == 0 {
		return usage("invoke needs a function and an event, for example: invoke products events/products.get.json")
	}

	event, err := os.ReadFile(rest[1])
	if err != nil {
		return exit{2, err}
	}

	dir, err := os.MkdirTemp("", "invoke")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	chain, err := devchain.Start(ctx, devchain.Options{RPCAddr: "127.0.0.1:0"})
	if err != nil {
		return err
	}
	defer chain.Close()

	fmt.Fprintf(t.err, "compiling %s\n", rest[0])
	bootstrap, err := compile(ctx, rest[0], dir)
	if err != nil {
		return err
	}

	environment, err := lambdaEnvironment(dir, chain.URL())
	if err != nil {
		return err
	}

	answer, initTime, err := runOnce(ctx, t, bootstrap, environment, event)
	if err != nil {
		return err
	}

	fmt.Fprintf(t.err, "init %s\n", initTime.Round(100*time.Microsecond))
	return printAnswer(t, answer)
}

func runOnce(
	ctx context.Context,
	t terminal,
	bootstrap string,
	environment []string,
	event []byte,
) ([]byte, time.Duration, error) {
	function, err := lambdaruntime.Start(ctx, bootstrap, environment, t.err)
	if err != nil {
		return nil, 0, err
	}
	answer, err := function.Invoke(ctx, event)
	return answer, function.Init, errors.Join(err, function.Stop())
}

func printAnswer(t terminal, answer []byte) error {
	var response gatewayResponse
	if err := json.Unmarshal(answer, &response); err != nil {
		return err
	}
	fmt.Fprintf(t.err, "status %d\n", response.StatusCode)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, answer, "", "  "); err != nil {
		return err
	}

	_, err := fmt.Fprintln(t.out, pretty.String())
	return err
}

// deployedArch is the processor of the deployed functions.
const deployedArch = "arm64"

// compile builds a bootstrap for this machine with the flags of the deployment.
func compile(ctx context.Context, function, dir string) (string, error) {
	return compileFor(ctx, function, dir, runtime.GOARCH)
}

func compileFor(ctx context.Context, function, dir, arch string) (string, error) {
	bootstrap := filepath.Join(dir, function, "bootstrap")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-tags", "lambda.norpc,nethttpomithttp2",
		"-ldflags", "-s -w -buildid=", "-o", bootstrap, "governance.internal/functions/"+function+"/bootstrap")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+arch)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile %s: %w\n%s", function, err, out)
	}
	return bootstrap, nil
}

// lambdaEnvironment is what a deployment sets, for a development chain.
func lambdaEnvironment(dir, rpcURL string) ([]string, error) {
	gasKey := filepath.Join(dir, "gas.key")
	return []string{
		"BASE_URL=" + eventBaseURL, "PAY_TO=" + eventPayTo, "RPC_URLS=" + rpcURL, "DATA_DIR=" + dir, "GAS_KEY_FILE=" + gasKey,
		"DEVELOPMENT_CHAIN=true",
	}, os.WriteFile(gasKey, []byte(devchain.GasKey), 0o600)
}
