package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/functions/local/devchain"
	"governance.internal/functions/local/facilitator"
	"governance.internal/functions/toolserver/server"
	"governance.internal/shared/audit"
	"governance.internal/shared/catalog"
	"governance.internal/shared/config"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/payments"
	"governance.internal/shared/telemetry"
	"governance.internal/shared/wiring"
	"governance.internal/shared/wiring/environment"
)

const sweepInterval = 5 * time.Second

// options of serve.
type options struct {
	addr, data, workspace string
	environment           config.Lookup
}

func serveCommand(t terminal) *cobra.Command {
	o := options{environment: os.LookupEnv}
	c := command("serve", "Run the whole service on this machine",
		examples(
			"governance serve", "on http://localhost:8402",
			"governance serve --workspace ~/project", "and guard a project",
			"governance serve --addr 127.0.0.1:9000 --data /srv/governance", "on another port, with another data directory",
		),
		func(ctx context.Context, args []string) error {
			if err := noArguments("serve", args); err != nil {
				return err
			}
			return serve(ctx, t, o)
		})
	set := c.Flags()
	set.StringVar(&o.addr, "addr", defaultAddr(), "`address` to listen on")
	set.StringVar(
		&o.data,
		"data",
		defaultData,
		"`directory` of the audit chain, the payments, the keys and the development chain",
	)
	set.StringVar(&o.workspace, "workspace", ".", "`directory` of the governed project; it must exist")
	return c
}

// serve runs the whole service until ctx ends, then lets running requests end.
func serve(ctx context.Context, t terminal, o options) error {
	listener, err := net.Listen("tcp", o.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w; choose another port with --addr 127.0.0.1:PORT", err)
	}
	if err != nil {
		return usage("--addr: %w", err)
	}

	slog.SetDefault(slog.New(slog.NewJSONHandler(t.err, &slog.HandlerOptions{Level: slog.LevelWarn})))
	service, err := open(ctx, o, listener)
	if err != nil {
		return errors.Join(err, listener.Close())
	}

	service.greet(t, o)
	err = service.run(ctx, listener)
	fmt.Fprintln(t.err, "stopped")
	return errors.Join(err, service.close())
}

// service is the running all-in-one.
type service struct {
	config   config.Config
	paid     *wiring.Paid
	devchain *devchain.Chain // nil when RPC_URLS names another chain
	urlFile  string          // tells other programs where the development chain is
	tools    *server.Server
	leave    func() // gives up the place among other tasks
	handler  http.Handler
	recorder *telemetry.Recorder // nil if no collector is named
}

// open prepares the data directory, the chain and the handlers.
func open(ctx context.Context, o options, listener net.Listener) (_ *service, err error) {
	s := &service{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()

	if info, err := os.Stat(o.workspace); err != nil || !info.IsDir() {
		return nil, usage("--workspace %s is not a directory", o.workspace)
	}
	if s.config, err = config.Load(o.environment); err != nil {
		return nil, err
	}
	if err = os.MkdirAll(o.data, 0o700); err != nil {
		return nil, err
	}

	if len(s.config.RPCURLs) == 0 {
		s.devchain, err = devchain.Start(ctx, devchain.Options{
			Dir:     filepath.Join(o.data, "devchain"),
			RPCAddr: "127.0.0.1:0",
		})
		if err != nil {
			return nil, err
		}

		s.config.RPCURLs = []string{s.devchain.URL()}
		s.urlFile = devchainURLFile(o.data)
		if err = os.WriteFile(s.urlFile, []byte(s.devchain.URL()+"\n"), 0o600); err != nil {
			return nil, err
		}
	}

	if s.config, err = localDefaults(ctx, s.config, o, listener.Addr()); err != nil {
		return nil, err
	}
	s.recorder = environment.Telemetry(s.config, "governance")
	if s.paid, err = wiring.NewVerifying(s.config); err != nil {
		return nil, err
	}

	machine := s.paid.Gate.Machine
	machine.Ledger = facilitator.Ledger{Sales: machine.Ledger}
	public, err := s.routes(listener.Addr())
	if err != nil {
		return nil, err
	}
	if s.handler, err = s.withTools(ctx, public, listener.Addr()); err != nil {
		return nil, err
	}

	return s, s.recordStart(ctx)
}

// facilitator returns the service for other sellers, on loopback only, because it spends
// the gas of this wallet for any caller.
func (s *service) facilitator(addr net.Addr) []httpapi.Route {
	if !onLoopback(addr) || s.paid.GasWallet == "" {
		return nil
	}
	return facilitator.Routes(s.paid.Gate.Machine, s.paid.Gate.Site, s.paid.GasWallet)
}

// recordStart appends the start of the server to the audit chain.
func (s *service) recordStart(ctx context.Context) error {
	id, err := audit.NewID(time.Now(), rand.Reader)
	if err != nil {
		return err
	}

	instance, err := s.paid.Chain.Instance(ctx)
	if err != nil {
		return err
	}

	_, err = s.paid.Audit.Append(ctx, audit.Event{
		ID:    id,
		Actor: "system",
		Type:  "server.started",
		Payload: map[string]any{
			"base_url":       s.config.BaseURL,
			"api_version":    catalog.APIVersion,
			"network":        s.config.Network,
			"chain_instance": instance,
		},
	})
	return err
}

// run serves until ctx ends and then drains.
func (s *service) run(ctx context.Context, listener net.Listener) error {
	front, bounded := server.HTTPServer(s.recorder.Wrap(s.handler), listener, s.config.MaxConnections)
	served := make(chan error, 1)
	go func() { served <- front.Serve(bounded) }()
	keeping, stopKeeping := context.WithCancel(context.WithoutCancel(ctx))
	defer stopKeeping()

	go sweep(keeping, s.paid.Gate.Machine)
	go s.paid.Auditor.Keep(keeping)
	go s.recorder.Run(keeping)

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	return s.tools.Shutdown(context.WithoutCancel(ctx), front)
}

// sweep finishes payments whose client did not retry.
func sweep(ctx context.Context, machine *payments.Machine) {
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()

	for {
		if _, err := machine.Sweep(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "sweep failed", "error", err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (s *service) close() error {
	var errs []error
	if s.tools != nil {
		s.tools.Close()
	}
	if s.leave != nil {
		s.leave()
	}
	if s.paid != nil {
		errs = append(errs, s.paid.Close())
	}
	if s.devchain != nil {
		errs = append(errs, s.devchain.Close())
	}
	if s.urlFile != "" {
		errs = append(errs, os.Remove(s.urlFile))
	}

	return errors.Join(errs...)
}
