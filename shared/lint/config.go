package lint

import (
	"cmp"
	"slices"
	"strings"
)

// server is one entry of a configuration, in any dialect.
type server struct {
	name string
	node *node
	at   *place

	argv    []word    // command and args
	env     []setting // variables given to the process
	headers []setting // headers sent to the endpoint
	fields  []setting // auth and any other string the client may use as a credential
	options []setting // fields that are booleans, numbers or strings: switches of the client
	urls    []word    // endpoints
	kinds   []word    // declared transports

	run       *commandLine // argv unwrapped: wrappers, shells and runners (command.go)
	variables []assignment // all a server's process gets, from env and from its command line
}

// word is a string with its place.
type word struct {
	text string
	at   *place
}

// setting is a named string.
type setting struct {
	name  string
	value string
	at    *place
}

// containers are the keys under which clients keep their servers, in the order in which they are
// read. The order of keys in the document does not matter.
var containers = [][]string{
	{"mcpServers"},        // Claude Desktop, Claude Code, Cursor, Windsurf, Cline, Gemini, Kiro
	{"servers"},           // VS Code mcp.json, object or array
	{"mcp", "servers"},    // VS Code settings.json
	{"mcp.servers"},       // the same, flat
	{"mcp", "mcpServers"}, //
	{"mcp_servers"},       // Codex, the Messages API
	{"context_servers"},   // Zed
	{"amp.mcpServers"},    // Amp
	{"powers", "mcpServers"},
	{"mcp"}, // OpenCode: servers directly under mcp
}

const wanted = `mcpServers, servers, mcp.servers, mcp_servers or context_servers, or one server object with command or url`

// readServers finds the servers of a document, sorted by name and then by place.
func readServers(root *node) ([]*server, error) {
	if root.kind != object {
		return nil, &InputError{CodeWrongType, "The document is " + root.kind.String() + ". Send one JSON object with " + wanted + "."}
	}
	top := &place{index: -1}
	var found []*server
	recognised := false
	collect := func(holder *node, at *place) error {
		for _, path := range containers {
			n, p := descend(holder, at, path)
			if n == nil || len(path) == 1 && path[0] == "mcp" && !flatMap(n) {
				continue
			}
			recognised = true
			more, err := readContainer(n, p)
			if err != nil {
				return err
			}
			found = append(found, more...)
		}
		return nil
	}
	if err := collect(root, top); err != nil {
		return nil, err
	}

	if projects := root.get("projects"); projects != nil &&
		projects.kind == object { // ~/.claude.json
		p := top.member("projects", projects)
		for i, key := range projects.keys {
			if err := collect(projects.items[i], p.member(key, projects.items[i])); err != nil {
				return nil, err
			}
		}
	}

	if !recognised {
		switch {
		case isServer(root):
			found = append(found, &server{
				name: "server",
				node: root,
				at:   top,
			})
		case flatMap(root): // a plugin's .mcp.json may leave the outer key out
			more, err := readContainer(root, top)
			if err != nil {
				return nil, err
			}
			found = more
		default:
			return nil, &InputError{CodeNoServers, "The document has no MCP servers in it. Looked for " + wanted + ". Keys are case-sensitive."}
		}
	}

	slices.SortStableFunc(found, func(a, b *server) int {
		return cmp.Or(strings.Compare(a.name, b.name), comparePlaces(a.at, b.at))
	})
	inputs := inputDefaults(root.get("inputs"), top)
	for _, s := range found {
		s.read()
		s.readInputs(inputs)
	}

	return found, nil
}

func descend(n *node, at *place, path []string) (*node, *place) {
	for _, key := range path {
		next := n.get(key)
		if next == nil {
			return nil, nil
		}
		n = next
		at = at.member(key, next)
	}
	return n, at
}

// isServer reports whether an object looks like one server.
func isServer(n *node) bool {
	if n == nil || n.kind != object {
		return false
	}
	for _, key := range [...]string{"command", "url", "serverUrl", "httpUrl"} {
		if v := n.get(key); v != nil && v.kind != null {
			return true
		}
	}
	return false
}

// flatMap reports whether an object is a map of servers: at least one member is one.
func flatMap(n *node) bool {
	if n.kind != object {
		return false
	}
	for _, item := range n.items {
		if isServer(item) {
			return true
		}
	}
	return false
}

// readContainer reads a map of servers, or an array of servers with a name field.
func readContainer(n *node, at *place) ([]*server, error) {
	var found []*server
	switch n.kind {
	case object:
		for i, name := range n.keys {
			item := n.items[i]
			if item.kind != object {
				if remark(name) || at.parent == nil || at.key == "mcp" {
					continue
				}
				return nil, &InputError{CodeWrongType, bounded("The server "+display(pointer(at.member(name, item).keys()))+" is "+item.kind.String()+". It must be an object with command or url.", maxDetail)}
			}

			if (at.parent == nil || at.key == "mcp") && !isServer(item) {
				continue
			}
			found = append(found, &server{
				name: name,
				node: item,
				at:   at.member(name, item),
			})
		}
	case list:
		for i, item := range n.items {
			p := at.item(i, item)
			if item.kind != object {
				return nil, &InputError{CodeWrongType, "The server " + pointer(p.keys()) + " is " + item.kind.String() + ". It must be an object with name and command or url."}
			}

			name, ok := item.get("name").scalar()
			if !ok {
				name = "server"
			}

			found = append(found, &server{
				name: name,
				node: item,
				at:   p,
			})
		}
	default:
		return nil, &InputError{CodeWrongType, display(pointer(at.keys())) + " is " + n.kind.String() + ". It must be an object that maps server names to servers."}
	}

	return found, nil
}

// remark recognises keys that people use for comments.
func remark(key string) bool {
	return strings.HasPrefix(key, "_") ||
		strings.HasPrefix(key, "//") ||
		strings.HasPrefix(key, "$") ||
		strings.HasPrefix(key, "#") ||
		strings.Contains(strings.ToLower(key), "comment")
}

// read fills the fields of a server from its node.
func (s *server) read() {
	s.readCommand(s.node, s.at)
	s.readEnvironment()
	s.readHeaders()
	s.readEndpoint(s.node, s.at)
	s.readTransport()

	for i, key := range s.node.keys {
		if readElsewhere[key] {
			continue
		}
		item := s.node.items[i]
		s.readFields(key, item, s.at.member(key, item), 0)
	}
	for _, list := range [][]setting{s.env, s.headers, s.fields} {
		slices.SortStableFunc(list, compareSettings)
	}

	s.run = unwrap(s.argv)
	for _, v := range s.env {
		s.variables = append(s.variables, assignment{setting: v})
	}
	s.variables = append(s.variables, s.run.assigned...)
}

func (s *server) readEnvironment() {
	for _, key := range [...]string{"env", "environment"} {
		if n := s.node.get(key); n != nil {
			p := s.at.member(key, n)
			s.env = append(s.env, settings(n, p)...)
		}
	}
}

func (s *server) readHeaders() {
	for _, key := range [...]string{"headers", "http_headers", "requestHeaders"} {
		s.addHeaders(key, s.node, s.at)
	}

	if n := s.node.get("requestInit"); n != nil {
		p := s.at.member("requestInit", n)
		s.addHeaders("headers", n, p)
	}
}

// addHeaders reads the headers that stand under a key of a node.
func (s *server) addHeaders(key string, n *node, at *place) {
	headers := n.get(key)
	if headers == nil {
		return
	}
	p := at.member(key, headers)
	s.headers = append(s.headers, settings(headers, p)...)
}

func (s *server) readTransport() {
	n := s.node.get("transport")
	if n == nil || n.kind != object {
		return
	}
	p := s.at.member("transport", n)
	s.readEndpoint(n, p)
	s.addHeaders("headers", n, p)
}

// compareSettings orders settings by their names, and those of one name as they stand in the file.
func compareSettings(a, b setting) int {
	if c := strings.Compare(a.name, b.name); c != 0 {
		return c
	}
	if a.at.parent == b.at.parent {
		return a.at.index - b.at.index
	}
	return comparePlaces(a.at, b.at)
}

// readElsewhere are the members that have their own reader, or that hold names and texts.
var readElsewhere = map[string]bool{"command": true, "args": true, "env": true, "environment": true, "headers": true,
	"http_headers": true, "requestHeaders": true, "requestInit": true, "url": true, "serverUrl": true, "httpUrl": true,
	"transport": true, "type": true, "name": true,
	// Codex: the values are names of variables, never secrets.
	"env_vars": true, "env_http_headers": true, "bearer_token_env_var": true}

// readCommand reads command (a string, an array as in OpenCode, or an object as in Zed) and args.
func (s *server) readCommand(n *node, at *place) {
	if c := n.get("command"); c != nil {
		p := at.member("command", c)
		switch c.kind {
		case text:
			s.argv = append(s.argv, splitCommand(word{c.text, p})...)
		case list:
			s.argv = append(s.argv, words(c, p)...)
		case object:
			if path, ok := c.get("path").scalar(); ok {
				s.argv = append(s.argv, word{path, p.member("path", c.get("path"))})
			}
			if args := c.get("args"); args != nil {
				s.argv = append(s.argv, words(args, p.member("args", args))...)
			}
			if env := c.get("env"); env != nil {
				s.env = append(s.env, settings(env, p.member("env", env))...)
			}
		}
	}

	if args := n.get("args"); args != nil && len(s.argv) > 0 {
		s.argv = append(s.argv, words(args, at.member("args", args))...)
	}
}

// words reads an array of strings; numbers and booleans count as written, a lone string is split.
func words(n *node, at *place) []word {
	if n.kind == text {
		return splitWords(word{n.text, at})
	}
	out := make([]word, 0, len(n.items))

	if n.kind == list {
		for i, item := range n.items {
			if t, ok := item.scalar(); ok {
				out = append(out, word{t, at.item(i, item)})
			}
		}
	}
	return out
}

// settings reads a map of strings, or an array of "NAME=value" strings, of "Name: value" lines or
// of pairs.
func settings(n *node, at *place) []setting {
	var out []setting
	for i, item := range n.items {
		if n.kind == list && isPair(item) {
			out = append(out, pair(item, at.item(i, item)))
			continue
		}

		t, ok := item.scalar()
		if !ok {
			continue
		}

		if n.kind == object {
			out = append(out, setting{n.keys[i], t, at.member(n.keys[i], item)})
			continue
		}

		if name, value, ok := cutLine(t); ok {
			out = append(out, setting{name, value, at.item(i, item)})
		}
	}

	return out
}

// pairNames and pairValues are the members of a pair in the dialects that write one.
var (
	pairNames  = []string{"name", "key", "variable", "header"}
	pairValues = []string{"value", "default"}
)

// isPair reports whether an object is a name with its value.
func isPair(n *node) bool {
	name, _ := firstOf(n, pairNames)
	value, _ := firstOf(n, pairValues)
	return name != nil && value != nil
}

func pair(n *node, at *place) setting {
	name, _ := firstOf(n, pairNames)
	value, key := firstOf(n, pairValues)
	return setting{name.text, value.text, at.member(key, value)}
}

// firstOf returns the first member with a scalar value, and its key.
func firstOf(n *node, keys []string) (value *node, key string) {
	for _, key := range keys {
		value := n.get(key)
		if _, ok := value.scalar(); ok {
			return value, key
		}
	}
	return nil, ""
}

// cutLine splits NAME=value or, as headers are written, Name: value.
func cutLine(t string) (name, value string, ok bool) {
	at := strings.IndexAny(t, "=:")
	if at <= 0 {
		return "", "", false
	}
	return strings.TrimSpace(t[:at]), strings.TrimSpace(t[at+1:]), true
}

func (s *server) readEndpoint(n *node, at *place) {
	for _, key := range [...]string{"url", "serverUrl", "httpUrl"} {
		if u := n.get(key); u != nil && u.kind == text {
			s.urls = append(s.urls, word{u.text, at.member(key, u)})
		}
	}

	for _, key := range [...]string{"type", "transport", "transportType"} {
		if t := n.get(key); t != nil && t.kind == text {
			s.kinds = append(s.kinds, word{t.text, at.member(key, t)})
		}
	}
}

// maxFields bounds the descent into members the package knows nothing about.
const maxFields = 4

func (s *server) readFields(name string, n *node, at *place, depth int) {
	if depth > maxFields {
		return
	}
	switch n.kind {
	case boolean:
		s.options = append(s.options, setting{name, n.text, at})
	case text, number:
		s.fields = append(s.fields, setting{name, n.text, at})
		s.options = append(s.options, setting{name, n.text, at})
	case object:
		for i, key := range n.keys {
			s.readFields(key, n.items[i], at.member(key, n.items[i]), depth+1)
		}
	case list:
		for i, item := range n.items {
			s.readFields(name, item, at.item(i, item), depth+1)
		}
	}
}
