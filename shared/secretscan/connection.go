package secretscan

import "strings"

// Connection is the authority of one "scheme://user:password@host" in a value. PasswordStart is
// the byte offset of the password in that value.
type Connection struct {
	Scheme         string
	User, Password string
	Host           string // with the port, as written
	PasswordStart  int
}

// Connections returns every URL of the value that carries a user or a password.
func Connections(value string) []Connection {
	var found []Connection
	for from := 0; ; {
		at := strings.Index(value[from:], "://")
		if at < 0 {
			return found
		}
		at += from
		from = at + 3
		if c, ok := connectionAt(value, at); ok {
			found = append(found, c)
		}
	}
}

// textEnd are the characters that end a URL in a text.
const textEnd = " \t\r\n\"'`"

func connectionAt(value string, at int) (Connection, bool) {
	start := at
	for start > 0 && (isWordByte(value[start-1]) || strings.IndexByte("+.-", value[start-1]) >= 0) {
		start--
	}

	if start == at {
		return Connection{}, false
	}

	rest := value[at+3 : min(len(value), at+3+512)]
	authority := rest
	if end := strings.IndexAny(rest, "/?#\\"+textEnd); end >= 0 {
		authority = rest[:end]
	}

	sign := strings.LastIndexByte(authority, '@')
	if sign < 0 {
		sign = unescapedPassword(rest, authority)
	}
	if sign <= 0 {
		return Connection{}, false
	}

	host := rest[sign+1:]
	if end := strings.IndexAny(host, "/?#\\,;"+textEnd); end >= 0 {
		host = host[:end]
	}

	user, password, _ := strings.Cut(rest[:sign], ":")
	return Connection{
		Scheme:        strings.ToLower(value[start:at]),
		User:          user,
		Password:      password,
		Host:          host,
		PasswordStart: at + 3 + len(user) + 1,
	}, true
}

// unescapedPassword finds the @ of a connection string whose password holds a raw slash. A
// colon followed by digits is a port, and then a later @ belongs to the path.
func unescapedPassword(rest, authority string) int {
	colon := strings.IndexByte(authority, ':')
	if colon <= 0 ||
		colon+1 == len(authority) ||
		strings.Trim(authority[colon+1:], "0123456789") == "" {
		return -1
	}
	sign := strings.IndexByte(rest, '@')
	if sign >= 0 && strings.ContainsAny(rest[:sign], textEnd) {
		return -1
	}
	return sign
}

// scanConnections finds literal passwords in connection strings, both URLs and the
// "Server=…;Password=…" form.
func scanConnections(value string) []Match {
	var found []Match
	for _, c := range Connections(value) {
		if c.LiteralPassword() {
			found = append(found, Match{
				Provider: ConnectionPassword,
				Start:    c.PasswordStart,
				End:      c.PasswordStart + len(c.Password),
			})
		}
	}

	if strings.IndexByte(value, '=') < 0 || strings.IndexByte(value, ';') < 0 {
		return found
	}
	from := 0
	for _, part := range strings.SplitAfter(value, ";") {
		name, text, _ := strings.Cut(strings.TrimSuffix(part, ";"), "=")
		key := strings.ToLower(strings.TrimSpace(name))
		isPassword := key == "password" || key == "pwd"
		if isPassword && !Placeholder(text) && !genericWords[strings.ToLower(text)] {
			at := from + len(name) + 1
			found = append(found, Match{
				Provider: ConnectionPassword,
				Start:    at,
				End:      at + len(text),
			})
		}

		from += len(part)
	}

	return found
}

// LiteralPassword reports whether the connection has a password that is neither a reference nor
// a placeholder. The sample pairs of documentation (user:password@host) and the defaults of a
// database on this machine (postgres:postgres@localhost) are placeholders.
func (c Connection) LiteralPassword() bool {
	if c.Password == "" || Placeholder(c.Password) {
		return false
	}
	user := strings.ToLower(c.User)
	password := strings.ToLower(c.Password)
	if !genericWords[password] && password != user {
		return true
	}
	return !localHost(c.Host) && !genericUsers[user]
}

func localHost(host string) bool {
	host = strings.ToLower(host)
	if at := strings.LastIndexByte(host, ':'); at > 0 && !strings.HasSuffix(host, "]") {
		host = host[:at]
	}
	return localHosts[host] ||
		strings.HasSuffix(host, ".localhost") ||
		strings.HasPrefix(host, "127.")
}

var localHosts = set("localhost", "[::1]", "host.docker.internal", "host.containers.internal")

var genericUsers = set("user", "username", "usr", "login", "myuser", "youruser", "db_user", "dbuser", "")

var genericWords = set("password", "pass", "pwd", "passwd", "secret", "postgres", "root", "admin", "mysql", "user",
	"test", "guest", "mypassword", "pw", "dev", "local", "neo4j", "redis", "mongo", "rootpassword", "username", "db_password", "dbpassword")
