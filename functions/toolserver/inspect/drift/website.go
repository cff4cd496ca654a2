package drift

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/document"
)

// Types of drifts of a website.
const (
	SitemapMissing    = "sitemap_missing"
	SitemapUnreadable = "sitemap_unreadable"
	PageNotInSitemap  = "page_not_in_sitemap"
	SitemapDead       = "sitemap_entry_without_page"
	CanonicalHost     = "canonical_host_mismatch"
)

// website compares the pages with the facts that they state, with the sitemap and with the
// address of the site.
func (s *scan) website(ctx context.Context) (Result, error) {
	var r Result
	counts, err := s.countFindings(ctx)
	if err != nil {
		return r, err
	}
	r.addFindings(counts, CountMismatch, func(file string) bool { return !s.isDoc(file) })

	if s.state.Config.Website.Root == "" {
		if r.Checked == 0 {
			r.skip(Website, "no website is described", enable("website"))
		}
		return r, nil
	}

	pages, err := s.pages(ctx)
	if err != nil {
		return r, err
	}
	versions, err := s.versionFindings(ctx)
	if err != nil {
		return r, err
	}
	isPage := func(file string) bool { return slices.Contains(pages, file) }
	versions.Problems = nil // scope versions reports them
	r.addFindings(versions, VersionMismatch, isPage)

	site := s.site(ctx, &r, pages)
	s.sitemap(&r, site)
	s.canonical(&r, site)
	if r.Checked == 0 && len(r.Skipped) == 0 {
		r.skip(Website, "the website has no page", enable("website.root and website.pages"))
	}
	return r, nil
}

// pages are the files of the website that are pages, from the root of the workspace.
func (s *scan) pages(ctx context.Context) ([]string, error) {
	w := s.state.Config.Website
	globs := w.Pages
	if len(globs) == 0 {
		globs = []workspace.Glob{{Pattern: "**/*.html"}}
	}

	all, err := s.tree.Matching(ctx, below(w.Root, globs))
	if err != nil {
		return nil, err
	}
	excluded, err := s.tree.Matching(ctx, below(w.Root, w.Exclude))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(excluded, name) }), nil
}

// below puts a folder before patterns.
func below(folder string, globs []workspace.Glob) []workspace.Glob {
	var list []workspace.Glob
	for _, g := range globs {
		g.Pattern = path.Join(folder, g.Pattern)
		list = append(list, g)
	}
	return list
}

// page is what the comparison needs of a page.
type page struct {
	file          string // from the root of the workspace
	name          string // from the root of the website
	hidden        bool   // from search engines, or it only leads elsewhere
	canonical     string
	canonicalLine int
}

func (s *scan) site(ctx context.Context, r *Result, files []string) []page {
	var list []page
	for _, file := range files {
		if ctx.Err() != nil {
			return list
		}
		text, err := s.tree.Read(file)
		if err != nil {
			r.skip("website."+file, err.Error(), "")
			continue
		}

		p := readPage(text)
		p.file = file
		p.name = strings.TrimPrefix(strings.TrimPrefix(file, path.Clean(s.state.Config.Website.Root)), "/")
		if base := path.Base(p.name); base == "404.html" || base == "500.html" {
			p.hidden = true
		}
		list = append(list, p)
	}
	return list
}

// readPage reads the head of a page.
func readPage(text []byte) page {
	var p page
	tokens := html.NewTokenizer(bytes.NewReader(text))
	at := 0
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return p
		}
		begin := at
		at += len(tokens.Raw())
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}

		token := tokens.Token()
		switch token.DataAtom {
		case atom.Link:
			if slices.Contains(strings.Fields(strings.ToLower(attribute(token, "rel"))), "canonical") {
				p.canonical = attribute(token, "href")
				p.canonicalLine = document.LineOf(text, begin)
			}
		case atom.Meta:
			name := strings.ToLower(attribute(token, "name"))
			content := strings.ToLower(attribute(token, "content"))
			refresh := strings.EqualFold(attribute(token, "http-equiv"), "refresh")
			if refresh || name == "robots" && strings.Contains(content, "noindex") {
				p.hidden = true
			}
		}
	}
}

func attribute(token html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// sitemap compares the addresses of the sitemap with the pages.
func (s *scan) sitemap(r *Result, site []page) {
	w := s.state.Config.Website
	name := w.Sitemap
	if name == "" {
		if s.tree.IsFile(path.Join(w.Root, "sitemap.xml")) {
			name = "sitemap.xml"
		} else {
			return
		}
	}
	base, err := url.Parse(w.BaseURL)
	if err != nil || base.Host == "" {
		r.skip("website.sitemap", "website.base_url is not set, so addresses cannot be compared", "Set website.base_url.")
		return
	}

	file := path.Join(w.Root, name)
	entries, err := s.readSitemap(file, 0)
	if err != nil {
		kind := SitemapUnreadable
		if errors.Is(err, fs.ErrNotExist) {
			kind = SitemapMissing
		}
		r.Checked++
		r.found(Drift{
			Type:     kind,
			Source:   workspace.FileName,
			Target:   file,
			Field:    "sitemap",
			Severity: Error,
			Message:  "the sitemap cannot be read: " + err.Error(),
		})
		return
	}
	s.compareSitemap(r, file, base, entries, site)
}

// location is an address in a sitemap.
type location struct {
	url  string
	file string // of the sitemap
	line int
}

// maxSitemaps bounds how deep sitemaps name further ones.
const maxSitemaps = 2

// readSitemap reads a sitemap, and those that it names.
func (s *scan) readSitemap(file string, depth int) ([]location, error) {
	text, err := s.tree.Read(file)
	if err != nil {
		return nil, err
	}

	var list []location
	decoder := xml.NewDecoder(bytes.NewReader(text))
	inside := ""
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}

		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "url", "sitemap":
			inside = start.Name.Local
		case "loc":
			line := document.LineOf(text, int(decoder.InputOffset()))
			var address string
			if err := decoder.DecodeElement(&address, &start); err != nil {
				return nil, err
			}
			address = strings.TrimSpace(address)
			if inside == "sitemap" && depth < maxSitemaps {
				further, err := s.readSitemap(s.fileOf(address), depth+1)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", address, err)
				}
				list = append(list, further...)
				continue
			}
			list = append(list, location{address, file, line})
		}
	}
}

// fileOf is the file of the website at an address.
func (s *scan) fileOf(address string) string {
	w := s.state.Config.Website
	rest := strings.TrimPrefix(address, strings.TrimSuffix(w.BaseURL, "/"))
	if parsed, err := url.Parse(rest); err == nil {
		rest = parsed.Path
	}
	return path.Join(w.Root, path.Clean("/"+rest))
}

func (s *scan) compareSitemap(r *Result, file string, base *url.URL, entries []location, site []page) {
	listed := map[string]bool{} // files of pages
	for _, e := range entries {
		address, err := url.Parse(e.url)
		if err != nil || !strings.EqualFold(address.Host, base.Host) {
			continue // of another site
		}

		r.Checked++
		found := s.pageAt(base, address)
		if found != "" {
			listed[found] = true
			continue
		}
		r.found(Drift{
			Type:     SitemapDead,
			Source:   s.state.Config.Website.Root,
			Target:   e.file,
			Field:    "loc",
			Found:    e.url,
			Severity: Error,
			Line:     e.line,
			Message:  "the sitemap names " + e.url + ", and there is no such page",
		})
	}

	for _, p := range site {
		if p.hidden {
			continue
		}
		r.Checked++
		if !listed[p.file] {
			r.found(Drift{
				Type:     PageNotInSitemap,
				Source:   file,
				Target:   p.file,
				Field:    "sitemap",
				Expected: p.name,
				Severity: Error,
				Message:  "the sitemap does not name the page " + p.name,
			})
		}
	}
}

// pageAt is the file that a server answers an address with, "" for none.
func (s *scan) pageAt(base, address *url.URL) string {
	rest := strings.TrimPrefix(address.Path, strings.TrimSuffix(base.Path, "/"))
	name := path.Join(s.state.Config.Website.Root, path.Clean("/"+rest))

	candidates := []string{name, name + ".html", name + ".htm"}
	index := s.state.Config.Website.Index
	if len(index) == 0 {
		index = []string{"index.html", "index.htm"}
	}
	for _, each := range index {
		candidates = append(candidates, path.Join(name, each))
	}
	if strings.HasSuffix(rest, "/") {
		candidates = append(candidates[3:], candidates[:3]...)
	}

	for _, each := range candidates {
		if s.tree.IsFile(each) {
			return each
		}
	}
	return ""
}

// canonical compares the host of canonical links with that of the site.
func (s *scan) canonical(r *Result, site []page) {
	base, err := url.Parse(s.state.Config.Website.BaseURL)
	if err != nil || base.Host == "" {
		return
	}

	for _, p := range site {
		if p.canonical == "" {
			continue
		}
		r.Checked++
		address, err := url.Parse(p.canonical)
		if err == nil && (address.Host == "" || strings.EqualFold(address.Host, base.Host)) {
			continue
		}
		r.found(Drift{
			Type:     CanonicalHost,
			Source:   workspace.FileName,
			Target:   p.file,
			Field:    "canonical",
			Expected: base.Host,
			Found:    p.canonical,
			Severity: Error,
			Line:     p.canonicalLine,
			Message:  "the canonical link leads to another host than " + base.Host,
		})
	}
}
