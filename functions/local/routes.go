package main

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	agentcard "governance.internal/functions/agent-card"
	agenttherapy "governance.internal/functions/agent-therapy"
	auditmcp "governance.internal/functions/audit-mcp"
	"governance.internal/functions/bookkeeping"
	"governance.internal/functions/discovery"
	legalprep "governance.internal/functions/legal-prep"
	"governance.internal/functions/llms"
	"governance.internal/functions/local/tryout"
	"governance.internal/functions/openapi"
	paymentstate "governance.internal/functions/payment-state"
	"governance.internal/functions/playbook"
	playbookpreview "governance.internal/functions/playbook-preview"
	"governance.internal/functions/products"
	"governance.internal/functions/scan"
	"governance.internal/functions/tip"
	verifyaudit "governance.internal/functions/verify-audit"
	x402manifest "governance.internal/functions/x402-manifest"
	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/wiring"
)

// handlers binds each function of the catalogue to its code.
func handlers(paid *wiring.Paid) map[string]http.Handler {
	gate := paid.Gate
	site := paid.Gate.Site
	return map[string]http.Handler{
		"verify-audit": verifyaudit.New(verifyaudit.Deps{
			Gate:    gate,
			Auditor: paid.Auditor,
		}),
		"audit-mcp":        auditmcp.New(gate),
		"bookkeeping":      bookkeeping.New(gate, 0),
		"legal-prep":       legalprep.New(gate, paid.Certification),
		"agent-therapy":    agenttherapy.New(gate),
		"playbook":         playbook.New(gate),
		"tip":              tip.New(gate),
		"playbook-preview": playbookpreview.New(site),
		"products":         products.New(site),
		"scan":             scan.New(time.Now),
		"discovery":        discovery.New(site),
		"payment-state":    paymentstate.New(paid.Payments),
		"openapi":          openapi.New(site),
		"llms":             llms.New(site),
		"agent-card":       agentcard.New(site),
		"x402-manifest":    x402manifest.New(site),
	}
}

// routes are those of the catalogue and what only this machine serves: the pages that try
// the products, the facilitator for other sellers' code and, on a development chain, the wallet of its
// payer.
func (s *service) routes(addr net.Addr) (http.Handler, error) {
	own := slices.Concat(s.facilitator(addr), tryoutOn(addr))
	public, err := catalogRoutes(s.paid, own)
	if err != nil || !s.config.DevelopmentChain {
		return public, err
	}

	wallet, err := newDevWallet(s.paid.Gate.Site)
	if err != nil {
		return nil, err
	}

	s.paid.Gate.DevWallet = devWalletPath
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == devWalletPath {
			wallet.ServeHTTP(w, r)
			return
		}
		public.ServeHTTP(w, r)
	}), nil
}

// tryoutOn are the pages that try the products, on a loopback address only.
func tryoutOn(addr net.Addr) []httpapi.Route {
	if !onLoopback(addr) {
		return nil
	}
	return tryout.Routes()
}

// onLoopback reports whether only this machine reaches an address.
func onLoopback(addr net.Addr) bool {
	host, _, err := net.SplitHostPort(addr.String())
	return err == nil && isLoopback(host)
}

// catalogRoutes mounts every row of the catalogue, and more.
func catalogRoutes(paid *wiring.Paid, local []httpapi.Route) (http.Handler, error) {
	bound := handlers(paid)
	all := local
	for _, e := range catalog.Endpoints {
		handler, ok := bound[e.Function]
		if !ok {
			return nil, fmt.Errorf("the catalogue names %s, which no handler serves", e.Function)
		}
		all = append(all, httpapi.Route{
			Method:  e.Method,
			Path:    e.Path,
			Handler: handler,
		})
	}
	return httpapi.Mux(all), nil
}
