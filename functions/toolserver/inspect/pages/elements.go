package pages

import "strings"

// set is a set of words.
type set map[string]bool

func words(list string) set {
	s := set{}
	for _, word := range strings.Fields(list) {
		s[word] = true
	}
	return s
}

// Kinds of elements (HTML standard, "Optional tags" and "Parsing").
var (
	void = words("area base br col embed hr img input link meta param source track wbr")

	ofHead = words("base link meta noscript script style template title")

	endsParagraph = words(`address article aside blockquote center details dialog dir div dl fieldset
		figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search
		section summary table ul`)

	tableParts = words("table tbody thead tfoot tr td th caption")

	// barriers keep the end tag of an element from closing what is outside of them.
	barriers = words("table td th template svg")

	blocks = words(`address article aside blockquote body br button caption center dd details dialog div dl dt
		fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li
		main menu nav noscript ol option p pre search section select summary table tbody td textarea tfoot th thead
		title tr ul`)

	// quoted are the elements with text that is shown as it is, not written for the page.
	quoted = words("code kbd pre samp tt var xmp")

	// unseen are the elements whose text is not part of the page.
	unseen = words("script style template")
)

// implied says what a tag closes: the elements, and those that keep what is in them.
var implied = map[string]struct{ closes, stays []string }{
	"li":       {[]string{"li"}, []string{"ul", "ol", "menu"}},
	"dt":       {[]string{"dt", "dd"}, []string{"dl"}},
	"dd":       {[]string{"dt", "dd"}, []string{"dl"}},
	"td":       {[]string{"td", "th"}, []string{"tr", "table"}},
	"th":       {[]string{"td", "th"}, []string{"tr", "table"}},
	"tr":       {[]string{"tr"}, []string{"table"}},
	"tbody":    {[]string{"caption", "colgroup", "thead", "tbody", "tfoot"}, []string{"table"}},
	"thead":    {[]string{"caption", "colgroup", "thead", "tbody", "tfoot"}, []string{"table"}},
	"tfoot":    {[]string{"caption", "colgroup", "thead", "tbody", "tfoot"}, []string{"table"}},
	"option":   {[]string{"option"}, []string{"select", "datalist", "optgroup"}},
	"optgroup": {[]string{"option", "optgroup"}, []string{"select"}},
}

// isHeading reports whether a tag is that of a heading.
func isHeading(tag string) bool {
	return len(tag) == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6'
}

// isHidden reports whether an element, or one around it, is not shown or only decorates.
func isHidden(n *node) bool {
	for ; n != nil; n = n.parent {
		if n.tag == "template" || n.has("hidden") || n.attr("aria-hidden") == "true" {
			return true
		}
	}
	return false
}
