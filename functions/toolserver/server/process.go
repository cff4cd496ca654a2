package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"governance.internal/functions/toolserver/agent"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/routes/access/oauth"
	"governance.internal/functions/toolserver/tools/paid"
	"governance.internal/functions/toolserver/work/cluster"
	"governance.internal/functions/toolserver/work/cluster/dynamo"
	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/functions/toolserver/work/host"
	"governance.internal/shared/config"
	"governance.internal/shared/wiring"
	"governance.internal/shared/wiring/environment"
)

// DepsOf are the dependencies of a real process.
func DepsOf(parts *wiring.Tools) Deps {
	c := parts.Config
	return Deps{
		BaseURL:    c.BaseURL,
		Token:      c.APIToken,
		KillSecret: c.KillSecret,
		Toolsets:   c.Toolsets,
		ReadOnly:   c.ReadOnly,
		Build:      build(),
		DataDir:    c.DataDir,
		Workspace:  cmp.Or(c.Workspace, "."),
		Audit:      parts.Audit,
		Gate:       parts.Gate,
		Verify:     parts.Auditor.Report,
		Host: host.Reader{
			Files: os.DirFS("/"),
			Disk:  host.DiskSpace,
			Sleep: host.Sleep,
			Cores: host.Cores(),
		},
		Now:         time.Now,
		Random:      rand.Reader,
		OAuth:       oauthOf(c),
		Cloud:       aws,
		Connections: c.MaxConnections,
		Products:    paid.At(c.BaseURL),

		Model: agent.Provider{
			API:  c.LLM.API,
			Name: c.LLM.Model,
			URL:  c.LLM.BaseURL,
			Key:  c.LLM.Key,
		},
		Agent: []string{own(), AgentCommand},
		Hook:  hook.Program(own()),
		Fence: fence.FirstProcess(own()),
	}
}

// AgentCommand is the argument that makes a program of ours the process of an agent.
const AgentCommand = "agent"

// own is the program of this process.
func own() string {
	program, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return program
}

// oauthOf returns the protected resource, nil if no authorization server is configured.
func oauthOf(c config.Config) *oauth.Resource {
	if c.OAuthIssuer == "" {
		return nil
	}
	audiences := c.OAuthAudiences
	if audiences == nil {
		audiences = []string{c.BaseURL, c.BaseURL + "/", c.BaseURL + "/mcp", c.BaseURL + "/sse"}
	}

	return &oauth.Resource{
		Issuer:    c.OAuthIssuer,
		Audiences: audiences,
		Scope:     c.OAuthScope,
		Now:       time.Now,
		Keys: &oauth.Keys{
			URL: c.OAuthKeys,
			Client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			}},
		},
	}
}

// build returns the VCS revision of this program, if known.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return "development"
}

// Run serves on an address until ctx ends. It logs JSON.
func Run(ctx context.Context, parts *wiring.Tools, address string) error {
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	return errors.Join(run(ctx, parts, address), parts.Close())
}

// furnish creates the workspace of a task, whose disk may be new, with the workspace file
// of the deployment.
func furnish(c config.Config) error {
	dir := cmp.Or(c.Workspace, ".")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if c.WorkspaceFile == "" {
		return nil
	}

	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()

	return root.WriteFile(workspace.FileName, []byte(c.WorkspaceFile+"\n"), 0o600)
}

func run(ctx context.Context, parts *wiring.Tools, address string) error {
	if err := furnish(parts.Config); err != nil {
		return fmt.Errorf("workspace: %w", err)
	}
	d := DepsOf(parts)
	d.Telemetry = environment.Telemetry(parts.Config, "toolserver")
	leave, err := d.Join(ctx, parts.Config, address)
	if err != nil {
		return err
	}
	defer leave()

	s, err := New(d)
	if err != nil {
		return err
	}
	defer s.Close()

	go parts.Auditor.Keep(ctx)
	go d.Telemetry.Run(ctx)
	return s.Listen(ctx, address)
}

// Join makes the process one of several tasks that share STATE_TABLE; without one it does
// nothing. It renews its lease until leave, which is called after the last session.
func (d *Deps) Join(ctx context.Context, c config.Config, address string) (leave func(), err error) {
	if c.StateTable == "" {
		return func() {}, nil
	}
	service, err := wiring.StateService(c)
	if err != nil {
		return nil, err
	}

	reached, err := taskAddress(c, address)
	if err != nil {
		return nil, err
	}

	store := dynamo.Open(c.StateTable, service)
	if d.Tasks, err = cluster.Join(ctx, store, reached, d.Now, d.Random); err != nil {
		return nil, err
	}

	d.Halt, d.Slots = store, dynamo.Slots{Store: store}
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() { defer close(ended); d.Tasks.Keep(keeping) }()
	return func() { stop(); <-ended }, nil
}

// taskAddress is where the other tasks reach a server that listens on an address.
func taskAddress(c config.Config, address string) (string, error) {
	if c.TaskAddress != "" {
		return c.TaskAddress, nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); ip != nil && !ip.IsUnspecified() {
		return address, nil
	}

	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "", err
	}

	for _, each := range addresses {
		if network, ok := each.(*net.IPNet); ok &&
			network.IP.IsPrivate() &&
			network.IP.To4() != nil {
			return net.JoinHostPort(network.IP.String(), port), nil
		}
	}

	return "", errors.New("the machine has no private address: set TASK_ADDRESS to the host and port at which the other tasks reach this one")
}
