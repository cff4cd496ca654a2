package lint

import "strings"

// cleartext is MCP007: traffic that others can read or answer, because it is not encrypted or
// because nobody checks who is at the other end.
func cleartext(s *server, r *report) {
	for _, u := range s.urls {
		judgeCleartext(r, u.text, u.at)
	}

	for _, c := range s.run.calls {
		if len(c.args) == 0 {
			continue
		}
		judgeBridge(r, c)
		judgeVerification(r, c)
	}

	for _, v := range s.variables {
		judgeCleartextVariable(r, v)
		if verificationOff(v.name, v.value) {
			reportVerification(r, v.name, v.at)
			turn(r, v.value, v.at)
			continue
		}

		for name, scalar := range embedded(v.value) {
			if verificationOff(snake(name), scalar.text) {
				reportVerification(r, name, v.at)
			}
		}
	}

	for _, option := range s.options {
		name := snake(option.name)
		if verificationOff(name, option.value) || uncheckedOption(name, option.value) {
			reportVerification(r, option.name, option.at)
			turn(r, option.value, option.at)
		}
	}
}

// turns are switches and their opposites, in the words in which they are written.
var turns = map[string]string{
	"0": "1", "false": "true", "False": "True", "FALSE": "TRUE", "no": "yes", "off": "on",
	"1": "0", "true": "false", "True": "False", "TRUE": "FALSE", "yes": "no", "on": "off",
}

// turn repairs a switch by its opposite.
func turn(r *report, value string, at *place) {
	if opposite, ok := turns[value]; ok {
		r.repair(ruleVerificationOff, at, value, opposite)
	}
}

func reportVerification(r *report, name string, at *place) {
	r.add(
		ruleVerificationOff,
		Error,
		at,
		say(shown(name), " switches the check of TLS certificates off, so anyone on the way can answer in the server's name"),
		hintVerification,
	)
}

// uncheckedOption recognises switches that say it shorter among the fields of a server than a
// variable does.
func uncheckedOption(name, value string) bool {
	switch name {
	case "VERIFY", "VERIFY_HOST", "VERIFY_PEER", "CHECK_CERTIFICATE":
		return falsy(value)
	case "INSECURE", "ALLOW_INSECURE", "SKIP_VERIFY", "TLS_SKIP", "ACCEPT_INVALID_CERTS", "ALLOW_INVALID_CERTS":
		return truthy(value)
	}
	return false
}

// maxSwitch is longer than any name of a switch, in bytes.
const maxSwitch = 64

// snake writes rejectUnauthorized as REJECT_UNAUTHORIZED. It gives "" for a name that is too long
// for a switch.
func snake(name string) string {
	if len(name) > maxSwitch {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		isUpper := c >= 'A' && c <= 'Z'
		afterLower := i > 0 &&
			(name[i-1] >= 'a' && name[i-1] <= 'z' || name[i-1] >= '0' && name[i-1] <= '9')
		if isUpper && afterLower {
			b.WriteByte('_')
		}
		if c == '-' {
			c = '_'
		}
		b.WriteByte(c)
	}

	return strings.ToUpper(b.String())
}

var hintVerification = say("remove it; for a private CA give the program the CA file (NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, REQUESTS_CA_BUNDLE)")

func judgeCleartext(r *report, raw string, at *place) {
	a := splitURL(raw)
	if a.cleartextScheme() && !a.unknown() && !loopback(a.host) {
		r.add(
			ruleCleartextEndpoint,
			Error,
			at,
			say(
				"the connection to ",
				shown(a.host),
				" is not encrypted: anyone on the way reads and changes it",
			),
			say("use https:// (or wss://), or reach the host through a tunnel that ends on 127.0.0.1"),
		)
	}
}

// bridge reports whether a program carries MCP to a URL in its arguments.
func bridge(name string) bool {
	for _, word := range [...]string{"mcp-remote", "proxy", "bridge", "gateway", "inspector", "remote", "mcp-client", "mcp-connect"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// judgeBridge judges the URLs a bridge connects to. A fetched program that takes the URL of an MCP
// endpoint as a plain argument is a bridge too, whatever its name.
func judgeBridge(r *report, c *call) {
	args := c.options()
	isBridge := bridge(c.program) ||
		c.program == "python" &&
			len(args) > 1 &&
			args[0].text == "-m" &&
			bridge(strings.ReplaceAll(args[1].text, "_", "-"))
	for _, a := range args {
		u := argumentURL(a.text)
		switch {
		case u != "" && (isBridge || endpointPath(u) && !strings.HasPrefix(a.text, "-")):
			judgeCleartext(r, u, a.at)
		case a.text == "--allow-http" && !knownProgram(c.program):
			r.add(
				ruleBridgeAllowsHTTP,
				Warn,
				a.at,
				say("--allow-http lets ", shown(c.program), " connect without encryption"),
				say("leave --allow-http out; the bridge needs no permission for https, nor for localhost"),
			)
		}
	}
}

// endpointPath reports whether a URL ends like an MCP endpoint.
func endpointPath(u string) bool {
	p := strings.TrimSuffix(splitURL(u).path, "/")
	return strings.HasSuffix(p, "/mcp") || strings.HasSuffix(p, "/sse")
}

// offFlags switch the verification off by being there; a value of false takes that back.
var offFlags = setOf("--insecure", "--no-check-certificate", "--no-verify-ssl", "--no-ssl-verify", "--no-tls-verify", "--insecure-skip-tls-verify", "--insecure-skip-verify",
	"--tls-skip-verify", "--skip-tls-verify", "--skip-ssl-verify", "--skip-ssl-verification", "--disable-ssl-verification", "--disable-tls-verification", "--ignore-certificate-errors", "--ignore-ssl-errors",
	"--no-strict-ssl", "--no-verify-tls", "--ssl-no-verify", "--tls-no-verify", "--no-check-certificates", "--no-certificate-check", "--allow-insecure-ssl", "--allow-self-signed", "--tls-insecure", "--ssl-insecure", "--no-cert-check", "--disable-cert-verification")

// onFlags are checks that a value of false switches off.
var onFlags = setOf("--ssl-verify", "--verify-ssl", "--tls-verify", "--verify-tls", "--strict-ssl", "--verify-cert", "--verify-certs", "--verify-certificates", "--tls-reject-unauthorized", "--reject-unauthorized", "--verify", "--check-certificate")

func judgeVerification(r *report, c *call) {
	args := c.options()
	for i, a := range args {
		if !strings.HasPrefix(a.text, "-") {
			continue
		}
		name, value, ok := strings.Cut(strings.ToLower(a.text), "=")
		if !ok && i+1 < len(args) {
			value = strings.ToLower(args[i+1].text)
		}

		off := offFlags[name] && !falsy(value) ||
			onFlags[name] && falsy(value) ||
			c.program == "curl" && curlInsecure(a.text) ||
			(name == "--trusted-host" || name == "--allow-insecure-host") && value != "" && !loopback(strings.SplitN(value, ":", 2)[0])
		if off {
			reportVerification(r, name, a.at)
		}
	}
}

// curlInsecure recognises -k, alone or in a cluster such as -fsSLk.
func curlInsecure(t string) bool {
	if len(t) < 2 || t[0] != '-' || t[1] == '-' {
		return false
	}
	return strings.Contains(t, "k") && strings.Trim(t[1:], "fsSLkivgOJ#jq0146") == ""
}

func falsy(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "0", "false", "no", "off", "none", "disabled":
		return true
	}
	return false
}

// verificationOff reports whether a variable switches the verification of certificates off.
func verificationOff(name, value string) bool {
	if value == "" || len(name) > 100 {
		return false
	}
	upper := strings.ToUpper(name)
	if !strings.Contains(upper, "SSL") && !strings.Contains(upper, "TLS") && !strings.Contains(upper, "VERIF") &&
		!strings.Contains(upper, "REJECT") && !strings.Contains(upper, "IGNORE") && !strings.Contains(upper, "SELF_SIGNED") ||
		wholeReference(value) {
		return false
	}

	for _, suffix := range [...]string{"TLS_REJECT_UNAUTHORIZED", "REJECT_UNAUTHORIZED", "PYTHONHTTPSVERIFY", "VERIFY_SSL", "SSL_VERIFY", "VERIFY_TLS", "TLS_VERIFY",
		"STRICT_SSL", "VERIFY_CERTS", "VERIFY_CERT", "VERIFY_CERTIFICATE", "VERIFY_CERTIFICATES", "CERT_VERIFY", "SSL_VERIFICATION", "TLS_VERIFICATION", "VERIFY_HTTPS", "SSL_CERT_VERIFY", "CERTIFICATE_VERIFICATION"} {
		if endsIn(upper, suffix) {
			inverted := strings.Contains(upper, "NO_"+suffix) ||
				strings.Contains(upper, "SKIP_"+suffix) ||
				strings.Contains(upper, "DISABLE_"+suffix)
			return inverted && truthy(value) || !inverted && falsy(value)
		}
	}

	for _, suffix := range [...]string{"GIT_SSL_NO_VERIFY", "SSL_NO_VERIFY", "TLS_SKIP_VERIFY", "INSECURE_SKIP_VERIFY", "INSECURE_SKIP_TLS_VERIFY", "SKIP_TLS_VERIFY", "SKIP_SSL_VERIFY", "SSL_SKIP_VERIFY",
		"IGNORE_SSL_ERRORS", "IGNORE_SSL", "IGNORE_CERTIFICATE_ERRORS", "ALLOW_SELF_SIGNED", "ALLOW_SELF_SIGNED_CERTS", "TLS_INSECURE", "SSL_INSECURE", "IGNORE_HTTPS_ERRORS", "DISABLE_SSL", "DISABLE_TLS"} {
		if endsIn(upper, suffix) {
			return truthy(value)
		}
	}

	return false
}

// endsIn reports whether a name is the words or ends in them.
func endsIn(name, words string) bool {
	rest, ok := strings.CutSuffix(name, words)
	return ok && (rest == "" || rest[len(rest)-1] == '_')
}

// judgeCleartextVariable judges URLs in variables. A host without a dot is a neighbour in a
// container network, and some variables hold URLs that nobody connects to.
func judgeCleartextVariable(r *report, v assignment) {
	if !strings.Contains(v.value, "://") || quietVariable(v.name) {
		return
	}
	for part := range strings.FieldsFuncSeq(v.value, func(r rune) bool {
		return r == ',' ||
			r == ' ' ||
			r == ';' ||
			r == '"' ||
			r == '\''
	}) {
		if !web(part) {
			continue
		}
		a := splitURL(part)
		dotted := strings.Contains(a.host, ".") || strings.Contains(a.host, ":")
		if a.cleartextScheme() &&
			dotted &&
			!a.unknown() &&
			!loopback(a.host) &&
			!namespaceHost(a.host) {
			r.add(
				ruleCleartextVariable,
				Warn,
				v.at,
				say(shown(v.name), " sends the server to ", shown(a.host), " without encryption"),
				say("use https:// for this address, or a tunnel that ends on 127.0.0.1"),
			)
		}
	}
}

// quietVariable recognises variables whose URLs are no destinations: proxies are addressed by http
// even for https traffic, origins and referers are only compared or sent along.
func quietVariable(name string) bool {
	upper := strings.ToUpper(name)
	for _, word := range [...]string{"PROXY", "ORIGIN", "REFERER", "REFERRER", "NAMESPACE", "XMLNS", "SCHEMA_ID", "DESCRIPTION"} {
		if strings.Contains(upper, word) && !strings.HasPrefix(upper, "PROXY_") {
			return true
		}
	}
	return false
}

// namespaceHost recognises hosts whose http URLs are names, not addresses.
func namespaceHost(host string) bool {
	switch host {
	case "www.w3.org", "schemas.xmlsoap.org", "schemas.microsoft.com", "json-schema.org", "purl.org", "xmlns.com", "schema.org", "ns.adobe.com":
		return true
	}
	return false
}
