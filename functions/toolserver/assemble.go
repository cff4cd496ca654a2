package toolserver

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"governance.internal/functions/toolserver/host"
	"governance.internal/shared/wiring"
)

// DepsOf are the dependencies of a real process.
func DepsOf(parts *wiring.Tools) Deps {
	c := parts.Config
	return Deps{
		BaseURL: c.BaseURL, Token: c.APIToken, KillSecret: c.KillSecret, Toolsets: c.Toolsets, ReadOnly: c.ReadOnly,
		Build: build(), DataDir: c.DataDir, Audit: parts.Audit, Verify: parts.Auditor.Report,
		Host: host.Reader{Files: os.DirFS("/"), Disk: host.DiskSpace, Sleep: host.Sleep, Cores: host.Cores()},
		Now:  time.Now, Random: rand.Reader,
	}
}

// build is the revision that this program was made from, as far as it knows.
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
	s, err := New(DepsOf(parts))
	if err != nil {
		return errors.Join(err, parts.Close())
	}
	go parts.Auditor.Keep(ctx)
	err = s.Listen(ctx, address)
	s.Close()
	return errors.Join(err, parts.Close())
}
