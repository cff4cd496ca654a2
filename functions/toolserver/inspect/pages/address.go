package pages

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

// address is one as a browser reads it: where it leads, seen from the website.
type address struct {
	local    bool   // to a path of the website
	path     string // from the root of the website, with a slash at its begin
	query    bool   // it has one
	fragment string // behind #, as written; "" without one
	remote   string // the whole address on another host, "" if it needs no request
}

// here is where an address is resolved from.
type here struct {
	path   string // of the page or file, from the root of the website
	remote string // where a base on another host leads, "" for none
}

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// unfinished are the signs of templates that were never filled in.
var unfinished = regexp.MustCompile(`\{\{|\{%|<%|<\?|\$\{|\}\}|%%[A-Z_]+%%|__[A-Z][A-Z_]+__`)

// blank are the characters that browsers take out of addresses.
var blank = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// resolve reads an address as a browser does. The result is false for what leads nowhere: a
// mail, a script, data, or the mark of a template.
func (s *Site) resolve(from here, text string) (address, bool) {
	text = blank.Replace(strings.Trim(text, " \t\n\r\f"))
	if unfinished.MatchString(text) {
		return address{}, false
	}

	rest, fragment, _ := strings.Cut(text, "#")
	rest, _, query := strings.Cut(rest, "?")
	rest = strings.ReplaceAll(rest, `\`, "/")

	a := address{query: query, fragment: fragment}
	if from.remote != "" && !scheme.MatchString(rest) && !strings.HasPrefix(rest, "//") {
		return address{}, false // the base leads to another host
	}
	if scheme.MatchString(rest) || strings.HasPrefix(rest, "//") {
		return s.absolute(a, rest, text)
	}

	a.local = true
	switch {
	case rest == "":
		a.path = from.path
	case strings.HasPrefix(rest, "/"):
		a.path = s.withoutBase(climb(decoded(rest)))
	default:
		a.path = s.fromPage(from.path, decoded(rest))
	}
	return a, true
}

// fromPage resolves a relative path. The path of the website on its host counts, too: enough
// steps up lead out of it.
func (s *Site) fromPage(page, rest string) string {
	above := ""
	if s.base != nil {
		above = strings.TrimSuffix(s.base.Path, "/")
	}
	return s.withoutBase(climb(above + folderOf(page) + rest))
}

// absolute reads an address with a scheme, or with a host at least. One on the host of the
// website is local.
func (s *Site) absolute(a address, rest, text string) (address, bool) {
	parsed, err := url.Parse(rest)
	if err != nil {
		return address{}, false
	}

	secure := strings.ToLower(parsed.Scheme)
	if parsed.Host == "" || secure != "" && secure != "http" && secure != "https" {
		return address{}, false
	}

	if s.base != nil && strings.EqualFold(parsed.Host, s.base.Host) {
		a.local = true
		a.path = s.withoutBase(climb("/" + strings.TrimPrefix(parsed.Path, "/")))
		return a, true
	}
	if secure == "" {
		text = "https:" + text
	}

	a.remote, _, _ = strings.Cut(text, "#")
	return a, true
}

// folderOf is the folder of a path, with a slash at both ends.
func folderOf(name string) string {
	return name[:strings.LastIndex(name, "/")+1]
}

// climb takes . and .. out of a path, as far as its root, and keeps a slash at its end.
func climb(name string) string {
	clean := path.Clean("/" + name)
	last := name[strings.LastIndex(name, "/")+1:]
	isFolder := last == "" || last == "." || last == ".."
	if isFolder && clean != "/" {
		clean += "/"
	}
	return clean
}

// decoded reads what is encoded with percent signs. What is no code stays as it is.
func decoded(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}

	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if plain, err := url.PathUnescape(text[i : i+3]); err == nil {
				b.WriteString(plain)
				i += 2
				continue
			}
		}

		b.WriteByte(text[i])
	}
	return b.String()
}
