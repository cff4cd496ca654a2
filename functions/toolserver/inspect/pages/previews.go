package pages

import (
	"slices"
	"strings"
)

// previewTags are the tags of a preview (Open Graph protocol) in the order in which they are
// reported.
var previewTags = []string{"og:title", "og:description", "og:image", "og:url", "og:type"}

// readPreview notes what the page says about its preview.
func (r *reader) readPreview() {
	r.each(func(n *node) {
		name := strings.ToLower(strings.TrimSpace(n.attr("property")))
		if name == "" {
			name = strings.ToLower(strings.TrimSpace(n.attr("name")))
		}

		content := strings.TrimSpace(n.attr("content"))
		switch name {
		case "og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src", "msapplication-tileimage":
			r.referIf(&toImage, n, "content")
		case "og:video", "og:audio":
			r.referIf(&toFile, n, "content")
		}
		if !strings.HasPrefix(name, "og:") {
			return
		}

		if name == "og:image:url" || name == "og:image:secure_url" {
			name = "og:image"
		}
		if content == "" && slices.Contains(previewTags, name) && r.site.requires("og") {
			r.wrong(r.line(n), "preview_tag_empty", name+" has no content", name)
		}

		r.preview[name] += content + " "
	}, "meta")
}

// judgePreviews reports pages without a preview, and tags that a page lacks and most pages of
// the website have.
func (s *scan) judgePreviews(list []*page) {
	if !s.site.requires("og") {
		return
	}

	usual := usualTags(list)
	for _, p := range list {
		if !p.isWhole() || p.Hidden {
			continue
		}
		if len(p.preview) == 0 {
			s.found(wrongAt(p.at(p.head), "preview_missing", "the page has no tag of Open Graph", ""))
			continue
		}

		for _, tag := range previewTags {
			if _, there := p.preview[tag]; !there && usual[tag] {
				s.found(wrongAt(p.at(p.head), "preview_tag_missing", "the page has no "+tag, tag))
			}
		}
	}
}

// usualTags are the tags that a page of the website must have: a title, a description and a
// picture that a quarter of the pages with a preview have, and what half of them have. A
// single page must have all three.
func usualTags(list []*page) set {
	usual := set{"og:title": true}
	count := map[string]int{}
	previewed := 0
	for _, p := range list {
		if len(p.preview) == 0 || !p.isWhole() {
			continue
		}

		previewed++
		for tag := range p.preview {
			count[tag]++
		}
	}

	if previewed == 1 {
		usual["og:description"] = true
		usual["og:image"] = true
		return usual
	}

	for tag, n := range count {
		shown := tag == "og:description" || tag == "og:image"
		if 2*n >= previewed || shown && 4*n >= previewed {
			usual[tag] = true
		}
	}
	return usual
}
