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

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/document"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/pages"
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

	site := pages.Of(s.tree)
	files, err := site.Pages(ctx)
	if err != nil {
		return r, err
	}
	versions, err := s.versionFindings(ctx)
	if err != nil {
		return r, err
	}
	isPage := func(file string) bool { return slices.Contains(files, file) }
	versions.Problems = nil // scope versions reports them
	r.addFindings(versions, VersionMismatch, isPage)

	list := s.readPages(ctx, &r, site, files)
	s.sitemap(&r, site, list)
	s.canonical(&r, site, list)
	if r.Checked == 0 && len(r.Skipped) == 0 {
		r.skip(Website, "the website has no page", enable("website.root and website.pages"))
	}
	return r, nil
}

// page is what the comparison needs of a page.
type page struct {
	pages.Head
	file string // from the root of the workspace
	name string // from the root of the website
}

// readPages reads the heads of the pages.
func (s *scan) readPages(ctx context.Context, r *Result, site *pages.Site, files []string) []page {
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

		p := page{
			Head: pages.ReadHead(text),
			file: file,
			name: site.NameOf(file),
		}
		if base := path.Base(p.name); base == "404.html" || base == "500.html" {
			p.Hidden = true
		}
		list = append(list, p)
	}
	return list
}

// sitemap compares the addresses of the sitemap with the pages.
func (s *scan) sitemap(r *Result, site *pages.Site, list []page) {
	w := s.state.Config.Website
	name := w.Sitemap
	if name == "" {
		if s.tree.IsFile(path.Join(w.Root, "sitemap.xml")) {
			name = "sitemap.xml"
		} else {
			return
		}
	}
	if site.Base() == nil {
		r.skip("website.sitemap", "website.base_url is not set, so addresses cannot be compared", "Set website.base_url.")
		return
	}

	file := path.Join(w.Root, name)
	entries, err := s.readSitemap(site, file, 0)
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
			Severity: finding.Error,
			Message:  "the sitemap cannot be read: " + err.Error(),
		})
		return
	}
	s.compareSitemap(r, file, site, entries, list)
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
func (s *scan) readSitemap(site *pages.Site, file string, depth int) ([]location, error) {
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
				further, err := s.readSitemap(site, sitemapAt(site, address), depth+1)
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

// sitemapAt is the file of a sitemap at an address.
func sitemapAt(site *pages.Site, address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return site.File(address)
	}
	return site.File(site.Local(parsed))
}

func (s *scan) compareSitemap(r *Result, file string, site *pages.Site, entries []location, list []page) {
	listed := map[string]bool{} // files of pages
	for _, e := range entries {
		address, err := url.Parse(e.url)
		if err != nil || !strings.EqualFold(address.Host, site.Base().Host) {
			continue // of another site
		}

		r.Checked++
		found := site.FileAt(site.Local(address))
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
			Severity: finding.Error,
			Line:     e.line,
			Message:  "the sitemap names " + e.url + ", and there is no such page",
		})
	}

	for _, p := range list {
		if p.Hidden {
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
				Severity: finding.Error,
				Message:  "the sitemap does not name the page " + p.name,
			})
		}
	}
}

// canonical compares the host of canonical links with that of the site.
func (s *scan) canonical(r *Result, site *pages.Site, list []page) {
	base := site.Base()
	if base == nil {
		return
	}

	for _, p := range list {
		if p.Canonical == "" {
			continue
		}
		r.Checked++
		address, err := url.Parse(p.Canonical)
		if err == nil && (address.Host == "" || strings.EqualFold(address.Host, base.Host)) {
			continue
		}
		r.found(Drift{
			Type:     CanonicalHost,
			Source:   workspace.FileName,
			Target:   p.file,
			Field:    "canonical",
			Expected: base.Host,
			Found:    p.Canonical,
			Severity: finding.Error,
			Line:     p.CanonicalLine,
			Message:  "the canonical link leads to another host than " + base.Host,
		})
	}
}
