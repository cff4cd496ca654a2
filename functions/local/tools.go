package main

import (
	"net"
	"net/http"
	"slices"
	"time"

	"governance.internal/functions/toolserver"
)

// withTools puts the tool server on the same port. It refuses pages of other
// origins, so it stands beside the public routes and not among them.
func (s *service) withTools(public http.Handler, addr net.Addr) (http.Handler, error) {
	if err := toolserver.CheckBind(addr, s.config.APIToken); err != nil {
		return nil, err
	}
	var err error
	s.tools, err = toolserver.New(toolserver.Deps{
		BaseURL: s.config.BaseURL, Token: s.config.APIToken, KillSecret: s.config.KillSecret, Now: time.Now,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(toolserver.Paths, r.URL.Path) {
			s.tools.ServeHTTP(w, r)
			return
		}
		public.ServeHTTP(w, r)
	}), err
}
