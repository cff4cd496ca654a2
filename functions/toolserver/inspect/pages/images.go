package pages

import (
	"path"
	"strings"
)

// readImages notes the addresses of pictures.
func (r *reader) readImages() {
	for _, n := range r.elements {
		switch n.tag {
		case "img", "image":
			r.readImage(n)
		case "source":
			r.readSources(n, "srcset")
			r.readSources(n, "data-srcset")
		case "video":
			r.referIf(&toImage, n, "poster")
		case "input":
			if strings.EqualFold(n.attr("type"), "image") {
				r.referIf(&toImage, n, "src")
			}
		case "use":
			r.referIf(&toSymbol, n, "href")
			r.referIf(&toSymbol, n, "xlink:href")
		case "body", "table", "td", "th":
			r.referIf(&toImage, n, "background")
		}
	}
}

// readImage notes the addresses of one picture.
func (r *reader) readImage(n *node) {
	for _, name := range []string{"src", "data-src", "href", "xlink:href"} {
		r.referIf(&toImage, n, name)
	}

	r.readSources(n, "srcset")
	r.readSources(n, "data-srcset")
	if n.tag == "image" {
		return
	}

	r.checkAddress(n)
	decorates := n.attr("role") == "presentation" || n.attr("role") == "none" || isHidden(n)
	if !n.has("alt") && !decorates {
		r.wrong(r.line(n), "image_without_text", "the picture has no alt", n.attr("src"))
	}
}

// checkAddress reports a picture without an address. A script may give it one later.
func (r *reader) checkAddress(n *node) {
	if strings.TrimSpace(n.attr("src")) != "" || n.has("srcset") || loadsLate(n) || r.scripted(n) || n.within("picture") != nil {
		return
	}

	line := r.line(n)
	if a, ok := n.attribute("src"); ok {
		line = r.lines.at(a.at)
	}

	r.wrong(line, "image_without_address", "the picture has no src, or an empty one", `src="`+n.attr("src")+`"`)
}

// loadsLate reports whether a script gives a picture its address later.
func loadsLate(n *node) bool {
	for _, a := range n.attributes {
		if strings.HasPrefix(a.name, "data-") || strings.HasPrefix(a.name, ":") || strings.HasPrefix(a.name, "v-") || strings.HasPrefix(a.name, "x-") {
			return true
		}
	}
	return false
}

// readSources notes the addresses of a list of pictures.
func (r *reader) readSources(n *node, name string) {
	if !n.has(name) || unfinished.MatchString(n.attr(name)) {
		return
	}

	for _, each := range sourcesIn(n.attr(name)) {
		r.refer(&toImage, n, name, each)
	}
}

// sourcesIn are the addresses of a srcset: each up to a blank, and what follows it up to a
// comma says for which screen it is.
func sourcesIn(text string) []string {
	var list []string
	for {
		text = strings.TrimLeft(text, " \t\n\r\f,")
		if text == "" {
			return list
		}

		end := strings.IndexAny(text, " \t\n\r\f")
		if end < 0 {
			end = len(text)
		}

		address := text[:end]
		text = text[end:]
		bare := strings.TrimRight(address, ",")
		if !strings.HasPrefix(bare, "data:") {
			list = append(list, splitGlued(bare)...)
		}
		if bare == address {
			_, text, _ = strings.Cut(text, ",")
		}
	}
}

// splitGlued splits addresses between which only a comma stands, where the part before the
// comma ends like a picture.
func splitGlued(text string) []string {
	var list []string
	for {
		at := strings.Index(text, ",")
		if at < 0 || !isPicture(text[:at]) {
			return append(list, text)
		}

		list = append(list, text[:at])
		text = text[at+1:]
	}
}

var pictures = words(".apng .avif .bmp .gif .ico .jfif .jpeg .jpg .jxl .png .svg .tif .tiff .webp")

// isPicture reports whether an address ends like that of a picture.
func isPicture(address string) bool {
	bare, _, _ := strings.Cut(address, "#")
	bare, _, _ = strings.Cut(bare, "?")
	return pictures[strings.ToLower(path.Ext(bare))]
}

// readPreloadedImages notes the pictures that a link element loads ahead.
func (r *reader) readPreloadedImages(n *node) {
	r.readSources(n, "imagesrcset")
}
