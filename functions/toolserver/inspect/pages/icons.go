package pages

import (
	"encoding/json"
	"slices"
	"strings"
)

// isIcon reports whether a link with these relations is an icon.
func isIcon(rel []string) bool {
	return slices.ContainsFunc(rel, func(each string) bool {
		return each == "icon" || each == "mask-icon" || strings.HasPrefix(each, "apple-touch-")
	})
}

// readIcons notes the icons of the page.
func (r *reader) readIcons() {
	r.each(func(n *node) {
		rel := strings.Fields(strings.ToLower(n.attr("rel")))
		if !isIcon(rel) || strings.TrimSpace(n.attr("href")) == "" {
			return
		}

		r.icon = r.icon || slices.Contains(rel, "icon")
		r.referIf(&toIcon, n, "href")
	}, "link")
}

// judgeIcon reports a page without an icon. Browsers ask for favicon.ico where no icon is
// named.
func (s *scan) judgeIcon(p *page) {
	wanted := s.site.requires("favicon")
	if !wanted || !p.isWhole() || p.icon || s.site.isFile("favicon.ico") {
		return
	}

	s.found(wrongAt(p.at(p.head), "icon_missing", "no link has rel=icon, and there is no favicon.ico", ""))
}

// readManifest notes the icons of the manifest of an application.
func (r *reader) readManifest(text string) {
	a, ok := r.site.resolve(r.from, text)
	if !ok || !a.local || !r.site.isFile(a.path) {
		return
	}

	file := r.site.File(a.path)
	content, err := r.site.tree.Read(file)
	if err != nil {
		return
	}

	var manifest struct {
		Icons []struct {
			Src string `json:"src"`
		} `json:"icons"`
	}
	if err := json.Unmarshal(content, &manifest); err != nil {
		return // what is no manifest has no icons
	}

	for _, icon := range manifest.Icons {
		at := max(strings.Index(string(content), icon.Src), 0)
		r.references = append(r.references, reference{
			use:     &toImage,
			address: icon.Src,
			from:    []here{{path: a.path}},
			at:      place{file, linesOf(content).at(at)},
			read:    true,
		})
	}
}
