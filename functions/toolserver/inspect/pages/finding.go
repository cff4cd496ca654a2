package pages

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"governance.internal/functions/toolserver/guard/mask"
)

// Severities.
const (
	Error = "error"
	Warn  = "warn"
	Info  = "info"
)

// Types of findings.
const (
	BrokenLink      = "broken_link"
	BrokenFetch     = "broken_fetch"
	NoMobileMenu    = "no_mobile_menu"
	PlaceholderText = "placeholder_text"
	MissingImage    = "missing_image"
	MissingAlt      = "missing_alt"
	MissingAnchor   = "missing_anchor"
	StaleLink       = "stale_link"
	MissingOGTag    = "missing_og_tag"
	MissingFavicon  = "missing_favicon"
	JSSyntax        = "js_syntax"
	EmptySection    = "empty_section"
	ParseError      = "parse_error"
)

// Finding is one thing that is wrong with a page, or with a file that pages load.
type Finding struct {
	ID          string `json:"id"` // of the rule
	Type        string `json:"type"`
	Severity    string `json:"severity"`
	Page        string `json:"page"` // the file, from the root of the website
	Path        string `json:"path"` // the file, from the root of the workspace
	Line        int    `json:"line"`
	Message     string `json:"message"`
	Detail      string `json:"detail"`
	Hint        string `json:"hint"`
	Evidence    string `json:"evidence"` // what stands there, without secrets
	Fingerprint string `json:"fingerprint"`
}

// rule says what a finding means.
type rule struct {
	kind     string
	severity string
	message  string
	hint     string
}

// rules are all rules by their ids.
var rules = map[string]rule{
	"link_dead":             {BrokenLink, Error, "A link leads to nothing.", "Correct the address, or write the page; a route of the server belongs into website.routes."},
	"link_case":             {BrokenLink, Error, "A link differs from the name of the file in its letters.", "Write the address as the file is named: most servers tell the cases apart."},
	"folder_without_index":  {BrokenLink, Error, "A link leads to a folder without an index.", "Write the index of the folder, or link to one of its pages."},
	"resource_dead":         {BrokenLink, Error, "A file that is loaded does not exist.", "Correct the address, or add the file."},
	"resource_case":         {BrokenLink, Error, "An address differs from the name of the file in its letters.", "Write the address as the file is named: most servers tell the cases apart."},
	"redirect_dead":         {BrokenLink, Error, "A redirect leads to nothing.", "Lead it to a page that exists."},
	"anchor_missing":        {MissingAnchor, Warn, "A link leads to a place that the page does not have.", "Give the place this id, or correct the part behind #."},
	"image_dead":            {MissingImage, Error, "A picture does not exist.", "Correct the address, or add the picture."},
	"image_case":            {MissingImage, Error, "The address of a picture differs from the name of the file in its letters.", "Write the address as the file is named: most servers tell the cases apart."},
	"image_without_address": {MissingImage, Error, "A picture has no address.", "Write its address into src."},
	"image_without_text":    {MissingAlt, Info, "A picture has no text for those who do not see it.", `Describe it in alt; alt="" says that it only decorates.`},
	"icon_dead":             {MissingFavicon, Warn, "The icon of the page does not exist.", "Correct the address, or add the icon."},
	"icon_missing":          {MissingFavicon, Warn, "The page has no icon.", `Add <link rel="icon" href="…">, or a favicon.ico in the root of the website.`},
	"fetch_dead":            {BrokenFetch, Error, "A script asks for something that does not exist.", "Correct the address, or declare it in website.routes."},
	"module_dead":           {BrokenFetch, Error, "A module that is imported does not exist.", "Correct the address, with the ending of the file."},
	"module_unknown":        {BrokenFetch, Error, "A module has a bare name that no import map resolves.", "Add the name to the import map, or import it by its address."},
	"viewport_missing":      {NoMobileMenu, Warn, "The page does not adapt to the screen of a phone.", `Add <meta name="viewport" content="width=device-width, initial-scale=1">.`},
	"menu_without_toggle":   {NoMobileMenu, Warn, "Nothing opens the navigation on a phone.", "Add a button that opens it, or a rule for narrow screens."},
	"placeholder":           {PlaceholderText, Warn, "A text was never written.", "Write the text, or remove the element."},
	"link_aged":             {StaleLink, Warn, "A link leads to a page that is long out of date.", "Bring the page up to date, or link to a newer one."},
	"link_redirected":       {StaleLink, Warn, "A link leads to an old address.", "Link to where the redirect leads."},
	"preview_missing":       {MissingOGTag, Warn, "The page has no preview.", "Add og:title, og:description and og:image."},
	"preview_tag_missing":   {MissingOGTag, Warn, "A tag of the preview is missing.", "Add the tag to the head of the page."},
	"preview_tag_empty":     {MissingOGTag, Warn, "A tag of the preview is empty.", "Fill in its content."},
	"script_syntax":         {JSSyntax, Warn, "A script cannot be parsed, so none of it runs.", "Correct the script where the parser stops, or shortly before."},
	"data_syntax":           {JSSyntax, Warn, "Data in a script element is no valid JSON.", "Correct the JSON where the parser stops."},
	"section_empty":         {EmptySection, Warn, "A section is empty.", "Fill it, or remove it."},
	"heading_empty":         {EmptySection, Warn, "Nothing follows a heading.", "Write the text, or remove the heading."},
	"too_deep":              {ParseError, Warn, "The elements are nested so deep that browsers flatten them.", "Close the elements that are left open."},
}

// place is a line of a file of the workspace.
type place struct {
	file string
	line int
}

// finding makes the finding of a rule. Evidence is what stands at the place.
func finding(at place, id, detail, evidence string) Finding {
	return Finding{
		ID:       id,
		Path:     at.file,
		Line:     at.line,
		Detail:   detail,
		Evidence: evidence,
	}
}

// found completes a finding and adds it to the report, once for a place.
func (s *scan) found(f Finding) {
	r := rules[f.ID]
	f.Type = r.kind
	f.Severity = r.severity
	f.Message = r.message
	f.Hint = r.hint
	f.Page = s.site.nameOf(f.Path)
	f.Detail = mask.Text(shortened(f.Detail))
	f.Evidence = mask.Text(shortened(f.Evidence))

	same := fmt.Sprint(f.ID, "\x00", f.Path, "\x00", f.Line, "\x00", f.Evidence)
	if s.reported == nil {
		s.reported = map[string]bool{}
	}
	if s.reported[same] {
		return
	}
	s.reported[same] = true
	s.report.Findings = append(s.report.Findings, f)
}

// maxShown bounds a text of a finding, in bytes.
const maxShown = 240

// shortened is a text in one line, cut where it is long.
func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxShown {
		return text
	}
	end := maxShown
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// sort puts the findings in the order of their places, and gives each its fingerprint, which
// stays the same when lines move.
func (r *Report) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.Path, b.Path),
			cmp.Compare(a.Line, b.Line),
			strings.Compare(a.ID, b.ID),
			strings.Compare(a.Evidence, b.Evidence),
			strings.Compare(a.Detail, b.Detail),
		)
	})

	seen := map[string]int{}
	for i, f := range r.Findings {
		what := strings.Join([]string{f.ID, f.Path, f.Evidence}, "\x00")
		seen[what]++
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", what, seen[what]))
		r.Findings[i].Fingerprint = hex.EncodeToString(sum[:10])
	}
}

// Found reports whether something is wrong. What is only worth knowing is not.
func (r *Report) Found() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Severity != Info
	})
}
