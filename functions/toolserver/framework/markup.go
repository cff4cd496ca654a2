package framework

import (
	"regexp"
	"slices"
	"strings"
)

// markups are files of tags with texts between them, by kind, with the elements whose texts
// people see: nil for pages, in which they see all.
var markups = map[string]*regexp.Regexp{
	".html": nil, ".htm": nil, ".xhtml": nil, ".vue": nil, ".svelte": nil, ".erb": nil, ".ejs": nil, ".hbs": nil, ".handlebars": nil, ".mustache": nil,
	".j2": nil, ".jinja": nil, ".jinja2": nil, ".njk": nil, ".twig": nil, ".liquid": nil, ".blade": nil, ".astro": nil, ".mdx": nil,
	".xml": seen(""), ".svg": seen(""), ".rss": seen(""), ".atom": seen(""), ".resx": seen("|value"), ".xlf": seen("|target"), ".xliff": seen("|target"),
}

// seen matches the tags of elements whose texts people see, with more of them.
func seen(more string) *regexp.Regexp {
	return regexp.MustCompile(`^<(?:title|subtitle|desc|description|summary|text|tspan|p|h[1-6]|li|td|th|b|i|em|strong|caption|label|heading|headline|para|quote|question|answer|note|comment|author` + more + `)[\s>]`)
}

var (
	// filled are the parts of a template that a program fills in or runs.
	filled = regexp.MustCompile(`<%[\s\S]*?(?:%>|$)|<\?[\s\S]*?(?:\?>|$)|\{\{[\s\S]*?(?:\}\}|$)|\{%[\s\S]*?(?:%\}|$)|\{!![\s\S]*?(?:!!\}|$)|\{[^{}]*\}`)
	// orders are lines of a template that a program obeys.
	orders = regexp.MustCompile(`(?m)^\s*(?:@\w+|import\b|export\b).*$`)
	tag    = regexp.MustCompile(`<!--[\s\S]*?-->|</?[A-Za-z][\w.:-]*(?:\s+[\w:@.#*-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|` + mark + `))?)*\s*/?>`)
	// read are attributes that people read.
	read = regexp.MustCompile(`(\s(?:alt|title|placeholder|aria-label|aria-description)\s*=\s*)(?:"([^"]*)"|'([^']*)')`)
	// about is the description of a page.
	about = regexp.MustCompile(`(<meta\s+(?:name|property)="(?:description|author|og:title|og:description|twitter:title|twitter:description)"\s+content=)"([^"]*)"`)
	// running are elements whose inside a program runs.
	running     = regexp.MustCompile(`(?i)<(script|style)\b`)
	plainOption = regexp.MustCompile(`(?i)^<option(?:\s+(?:selected|disabled)[^\s>]*)*\s*>$`)
	// conditional are comments that a browser or a server obeys.
	conditional = regexp.MustCompile(`<!--[\[#]`)
)

// mark stands for a part that a program fills in.
const mark = "\x01"

// piece is a part of a file of tags: a tag, or a text between two.
type piece struct {
	tag  bool
	text string
}

// markupLogicOf lets the texts between tags and the attributes that people read change; of
// the texts only those of elements that are shown, nil for all.
func markupLogicOf(h hunk, shown *regexp.Regexp) string {
	before, after := strings.Join(h.before, "\n"), strings.Join(h.after, "\n")
	if running.MatchString(before) || running.MatchString(after) {
		return "the change lies in or beside a script or a style"
	}

	if !slices.Equal(orders.FindAllString(before, -1), orders.FindAllString(after, -1)) ||
		!slices.Equal(filled.FindAllString(before, -1), filled.FindAllString(after, -1)) {
		return "what a program fills into a text changes, or what it does"
	}

	old := pieces(before)
	now := pieces(after)
	if len(old) != len(now) {
		return "tags are added or removed"
	}

	for i := range old {
		if old[i] == now[i] {
			continue
		}
		if why := pieceLogic(old, now, i, shown); why != "" {
			return why
		}
	}

	return ""
}

func pieceLogic(old, now []piece, i int, shown *regexp.Regexp) string {
	switch {
	case old[i].tag != now[i].tag:
		return "tags are added or removed"
	case old[i].tag:
		return tagLogic(old[i].text, now[i].text)
	}

	before := "" // the tag before the text
	if i > 0 {
		before = old[i-1].text
	}
	switch {
	case plainOption.MatchString(before):
		return "the text of an option without a value is what is sent"
	case shown != nil && !shown.MatchString(before):
		return "the text belongs to an element that a program may act on"
	case !reworded(oneLine(old[i].text), oneLine(now[i].text)):
		return "the text between tags is not only wording"
	}

	return ""
}

// tagLogic says why a change of a tag or comment is not plain data; "" if it is.
func tagLogic(old, now string) string {
	isComment := strings.HasPrefix(old, "<!--") && strings.HasPrefix(now, "<!--")
	if !isComment {
		if !sameTag(old, now) {
			return "tags or attributes change"
		}
		return ""
	}
	if obeyed(old) || obeyed(now) || conditional.MatchString(old+now) {
		return "a comment changes that a tool obeys"
	}
	return ""
}

// oneLine joins the lines of a text, which a browser shows as one.
func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}

// pieces parts a file into its tags and what is between them.
func pieces(text string) (all []piece) {
	text = filled.ReplaceAllString(orders.ReplaceAllString(text, ""), mark)
	at := 0
	for _, place := range tag.FindAllStringIndex(text, -1) {
		all = append(
			all,
			piece{false, strings.ReplaceAll(text[at:place[0]], mark, " ")},
			piece{true, text[place[0]:place[1]]},
		)
		at = place[1]
	}
	return append(all, piece{false, strings.ReplaceAll(text[at:], mark, " ")})
}

// sameTag compares two tags without the attributes that people read, which are reworded.
func sameTag(old, now string) bool {
	for _, attribute := range []*regexp.Regexp{read, about} {
		was := attribute.FindAllStringSubmatch(old, -1)
		is := attribute.FindAllStringSubmatch(now, -1)
		if len(was) != len(is) {
			return false
		}

		for i := range was {
			a := was[i][2] + value(was[i])
			b := is[i][2] + value(is[i])
			if a != b && !reworded(a, b) {
				return false
			}
		}

		old, now = attribute.ReplaceAllString(old, "$1"), attribute.ReplaceAllString(now, "$1")
	}

	return old == now
}

// value is the third group of a match, if it has one.
func value(match []string) string {
	if len(match) > 3 {
		return match[3]
	}
	return ""
}

var (
	// element is a line of JSX that is nothing but tags and texts.
	element = regexp.MustCompile(`^\s*(?:</?[A-Za-z][\w.:-]*(?:\s|/?>)|<>|</>).*>\s*$`)
	opened  = regexp.MustCompile(`<[A-Za-z][\w.:-]*(?:\s[^<>]*)?>\s*$`)
	phrase  = regexp.MustCompile(`^\s*\p{Lu}[\p{L}\p{M}\p{N} ,'’-]*(?: [\p{L}\p{M}\p{N} ,'’-]+){2,}[.!?…]?\s*$`)
)

// elementLogic lets texts between tags change in lines of JSX. A line that is only text must
// stand below an open tag.
func elementLogic(h hunk) string {
	gone, fresh := h.changed()
	if len(gone) != len(fresh) || len(gone) == 0 {
		return "lines are added or removed"
	}

	for i := range gone {
		between := phrase.MatchString(gone[i]) &&
			phrase.MatchString(fresh[i]) &&
			below(h.before, gone[i])
		if between && reworded(gone[i], fresh[i]) {
			continue
		}
		if !element.MatchString(gone[i]) || !element.MatchString(fresh[i]) {
			return "a changed line is more than a text between tags"
		}

		if why := markupLogicOf(hunk{
			before: gone[i : i+1],
			after:  fresh[i : i+1],
		}, nil); why != "" {
			return why
		}
	}

	return ""
}

// below reports whether the line above a line opens a tag.
func below(lines []string, line string) bool {
	i := slices.Index(lines, line)
	return i > 0 && opened.MatchString(lines[i-1])
}
