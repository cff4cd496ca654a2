package lint

import "strings"

// cleartext is MCP007: traffic that others can read or answer, because it is not encrypted or
// because the peer is not verified.
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

// turns maps the spellings of a switch to its opposite.
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

// uncheckedOption recognises the fields of a server that switch the verification off. Their names
// are shorter than those of variables.
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

// snake writes rejectUnauthorized as REJECT_UNAUTHORIZED. It returns "" for a name that is too long
// for a switch.
func snake(name string) string {
	if len(name) > maxSwitch {
		return ""
	}
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if i > 0 && isUpper(c) && (isLower(name[i-1]) || isDigit(name[i-1])) {
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
			say("the connection to ", shown(a.host), " is not encrypted: anyone on the way reads and changes it"),
			say("use https:// (or wss://), or reach the host through a tunnel that ends on 127.0.0.1"),
		)
	}
}

// bridge reports whether a program carries MCP to a URL in its arguments.
func bridge(name string) bool {
	return hasAny(name, bridgeNames)
}

var bridgeNames = []string{"mcp-remote", "proxy", "bridge", "gateway", "inspector", "remote", "mcp-client", "mcp-connect"}

// bridgeModule reports whether a call runs a bridge as a Python module.
func bridgeModule(c *call) bool {
	args := c.options()
	if c.program != "python" || len(args) < 2 || args[0].text != "-m" {
		return false
	}
	return bridge(strings.ReplaceAll(args[1].text, "_", "-"))
}

// judgeBridge judges the URLs a bridge connects to. A fetched program that takes the URL of an MCP
// endpoint as a plain argument is a bridge too, whatever its name.
func judgeBridge(r *report, c *call) {
	isBridge := bridge(c.program) || bridgeModule(c)

	for _, a := range c.options() {
		u := argumentURL(a.text)
		isEndpoint := endpointPath(u) && !strings.HasPrefix(a.text, "-")

		switch {
		case u != "" && (isBridge || isEndpoint):
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

// offFlags switch the verification off unless their value is false.
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

		isCurlFlag := c.program == "curl" && curlInsecure(a.text)
		if isCurlFlag || verificationOffFlag(name, value) {
			reportVerification(r, name, a.at)
		}
	}
}

// verificationOffFlag reports whether a long flag with this value, in lower case, switches the
// verification of certificates off.
func verificationOffFlag(name, value string) bool {
	switch {
	case offFlags[name]:
		return !falsy(value)
	case onFlags[name]:
		return falsy(value)
	case name == "--trusted-host" || name == "--allow-insecure-host":
		host, _, _ := strings.Cut(value, ":")
		return value != "" && !loopback(host)
	}
	return false
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
	if !hasAny(upper, verificationWords) || wholeReference(value) {
		return false
	}

	if check := lastWords(upper, checkNames); check != "" {
		if inverted(upper, check) {
			return truthy(value)
		}
		return falsy(value)
	}
	return lastWords(upper, noCheckNames) != "" && truthy(value)
}

// verificationWords are in the names of all variables that switch the verification.
var verificationWords = []string{"SSL", "TLS", "VERIF", "REJECT", "IGNORE", "SELF_SIGNED"}

// checkNames end the names of variables that switch the verification on.
var checkNames = []string{
	"TLS_REJECT_UNAUTHORIZED", "REJECT_UNAUTHORIZED", "PYTHONHTTPSVERIFY", "STRICT_SSL",
	"VERIFY_SSL", "SSL_VERIFY", "VERIFY_TLS", "TLS_VERIFY", "VERIFY_HTTPS",
	"VERIFY_CERTS", "VERIFY_CERT", "VERIFY_CERTIFICATE", "VERIFY_CERTIFICATES", "CERT_VERIFY", "SSL_CERT_VERIFY",
	"SSL_VERIFICATION", "TLS_VERIFICATION", "CERTIFICATE_VERIFICATION",
}

// noCheckNames end the names of variables that switch the verification off.
var noCheckNames = []string{
	"GIT_SSL_NO_VERIFY", "SSL_NO_VERIFY", "TLS_SKIP_VERIFY", "INSECURE_SKIP_VERIFY", "INSECURE_SKIP_TLS_VERIFY",
	"SKIP_TLS_VERIFY", "SKIP_SSL_VERIFY", "SSL_SKIP_VERIFY", "TLS_INSECURE", "SSL_INSECURE", "DISABLE_SSL", "DISABLE_TLS",
	"IGNORE_SSL_ERRORS", "IGNORE_SSL", "IGNORE_CERTIFICATE_ERRORS", "IGNORE_HTTPS_ERRORS",
	"ALLOW_SELF_SIGNED", "ALLOW_SELF_SIGNED_CERTS",
}

// inverted reports whether a name negates the check it ends in, as in NO_VERIFY_SSL.
func inverted(name, check string) bool {
	return strings.Contains(name, "NO_"+check) ||
		strings.Contains(name, "SKIP_"+check) ||
		strings.Contains(name, "DISABLE_"+check)
}

// lastWords returns the first of the suffixes that a name ends in, or "".
func lastWords(name string, suffixes []string) string {
	for _, suffix := range suffixes {
		if endsIn(name, suffix) {
			return suffix
		}
	}
	return ""
}

// endsIn reports whether a name is the words or ends in them.
func endsIn(name, words string) bool {
	rest, ok := strings.CutSuffix(name, words)
	return ok && (rest == "" || rest[len(rest)-1] == '_')
}

// judgeCleartextVariable judges URLs in variables. A host without a dot is a neighbour in a
// container network, and some variables hold URLs that are not connected to.
func judgeCleartextVariable(r *report, v assignment) {
	if !strings.Contains(v.value, "://") || quietVariable(v.name) {
		return
	}

	for part := range strings.FieldsFuncSeq(v.value, separatesURLs) {
		if !web(part) {
			continue
		}

		a := splitURL(part)
		if a.exposed() {
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

func separatesURLs(r rune) bool {
	return strings.ContainsRune(", ;\"'", r)
}

// exposed reports whether traffic to an address is unencrypted and leaves the machine and its
// container network.
func (a address) exposed() bool {
	if !a.cleartextScheme() || a.unknown() {
		return false
	}
	if loopback(a.host) || namespaceHost(a.host) {
		return false
	}
	return strings.ContainsAny(a.host, ".:")
}

// quietVariable recognises variables whose URLs are no destinations: proxies are addressed by http
// even for https traffic, origins and referers are only compared or sent along.
func quietVariable(name string) bool {
	upper := strings.ToUpper(name)
	return !strings.HasPrefix(upper, "PROXY_") && hasAny(upper, quietWords)
}

var quietWords = []string{"PROXY", "ORIGIN", "REFERER", "REFERRER", "NAMESPACE", "XMLNS", "SCHEMA_ID", "DESCRIPTION"}

// namespaceHost recognises hosts whose http URLs are names, not addresses.
func namespaceHost(host string) bool {
	switch host {
	case "www.w3.org", "schemas.xmlsoap.org", "schemas.microsoft.com", "json-schema.org", "purl.org", "xmlns.com", "schema.org", "ns.adobe.com":
		return true
	}
	return false
}
