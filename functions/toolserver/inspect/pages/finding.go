package pages

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/inspect/finding"
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
	finding.Finding
	Type   string `json:"type"`
	Page   string `json:"page"`   // that it is in, or that loads the file; from the root of the website
	Detail string `json:"detail"` // of this place
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
	"link_dead": {
		kind:     BrokenLink,
		severity: finding.Error,
		message:  "A link leads to nothing.",
		hint:     "Correct the address, or write the page; a route of the server belongs into website.routes.",
	},
	"link_case": {
		kind:     BrokenLink,
		severity: finding.Error,
		message:  "A link differs from the name of the file in its letters.",
		hint:     "Write the address as the file is named: most servers tell the cases apart.",
	},
	"folder_without_index": {
		kind:     BrokenLink,
		severity: finding.Error,
		message:  "A link leads to a folder without an index.",
		hint:     "Write the index of the folder, or link to one of its pages.",
	},
	"resource_dead": {
		kind:     BrokenLink,
		severity: finding.Error,
		message:  "A file that is loaded does not exist.",
		hint:     "Correct the address, or add the file.",
	},
	"resource_case": {
		kind:     BrokenLink,
		severity: finding.Error,
		message:  "An address differs from the name of the file in its letters.",
		hint:     "Write the address as the file is named: most servers tell the cases apart.",
	},
	"redirect_dead": {
		kind:     BrokenLink,
		severity: finding.Error,
		message:  "A redirect leads to nothing.",
		hint:     "Lead it to a page that exists.",
	},
	"anchor_missing": {
		kind:     MissingAnchor,
		severity: finding.Warn,
		message:  "A link leads to a place that the page does not have.",
		hint:     "Give the place this id, or correct the part behind #.",
	},
	"image_dead": {
		kind:     MissingImage,
		severity: finding.Error,
		message:  "A picture does not exist.",
		hint:     "Correct the address, or add the picture.",
	},
	"image_case": {
		kind:     MissingImage,
		severity: finding.Error,
		message:  "The address of a picture differs from the name of the file in its letters.",
		hint:     "Write the address as the file is named: most servers tell the cases apart.",
	},
	"image_without_address": {
		kind:     MissingImage,
		severity: finding.Error,
		message:  "A picture has no address.",
		hint:     "Write its address into src.",
	},
	"image_without_text": {
		kind:     MissingAlt,
		severity: finding.Info,
		message:  "A picture has no text for those who do not see it.",
		hint:     `Describe it in alt; alt="" says that it only decorates.`,
	},
	"icon_dead": {
		kind:     MissingFavicon,
		severity: finding.Warn,
		message:  "The icon of the page does not exist.",
		hint:     "Correct the address, or add the icon.",
	},
	"icon_missing": {
		kind:     MissingFavicon,
		severity: finding.Warn,
		message:  "The page has no icon.",
		hint:     `Add <link rel="icon" href="…">, or a favicon.ico in the root of the website.`,
	},
	"fetch_dead": {
		kind:     BrokenFetch,
		severity: finding.Error,
		message:  "A script asks for something that does not exist.",
		hint:     "Correct the address, or declare it in website.routes.",
	},
	"module_dead": {
		kind:     BrokenFetch,
		severity: finding.Error,
		message:  "A module that is imported does not exist.",
		hint:     "Correct the address, with the ending of the file.",
	},
	"module_unknown": {
		kind:     BrokenFetch,
		severity: finding.Error,
		message:  "A module has a bare name that no import map resolves.",
		hint:     "Add the name to the import map, or import it by its address.",
	},
	"viewport_missing": {
		kind:     NoMobileMenu,
		severity: finding.Warn,
		message:  "The page does not adapt to the screen of a phone.",
		hint:     `Add <meta name="viewport" content="width=device-width, initial-scale=1">.`,
	},
	"menu_without_toggle": {
		kind:     NoMobileMenu,
		severity: finding.Warn,
		message:  "Nothing opens the navigation on a phone.",
		hint:     "Add a button that opens it, or a rule for narrow screens.",
	},
	"placeholder": {
		kind:     PlaceholderText,
		severity: finding.Warn,
		message:  "A text was never written.",
		hint:     "Write the text, or remove the element.",
	},
	"link_aged": {
		kind:     StaleLink,
		severity: finding.Warn,
		message:  "A link leads to a page that is long out of date.",
		hint:     "Bring the page up to date, or link to a newer one.",
	},
	"link_redirected": {
		kind:     StaleLink,
		severity: finding.Warn,
		message:  "A link leads to an old address.",
		hint:     "Link to where the redirect leads.",
	},
	"preview_missing": {
		kind:     MissingOGTag,
		severity: finding.Warn,
		message:  "The page has no preview.",
		hint:     "Add og:title, og:description and og:image.",
	},
	"preview_tag_missing": {
		kind:     MissingOGTag,
		severity: finding.Warn,
		message:  "A tag of the preview is missing.",
		hint:     "Add the tag to the head of the page.",
	},
	"preview_tag_empty": {
		kind:     MissingOGTag,
		severity: finding.Warn,
		message:  "A tag of the preview is empty.",
		hint:     "Fill in its content.",
	},
	"script_syntax": {
		kind:     JSSyntax,
		severity: finding.Warn,
		message:  "A script cannot be parsed, so none of it runs.",
		hint:     "Correct the script where the parser stops, or shortly before.",
	},
	"data_syntax": {
		kind:     JSSyntax,
		severity: finding.Warn,
		message:  "Data in a script element is no valid JSON.",
		hint:     "Correct the JSON where the parser stops.",
	},
	"section_empty": {
		kind:     EmptySection,
		severity: finding.Warn,
		message:  "A section is empty.",
		hint:     "Fill it, or remove it.",
	},
	"heading_empty": {
		kind:     EmptySection,
		severity: finding.Warn,
		message:  "Nothing follows a heading.",
		hint:     "Write the text, or remove the heading.",
	},
	"too_deep": {
		kind:     ParseError,
		severity: finding.Warn,
		message:  "The elements are nested so deep that browsers flatten them.",
		hint:     "Close the elements that are left open.",
	},
}

// place is a line of a file of the workspace.
type place struct {
	file string
	line int
}

// wrongAt makes the finding of a rule. Evidence is what stands at the place.
func wrongAt(at place, id, detail, evidence string) Finding {
	var f Finding
	f.Rule = id
	f.Path = at.file
	f.Line = at.line
	f.Detail = detail
	f.Evidence = evidence
	return f
}

// found completes a finding and adds it to the report, once for a place.
func (s *scan) found(f Finding) {
	r := rules[f.Rule]
	f.Type = r.kind
	f.Check = r.kind
	f.Severity = r.severity
	f.Message = r.message
	f.Hint = r.hint
	f.Page = s.site.NameOf(s.pageOf(f.Path))
	f.Detail = mask.Text(shortened(f.Detail))
	f.Evidence = mask.Text(shortened(f.Evidence))
	f.Key = f.Evidence

	same := place{f.Rule + "\x00" + f.Path + "\x00" + f.Key, f.Line}
	if s.reported[same] {
		return
	}

	s.reported[same] = true
	s.report.Findings = append(s.report.Findings, f)
}

// pageOf is the page that a file is, or that loads it: an index if one does.
func (s *scan) pageOf(file string) string {
	var users []string
	if each := s.scripts[file]; each != nil {
		users = each.users
	}
	if each := s.sheets[file]; each != nil {
		users = each.users
	}
	if len(users) == 0 {
		return file
	}

	for _, user := range users {
		if strings.HasPrefix(path.Base(user), "index.") {
			return user
		}
	}
	return users[0]
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

// complete puts the findings in the order of their places, and gives each its fingerprint,
// which stays the same when lines move.
func (r *Report) complete() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.Path, b.Path),
			cmp.Compare(a.Line, b.Line),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Key, b.Key),
			strings.Compare(a.Detail, b.Detail),
		)
	})

	var list []finding.Finding
	for _, f := range r.Findings {
		list = append(list, f.Finding)
	}

	for i, f := range finding.Complete(list) { // keeps this order
		r.Findings[i].Finding = f
	}
}

// Wrong is the number of findings that are more than worth knowing.
func (r *Report) Wrong() int {
	count := 0
	for _, f := range r.Findings {
		if f.Severity != finding.Info {
			count++
		}
	}
	return count
}
