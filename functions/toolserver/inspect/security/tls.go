package security

import (
	"context"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/inspect/finding"
)

// configEndings are files that say where programs connect to and listen.
var configEndings = []string{".yaml", ".yml", ".json", ".jsonc", ".toml", ".ini", ".conf", ".cfg", ".env", ".properties", ".tf", ".tfvars", ".service"}

func isConfig(name string) bool {
	base := strings.ToLower(path.Base(name))
	return slices.Contains(configEndings, path.Ext(base)) ||
		strings.HasPrefix(base, ".env") ||
		isProxyConfig(name)
}

func isProxyConfig(name string) bool {
	base := strings.ToLower(path.Base(name))
	return base == "caddyfile" || strings.HasPrefix(base, "nginx") ||
		strings.Contains(name, "nginx/") && path.Ext(base) == ".conf" ||
		strings.Contains(name, "sites-enabled/") || strings.Contains(name, "sites-available/")
}

var (
	plainAddress = regexp.MustCompile(`http://[^\s"'<>\x60)\],}]+`)

	// unverified are settings that accept every certificate.
	unverified = regexp.MustCompile(`(?i)\binsecureskipverify["']?\s*[:=]\s*true|\brejectunauthorized["']?\s*[:=]\s*false|\bnode_tls_reject_unauthorized["']?\s*[:=]\s*["']?0|\bverify_?ssl["']?\s*[:=]\s*false|\bssl_?verify["']?\s*[:=]\s*(?:false|off)|\bssl_verify_mode["']?\s*[:=]\s*["']?none|\btls_?skip_?verify["']?\s*[:=]\s*true|\bstrict-?ssl["']?\s*[:=]\s*false|\bsslmode=disable\b|\bverify\s*=\s*False\b|\bproxy_ssl_verify\s+off`)

	anyAddress = regexp.MustCompile(`(?i)^\s*-?\s*["']?(?:[\w.-]*(?:host|bind|listen|addr|address|interface)[\w.-]*)["']?\s*[:=]?\s*["']?(0\.0\.0\.0|\[::\]|\*)(?::\d+)?["']?[;,]?\s*$`)
)

// tls looks for connections that others can read along.
func (a *audit) tls(ctx context.Context, _ []string) error {
	for _, name := range a.files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		isCode := path.Ext(name) == ".go" || path.Ext(name) == ".js" || path.Ext(name) == ".ts" || path.Ext(name) == ".py"
		if !isConfig(name) && !isCode {
			continue
		}
		text, err := a.tree.Read(name)
		if err != nil {
			continue // check secrets names what cannot be read
		}

		a.report.Checked[TLS]++
		a.certificates(name, string(text))
		if isConfig(name) {
			a.addresses(name, string(text))
		}
		if isProxyConfig(name) {
			a.proxy(name, string(text))
		}
	}
	return nil
}

// certificates finds settings that accept every certificate.
func (a *audit) certificates(name, text string) {
	if strings.HasSuffix(name, "_test.go") {
		return
	}
	for number, line := range strings.Split(text, "\n") {
		if isComment(line) || !unverified.MatchString(line) {
			continue
		}
		a.add(finding.Finding{
			Check:    TLS,
			Rule:     "certificate-not-verified",
			Severity: finding.Error,
			Path:     name,
			Line:     number + 1,
			Message:  "The certificate of the other side is not verified.",
			Hint:     "Verify it, with a CA of your own where the certificate is your own.",
			Key:      strings.TrimSpace(unverified.FindString(line)),
		})
	}
}

// addresses finds http:// to other machines, and listeners on all interfaces.
func (a *audit) addresses(name, text string) {
	for number, line := range strings.Split(text, "\n") {
		if isComment(line) || isSchema(line) {
			continue
		}
		for _, address := range plainAddress.FindAllString(line, -1) {
			host := hostOf(address)
			if isLocalHost(host) {
				continue
			}
			a.add(finding.Finding{
				Check:    TLS,
				Rule:     "http-endpoint",
				Severity: finding.Error,
				Path:     name,
				Line:     number + 1,
				Message:  "The connection to " + host + " is not encrypted.",
				Hint:     "Use https.",
				Key:      host,
			})
		}
		if anyAddress.MatchString(line) {
			a.add(finding.Finding{
				Check:    TLS,
				Rule:     "listener-on-any",
				Severity: finding.Warn,
				Path:     name,
				Line:     number + 1,
				Message:  "The program listens on every interface.",
				Hint:     "Bind to a loopback or private address, or put a proxy with TLS before it.",
				Key:      strings.TrimSpace(line),
			})
		}
	}
}

// isComment reports whether a line is a comment in the usual forms.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"#", "//", ";", "--", "*", "/*", "<!--"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// schemas are addresses that name something and are not connected to.
var schemas = []string{
	"xmlns", "$schema", "$id", "@context", "schemaLocation", "http://www.w3.org", "http://json-schema.org", "http://schemas.",
	"http://purl.org", "http://xmlns.", "http://www.apache.org/licenses", "http://ns.", "http://www.sitemaps.org",
	"http://opensource.org", "http://maven.apache.org", "homepage", "license",
}

func isSchema(line string) bool {
	return slices.ContainsFunc(schemas, func(mark string) bool { return strings.Contains(line, mark) })
}

func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		rest := strings.TrimPrefix(address, "http://")
		host, _, _ := strings.Cut(rest, "/")
		return host
	}
	return parsed.Hostname()
}

// nearEndings are the ends of names that resolve at home, or are examples.
var nearEndings = []string{
	".local", ".localhost", ".internal", ".svc", ".test", ".example", ".invalid", "example.com", "example.org", "example.net",
	".cluster.local", ".lan", ".home.arpa",
}

// isLocalHost reports whether a host is this machine, a private network, a service of the
// same cluster, a reference, or an example.
func isLocalHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	isReference := strings.ContainsAny(host, "${}<>%*")
	isOneLabel := !strings.ContainsAny(host, ".:") // a service of the same network
	if isReference || isOneLabel {
		return true
	}

	if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return isNear(address)
	}
	return slices.ContainsFunc(nearEndings, func(ending string) bool { return strings.HasSuffix(host, ending) })
}

func isNear(address netip.Addr) bool {
	return address.IsLoopback() ||
		address.IsPrivate() ||
		address.IsUnspecified() ||
		address.IsLinkLocalUnicast()
}

var (
	nginxServer   = regexp.MustCompile(`(?m)^\s*server\s*\{`)
	nginxPlain    = regexp.MustCompile(`(?m)^\s*listen\s+(?:[\w.\[\]:*]+:)?(?:80|8080|8000)\b[^;]*;`)
	nginxSecure   = regexp.MustCompile(`(?m)^\s*listen\s[^;]*\bssl\b`)
	nginxRedirect = regexp.MustCompile(`(?m)return\s+30[1278]\s+https://|rewrite\s.*https://`)
	caddyPlain    = regexp.MustCompile(`(?m)^\s*(?:http://\S+|:80)(?:\s*,\s*\S+)*\s*\{`)
	caddyTLSOff   = regexp.MustCompile(`(?m)^\s*auto_https\s+off`)
)

// proxy finds servers of a proxy that answer without TLS.
func (a *audit) proxy(name, text string) {
	plain := finding.Finding{
		Check:    TLS,
		Rule:     "proxy-without-tls",
		Severity: finding.Error,
		Path:     name,
		Message:  "The proxy answers without TLS.",
		Hint:     "Listen with TLS, and lead plain requests to https.",
	}
	if strings.EqualFold(path.Base(name), "caddyfile") {
		for _, pattern := range []*regexp.Regexp{caddyPlain, caddyTLSOff} {
			if at := pattern.FindStringIndex(text); at != nil {
				plain.Line = lineOf(text, at[1]-1)
				a.add(plain)
			}
		}
		return
	}

	for _, at := range nginxServer.FindAllStringIndex(text, -1) {
		block := blockOf(text[at[0]:])
		if !nginxPlain.MatchString(block) || nginxSecure.MatchString(block) || nginxRedirect.MatchString(block) {
			continue
		}
		listen := nginxPlain.FindStringIndex(block)
		plain.Line = lineOf(text, at[0]+listen[1]-1)
		a.add(plain)
	}
}

// blockOf is a text up to the brace that closes its first one.
func blockOf(text string) string {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

func lineOf(text string, offset int) int {
	return 1 + strings.Count(text[:min(offset, len(text))], "\n")
}
