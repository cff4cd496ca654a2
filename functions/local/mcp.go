package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/server"
	"governance.internal/shared/config"
	"governance.internal/shared/wiring"
)

func mcpCommand(t terminal) *cobra.Command {
	var data, folder string
	c := command("mcp", "Serve the tools to one client over standard input and output",
		examples("governance mcp --workspace ~/project --data ~/project/.data", "as a desktop client starts it"),
		func(ctx context.Context, args []string) error {
			if err := noArguments("mcp", args); err != nil {
				return err
			}
			return mcpStdio(ctx, t, data, folder)
		})
	c.Flags().StringVar(&folder, "workspace", ".", "`directory` of the governed project")
	c.Flags().StringVar(&data, "data", defaultData, "`directory` of the audit chain; a running server may use the same one")
	return c
}

// mcpStdio serves the tools to one desktop client over standard input and output,
// until the client closes them.
func mcpStdio(ctx context.Context, t terminal, data, folder string) error {
	c, err := config.Load(os.LookupEnv)
	if err != nil {
		return err
	}

	slog.SetDefault(slog.New(slog.NewJSONHandler(t.err, &slog.HandlerOptions{Level: slog.LevelWarn}))) // standard output is the protocol's
	c.DataDir = data
	c.Workspace = folder
	if c.BaseURL == "" {
		c.BaseURL = defaultBase()
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return err
	}
	if c, err = withKillSecret(c); err != nil {
		return err
	}

	parts, err := wiring.NewTools(c)
	if err != nil {
		return err
	}

	s, err := server.New(server.DepsOf(parts))
	if err != nil {
		return errors.Join(err, parts.Close())
	}

	err = s.ServeStdio(ctx, t.in, t.out)
	s.Close()
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		err = nil // the client is done
	}

	return errors.Join(err, parts.Close())
}
