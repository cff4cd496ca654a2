package lint

import (
	"regexp"
	"strings"
)

// endpoint is MCP008: servers that other machines can reach, endpoints that point elsewhere than
// they appear to, and the deprecated transport.
func endpoint(s *server, r *report) {
	for _, u := range s.urls {
		judgeHost(r, u.text, u.at)
		judgeSSE(r, u.text, u.at)
	}

	for _, k := range s.kinds {
		if strings.EqualFold(strings.TrimSpace(k.text), "sse") {
			r.add(
				ruleLegacySSE,
				Info,
				k.at,
				say("the transport sse is deprecated since the protocol version of March 2025"),
				hintSSE,
			)
		}
	}

	for _, c := range s.run.calls {
		if c.box != nil {
			judgePublished(r, c.box)
		}
		if engines[c.program] {
			continue
		}

		args := c.options()
		for i, a := range args {
			if u := argumentURL(a.text); u != "" {
				judgeHost(r, u, a.at)
				judgeSSE(r, u, a.at)
			}

			if i > 0 && !c.inside {
				judgeBind(r, args[i-1].text, a.text, a.at)
			}

			if name, value, ok := strings.Cut(a.text, "="); ok &&
				strings.HasPrefix(name, "-") &&
				!c.inside {
				judgeBind(r, name, value, a.at)
			}
		}
	}

	for _, v := range s.variables {
		judgeVariable(r, v)
	}
}

var hintSSE = say("move to the streamable HTTP endpoint: \"type\": \"http\" and, as a rule, a URL that ends in /mcp")

func judgeSSE(r *report, raw string, at *place) {
	if a := splitURL(raw); strings.HasSuffix(strings.ToLower(strings.TrimSuffix(a.path, "/")), "/sse") {
		r.add(
			ruleLegacySSE,
			Info,
			at,
			say("the endpoint speaks the SSE transport, deprecated since the protocol version of March 2025"),
			hintSSE,
		)
	}
}

func judgeHost(r *report, raw string, at *place) {
	a := splitURL(raw)
	if a.unknown() {
		return
	}

	switch {
	case metadataHost(a.host):
		r.add(
			ruleMetadataAddress,
			Error,
			at,
			say("the address ", shown(a.host), " is a cloud's metadata service, which hands out the machine's credentials"),
			hintMetadata,
		)
	case tunnelHost(a.host):
		r.add(
			ruleTunnelHost,
			Warn,
			at,
			say("the host ", shown(a.host), " is a tunnel or wildcard name, which can lead anywhere and change hands at any time"),
			say("use the service's own host name, or 127.0.0.1 for this machine"),
		)
	case confusable(a):
		r.add(
			ruleConfusableHost,
			Warn,
			at,
			say("the host name has characters outside ASCII, which may look like other letters: ", shown(a.raw)),
			say("compare the name with the vendor's documentation and write it in plain ASCII"),
		)
	}
}

var hintMetadata = say("remove the address; give the server its own key of limited rights")

func tunnelHost(host string) bool {
	for _, t := range tunnelHosts {
		if host == t || strings.HasSuffix(host, "."+t) {
			return true
		}
	}
	return false
}

// confusable reports whether a host name is internationalised, in Unicode or as punycode.
func confusable(a address) bool {
	for i := 0; i < len(a.raw); i++ {
		if a.raw[i] >= 0x80 {
			return true
		}
	}
	return strings.HasPrefix(a.host, "xn--") || strings.Contains(a.host, ".xn--")
}

// judgeBind finds flags that make a server listen on every interface.
func judgeBind(r *report, flag, value string, at *place) {
	if !strings.HasPrefix(flag, "-") || strings.Contains(flag, "=") {
		return
	}
	if !everyInterface(value) {
		return
	}

	words := " " + flagWords.Replace(strings.ToLower(flag)) + " "
	for _, no := range [...]string{" allow", " allowed ", " cors", " origin", " trusted", " proxy ", " relay ", " remote ", " url ", " uri "} {
		if strings.Contains(words, no) {
			return
		}
	}

	bind := false
	for _, yes := range [...]string{"host", "bind", "listen", "addr", "interface", " ip ", " h "} {
		bind = bind || strings.Contains(words, yes)
	}

	if bind {
		r.add(
			ruleListensEverywhere,
			Warn,
			at,
			say("the server listens on every interface, so the whole network can call its tools"),
			hintBind,
		)
	}
}

var hintBind = say("bind to 127.0.0.1; for access from elsewhere put a proxy with authentication in front")

var flagWords = strings.NewReplacer("-", " ", "_", " ")

// everyInterface recognises the unspecified address, with or without a port or scheme.
func everyInterface(value string) bool {
	if !strings.ContainsAny(value, "0:*") || len(value) > 64 {
		return false
	}
	v := strings.ToLower(strings.TrimSpace(value))
	for _, prefix := range [...]string{"tcp://", "http://", "https://"} {
		v = strings.TrimPrefix(v, prefix)
	}

	v = strings.TrimSuffix(v, "/")
	switch v {
	case "0.0.0.0", "::", "[::]", "*", "::0", "0:0:0:0:0:0:0:0":
		return true
	}

	for _, host := range [...]string{"0.0.0.0:", "[::]:", "*:"} {
		if rest, ok := strings.CutPrefix(v, host); ok && strings.Trim(rest, "0123456789") == "" {
			return true
		}
	}

	return false
}

// judgeVariable finds addresses in variables: where the server listens, and metadata services.
func judgeVariable(r *report, v assignment) {
	upper := strings.ToUpper(v.name)
	if strings.Contains(upper, "NO_PROXY") {
		return
	}

	if !v.inside &&
		bindVariable(upper) &&
		everyInterface(v.value) &&
		(scheme(v.value) == "" || strings.HasSuffix(upper, "URLS")) {
		r.add(
			ruleListensEverywhere,
			Warn,
			v.at,
			say(shown(v.name), " makes the server listen on every interface, so the whole network can call its tools"),
			hintBind,
		)
	}

	host := v.value
	if web(host) {
		host = splitURL(host).host
	}

	if host != "" &&
		len(host) < 64 &&
		metadataHost(strings.ToLower(host)) &&
		(web(v.value) || strings.Contains(v.value, ".") || strings.Contains(v.value, "::")) {
		r.add(
			ruleMetadataAddress,
			Error,
			v.at,
			say(shown(v.name), " points to a cloud's metadata service, which hands out the machine's credentials"),
			hintMetadata,
		)
	}
}

func bindVariable(upper string) bool {
	for _, no := range [...]string{"ALLOW", "CORS", "ORIGIN", "TRUSTED"} {
		if strings.Contains(upper, no) {
			return false
		}
	}

	for part := range strings.SplitSeq(upper, "_") {
		switch part {
		case "HOST", "BIND", "LISTEN", "ADDR", "ADDRESS", "HOSTNAME", "INTERFACE", "BINDADDR", "LISTENADDR":
			return true
		}
	}
	return upper == "ASPNETCORE_URLS" || upper == "DOTNET_URLS"
}

// judgePublished finds container ports that are published on every interface.
func judgePublished(r *report, b *container) {
	for _, f := range b.flags {
		switch f.name {
		case "P", "publish-all":
			if f.value.text == "false" {
				continue
			}
		case "p", "publish":
			if loopbackPort(f.value.text) {
				continue
			}
		default:
			continue
		}

		if spec, ok := onLoopback(f.value.text); ok {
			r.repair(rulePublishedPort, f.value.at, f.value.text, spec)
		}

		r.add(
			rulePublishedPort,
			Warn,
			f.value.at,
			say("the container's port is published on every interface, past the machine's firewall"),
			say("publish it on this machine only: -p 127.0.0.1:8080:8080"),
		)
	}
}

// portPair is a published port without an address: 8080:80 or 8080:80/udp.
var portPair = regexp.MustCompile(`^[0-9]+:[0-9]+(/[a-z]+)?$`)

// onLoopback returns the port mapping bound to 127.0.0.1.
func onLoopback(spec string) (string, bool) {
	spec = strings.TrimPrefix(spec, "0.0.0.0:")
	if !portPair.MatchString(spec) {
		return "", false
	}
	return "127.0.0.1:" + spec, true
}

// loopbackPort reports whether a port mapping names a loopback or an unknown address.
func loopbackPort(spec string) bool {
	colon := strings.LastIndexByte(spec, ':')
	if colon < 0 {
		return false
	}

	rest := spec[:colon]
	colon = strings.LastIndexByte(rest, ':')
	if colon < 0 {
		return false
	}

	host := strings.Trim(rest[:colon], "[]")
	return loopback(strings.ToLower(host)) && host != "0.0.0.0" && host != "::" ||
		wholeReference(host)
}
