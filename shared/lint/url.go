package lint

import (
	"net/netip"
	"strconv"
	"strings"

	"governance.internal/shared/secretscan"
)

// address is a URL parsed as browsers and Node do (WHATWG), which accept more than net/url: a backslash
// is a slash, and one slash is enough after http:. A parser that refuses what the client accepts would
// call a dangerous URL clean.
type address struct {
	scheme   string // lower case
	userinfo string
	host     string // lower case, without brackets, invisible characters and the final dot
	raw      string // the host as written
	port     string
	path     string
	query    string
}

// scheme returns the lower-case scheme of "scheme://…", or "".
func scheme(s string) string {
	at := strings.Index(s, "://")
	if at <= 0 || at > 20 {
		return ""
	}

	for i := 0; i < at; i++ {
		if !isAlphanumeric(s[i]) && strings.IndexByte("+-.", s[i]) < 0 {
			return ""
		}
	}
	return strings.ToLower(s[:at])
}

// web reports whether s is an http or websocket URL.
func web(s string) bool {
	switch scheme(s) {
	case "http", "https", "ws", "wss":
		return true
	}
	return false
}

func splitURL(s string) address {
	var a address
	s = strings.TrimSpace(s)
	colon := strings.IndexByte(s, ':')
	if colon <= 0 || colon > 20 {
		return a
	}

	a.scheme = strings.ToLower(s[:colon])
	rest := strings.TrimLeft(s[colon+1:], `/\`)
	if end := strings.IndexByte(rest, '#'); end >= 0 {
		rest = rest[:end]
	}

	authority := rest
	if end := strings.IndexAny(rest, `/\?`); end >= 0 {
		authority = rest[:end]
		rest = rest[end:]
	} else {
		rest = ""
	}

	a.path, a.query, _ = strings.Cut(rest, "?")
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		a.userinfo = authority[:at]
		authority = authority[at+1:]
	}

	a.raw = authority
	if end := strings.IndexByte(authority, ']'); strings.HasPrefix(authority, "[") && end > 0 {
		a.raw = authority[1:end]
		a.port = strings.TrimPrefix(authority[end+1:], ":")
	} else if colon := strings.LastIndexByte(authority, ':'); colon >= 0 &&
		!strings.Contains(authority, "${") {
		a.raw = authority[:colon]
		a.port = authority[colon+1:]
	}

	a.host = strings.TrimSuffix(strings.ToLower(plain(a.raw)), ".")
	return a
}

// unknown reports whether the host is filled in later: a reference, a placeholder, or a port that
// is a word. Such a URL cannot be judged.
func (a address) unknown() bool {
	host := strings.ToLower(a.host)
	switch {
	case host == "" || strings.ContainsAny(a.raw, "${}<>%*"):
		return true
	case placeholderHosts[host]:
		return true
	case strings.HasPrefix(host, "your") || hasAny(host, placeholderParts):
		return true
	case strings.Contains(host, "_") && a.raw == strings.ToUpper(a.raw):
		return true
	}
	return strings.Trim(a.port, "0123456789") != ""
}

// placeholderHosts are whole hosts that documentation leaves to the reader.
var placeholderHosts = setOf("host", "hostname", "server", "ip", "domain", "server-ip", "ip-address", "my-host", "my-server")

var placeholderParts = []string{".your", "-your-", "__"}

// loopback reports whether a host is this machine. Names and numbers that merely look like it
// (127.0.0.1.nip.io, 2130706433, 0177.0.0.1) are not: resolvers disagree about them.
func loopback(host string) bool {
	host = strings.TrimSuffix(host, ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	switch host {
	case "host.docker.internal", "gateway.docker.internal", "host.containers.internal", "host.lima.internal", "host.orb.internal",
		"0.0.0.0", "::": // as a destination the unspecified address reaches this machine
		return true
	}

	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// cleartextScheme reports whether a URL travels unencrypted.
func (a address) cleartextScheme() bool {
	return a.scheme == "http" || a.scheme == "ws"
}

// metadataHost reports whether a host is a cloud's metadata service, which hands out
// credentials, in any of the notations that resolvers accept.
func metadataHost(host string) bool {
	switch host {
	case "metadata.google.internal", "metadata.azure.internal", "instance-data", "instance-data.ec2.internal":
		return true
	}

	addr, err := netip.ParseAddr(host)
	if err != nil {
		var ok bool
		if addr, ok = looseIPv4(host); !ok {
			return false
		}
	}

	switch addr.Unmap().WithZone("").String() {
	case "169.254.169.254", "169.254.170.2", "169.254.170.23", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254":
		return true
	}

	return false
}

// looseIPv4 reads the old forms of inet_aton: decimal, octal and hexadecimal numbers, one to four.
func looseIPv4(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 || host == "" {
		return netip.Addr{}, false
	}

	var value uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		if err != nil || strings.Contains(part, "_") {
			return netip.Addr{}, false
		}

		if i < len(parts)-1 {
			if n > 255 {
				return netip.Addr{}, false
			}
			value |= n << (24 - 8*i)
		} else {
			value |= n
		}
	}

	if value > 0xffffffff {
		return netip.Addr{}, false
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

// wholeReference reports whether a value consists of references and placeholders only.
func wholeReference(s string) bool {
	rest, found := secretscan.StripReferences(s)
	return found && strings.TrimSpace(rest) == ""
}

// unescape decodes %XX; anything malformed stays.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}

		b.WriteByte(s[i])
	}

	return b.String()
}

// argumentURL returns the URL in an argument: the whole word, or the value of --flag=URL.
func argumentURL(s string) string {
	if !strings.Contains(s, "://") {
		return ""
	}
	if strings.HasPrefix(s, "-") {
		if _, value, ok := strings.Cut(s, "="); ok {
			s = value
		}
	}

	if web(s) {
		return s
	}
	return ""
}
