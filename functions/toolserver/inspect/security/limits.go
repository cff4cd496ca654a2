package security

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
)

// gateways are files that describe what answers requests, and how a limit is written there.
var gateways = []struct {
	what    string
	fits    func(name string) bool
	serves  *regexp.Regexp // the file describes an endpoint
	limited *regexp.Regexp
}{
	{"nginx", isProxyConfig, regexp.MustCompile(`\b(proxy_pass|fastcgi_pass|uwsgi_pass|grpc_pass)\b`), regexp.MustCompile(`\blimit_(req|conn)\b`)},
	{"API Gateway", isTemplate, regexp.MustCompile(`AWS::(Serverless::(Http)?Api|ApiGateway(V2)?::(Stage|RestApi|Api))\b`), regexp.MustCompile(`(?i)Throttling(Rate|Burst)Limit|ThrottleSettings|AWS::WAFv2::WebACL|UsagePlan`)},
	{"Terraform", isTerraform, regexp.MustCompile(`resource\s+"(aws_api_gateway_stage|aws_apigatewayv2_stage|aws_api_gateway_rest_api|aws_apigatewayv2_api)"`), regexp.MustCompile(`throttling_(rate|burst)_limit|throttle_settings|aws_wafv2_web_acl|usage_plan`)},
	{"Ingress", isTemplate, regexp.MustCompile(`(?m)^kind:\s*Ingress\s*$`), regexp.MustCompile(`limit-(rps|rpm|connections|req)|rate-limit|ratelimit`)},
}

func isTemplate(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml", ".json", ".template":
		return true
	}
	return false
}

func isTerraform(name string) bool {
	return path.Ext(name) == ".tf"
}

// rateLimit looks for endpoints that answer as often as they are asked. Terraform describes
// one system in several files of a folder.
func (a *audit) rateLimit(ctx context.Context, _ []string) error {
	for _, e := range a.config.Security.Endpoints {
		a.report.Checked[RateLimit]++
		if !e.Throttle {
			a.add(unlimited(path.Clean(orFile(e.File)), 0, "The endpoint "+e.Path, e.Path))
		}
	}
	if len(a.config.Security.Endpoints) > 0 {
		return nil
	}

	for _, name := range a.files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.gateway(name)
	}
	if a.report.Checked[RateLimit] == 0 {
		a.skip(RateLimit, "no endpoint is declared, and no file of nginx, API Gateway, Terraform or an ingress is there", "Describe security.endpoints in "+workspace.FileName+".")
	}
	return nil
}

func orFile(name string) string {
	if name == "" {
		return workspace.FileName
	}
	return name
}

func unlimited(file string, line int, subject, key string) finding.Finding {
	return finding.Finding{
		Check:    RateLimit,
		Rule:     "missing-rate-limit",
		Severity: finding.Warn,
		Path:     file,
		Line:     line,
		Message:  subject + " has no limit of requests.",
		Hint:     "Limit the rate for each caller, at the proxy or in the service.",
		Key:      key,
	}
}

func (a *audit) gateway(name string) {
	for _, g := range gateways {
		if !g.fits(name) {
			continue
		}
		text, err := a.tree.Read(name)
		if err != nil {
			return
		}
		at := g.serves.FindIndex(text)
		if at == nil {
			continue
		}

		a.report.Checked[RateLimit]++
		if g.limited.Match(text) || g.what == "Terraform" && a.limitedInFolder(path.Dir(name), g.limited) {
			continue
		}
		a.add(unlimited(name, lineOf(string(text), at[0]), fmt.Sprintf("What %s serves here", g.what), g.what))
	}
}

// limitedInFolder reports whether another file of a folder sets the limit.
func (a *audit) limitedInFolder(folder string, limited *regexp.Regexp) bool {
	for _, name := range a.files {
		if path.Dir(name) != folder || !isTerraform(name) {
			continue
		}
		if text, err := a.tree.Read(name); err == nil && limited.Match(text) {
			return true
		}
	}
	return false
}
