package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"governance.internal/functions/toolserver"
	"governance.internal/shared/config"
	"governance.internal/shared/wiring"
)

// mcpStdio serves the tools to one desktop client over standard input and output,
// until the client closes them.
func mcpStdio(ctx context.Context, t terminal, args []string) error {
	set := flags(t, "mcp", "mcp [-data DIR] [-workspace DIR]")
	folder := set.String("workspace", ".", "`directory` of the project that is governed")
	data := set.String(
		"data",
		defaultData,
		"`directory` of the audit chain; the one of a running server will do",
	)

	rest, err := parse(set, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("mcp takes no argument %q", rest[0])
	}

	c, err := config.Load(os.LookupEnv)
	if err != nil {
		return err
	}

	slog.SetDefault(slog.New(slog.NewJSONHandler(t.err, &slog.HandlerOptions{Level: slog.LevelWarn}))) // standard output is the protocol's
	c.DataDir, c.Workspace = *data, *folder
	if c.BaseURL == "" {
		c.BaseURL = defaultBase
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

	s, err := toolserver.New(toolserver.DepsOf(parts))
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
