package pages

import (
	"regexp"
	"strings"
)

// route is a path that the server answers without a file.
type route struct {
	pattern *regexp.Regexp
}

// methods are words that may stand before the path of a route.
var methods = regexp.MustCompile(`^(?i:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|ANY|ALL)\s+`)

// parts are those of a route that stand for any text.
var parts = regexp.MustCompile(`\*\*|\*|:[A-Za-z_]\w*\*?|\{[^/{}]*\}|\[[^/\[\]]*\]`)

// readRoute reads a route such as /api/*, GET /items/{id} or /items/:id. A star at the end
// stands for everything below.
func readRoute(text string) route {
	text = methods.ReplaceAllString(strings.TrimSpace(text), "")
	if !strings.HasPrefix(text, "/") {
		text = "/" + text
	}

	var b strings.Builder
	at := 0
	for _, m := range parts.FindAllStringIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[at:m[0]]))
		b.WriteString(anyPart(text[m[0]:m[1]], m[1] == len(text)))
		at = m[1]
	}

	b.WriteString(regexp.QuoteMeta(text[at:]))
	return route{regexp.MustCompile(`^` + b.String() + `/?$`)}
}

// anyPart is the expression for a part of a route.
func anyPart(part string, last bool) string {
	star := strings.HasSuffix(part, "*")
	if part == "**" || star && last || strings.Contains(part, "...") {
		return ".*"
	}
	return "[^/]+"
}

// hostRoutes are answered by the hosts of websites.
var hostRoutes = []string{"/.netlify/", "/cdn-cgi/", "/_vercel/", "/__/", "/.auth/", "/_next/image"}

// isRoute reports whether a server answers a path without a file.
func (s *Site) isRoute(name string) bool {
	for _, each := range hostRoutes {
		if strings.HasPrefix(name, each) {
			return true
		}
	}

	for _, r := range s.routes {
		if r.pattern.MatchString(name) {
			return true
		}
	}
	return false
}
