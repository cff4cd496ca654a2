package pages

import (
	"bytes"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// redirectFile holds the redirects of a website, in the format of Netlify, Cloudflare Pages
// and others: a path, where it leads, and the status.
const redirectFile = "_redirects"

// redirect is a line of a redirect file.
type redirect struct {
	from    *regexp.Regexp
	names   []string // of the parts of from
	to      string
	status  int
	line    int
	limited bool // to requests that meet a condition
}

// rewrites reports whether a redirect answers with the content of its target.
func (r redirect) rewrites() bool {
	return r.status == 200
}

// readRedirects reads the redirects of the website.
func (s *scan) readRedirects() []redirect {
	text, err := s.site.tree.Read(s.site.File(redirectFile))
	if err != nil {
		return nil
	}

	var list []redirect
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if r, ok := readRedirect(string(line)); ok {
			r.line = number
			list = append(list, r)
		}
	}
	return list
}

// readRedirect reads one line.
func readRedirect(line string) (redirect, bool) {
	line, _, _ = strings.Cut(line, " #")
	words := strings.Fields(line)
	if len(words) < 2 || !strings.HasPrefix(words[0], "/") {
		return redirect{}, false
	}

	r := redirect{status: 301}
	for _, word := range words[1:] {
		status, err := strconv.Atoi(strings.TrimSuffix(word, "!"))
		switch {
		case err == nil:
			r.status = status
		case strings.Contains(word, "=") && !strings.ContainsAny(word, "/?"):
			r.limited = true
		case r.to == "":
			r.to = word
		}
	}

	r.from, r.names = pathPattern(words[0])
	return r, r.to != ""
}

var placeholder = regexp.MustCompile(`\*|:[A-Za-z_]\w*`)

// pathPattern reads a path with :names and a star.
func pathPattern(text string) (*regexp.Regexp, []string) {
	var names []string
	var b strings.Builder
	at := 0
	for _, m := range placeholder.FindAllStringIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[at:m[0]]))
		at = m[1]
		if name := text[m[0]:m[1]]; name != "*" {
			names = append(names, name)
			b.WriteString("([^/]+)")
			continue
		}

		names = append(names, ":splat")
		b.WriteString("(.*)")
	}

	b.WriteString(regexp.QuoteMeta(text[at:]))
	return regexp.MustCompile(`^` + strings.TrimSuffix(b.String(), "/") + `/?$`), names
}

// target is where a redirect leads a path, "" if it is not about the path.
func (r redirect) target(name string) string {
	found := r.from.FindStringSubmatch(name)
	if found == nil {
		return ""
	}

	to := r.to
	for i, each := range r.names {
		to = strings.ReplaceAll(to, each, found[i+1])
	}
	return to
}

// redirected finds the redirect that answers a path for which there is no file.
func (s *scan) redirected(name string) (redirect, string, bool) {
	for _, r := range s.redirects {
		if r.limited || r.status >= 400 {
			continue
		}
		if to := r.target(name); to != "" {
			return r, to, true
		}
	}
	return redirect{}, "", false
}

// maxHops bounds a chain of redirects.
const maxHops = 5

// leads reports whether an address of a redirect leads to something.
func (s *scan) leads(to string, hops int) bool {
	a, ok := s.site.resolve(here{path: "/"}, to)
	if !ok || !a.local {
		return true // to another host, which is not asked
	}
	if s.site.FileAt(a.path) != "" || s.site.isRoute(a.path) {
		return true
	}

	_, next, ok := s.redirected(a.path)
	return ok && hops < maxHops && s.leads(next, hops+1)
}

// judgeRedirects reports the redirects that lead to nothing.
func (s *scan) judgeRedirects() {
	file := path.Join(s.site.root, redirectFile)
	for _, r := range s.redirects {
		if r.status >= 400 || r.varies() || s.leads(r.to, 0) {
			continue
		}

		s.found(wrongAt(place{file, r.line}, "redirect_dead", "the redirect leads to "+r.to+", which does not exist", r.to))
	}
}

// varies reports whether a redirect leads to different places.
func (r redirect) varies() bool {
	return placeholder.MatchString(r.to)
}
