package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"governance.internal/functions/local/tryout"
	"governance.internal/functions/toolserver/server"
	"governance.internal/functions/toolserver/tools/paid"
	"governance.internal/shared/config"
	"governance.internal/shared/wiring"
)

// withTools puts the tool server on the same port, beside the public routes, because it
// refuses pages of other origins.
func (s *service) withTools(ctx context.Context, public http.Handler, addr net.Addr) (http.Handler, error) {
	if err := server.CheckBind(addr, s.config.APIToken); err != nil {
		return nil, err
	}
	var err error
	if s.config, err = withKillSecret(s.config); err != nil {
		return nil, err
	}

	parts := &wiring.Tools{
		Config:  s.config,
		Audit:   s.paid.Audit,
		Auditor: s.paid.Auditor,
	}

	if s.config.PaidTools {
		parts.Gate = s.paid.Gate
	}

	deps := server.DepsOf(parts)
	if s.leave, err = deps.Join(ctx, s.config, addr.String()); err != nil {
		return nil, err
	}

	deps.Telemetry = s.recorder
	deps.Products = paid.At("http://" + addr.String())
	if onLoopback(addr) {
		deps.Try = tryout.Path
	}
	s.tools, err = server.New(deps)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if server.Serves(r.URL.Path) {
			s.tools.ServeHTTP(w, r)
			return
		}
		public.ServeHTTP(w, r)
	}), err
}

// killSecretFile is where a laptop keeps the secret of the kill switch.
func killSecretFile(data string) string { return filepath.Join(data, "kill.secret") }

// withKillSecret makes a secret for the kill switch, once, that only the owner of
// the data directory can read.
func withKillSecret(c config.Config) (config.Config, error) {
	if c.KillSecret != "" {
		return c, nil
	}
	text, err := os.ReadFile(killSecretFile(c.DataDir))
	if errors.Is(err, fs.ErrNotExist) {
		var raw [32]byte
		_, _ = rand.Read(raw[:]) // crypto/rand never fails since Go 1.24
		text = []byte(base64.RawURLEncoding.EncodeToString(raw[:]) + "\n")
		err = os.WriteFile(killSecretFile(c.DataDir), text, 0o600)
	}

	c.KillSecret = strings.TrimSpace(string(text))
	return c, err
}
