package briefing

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	xhtml "golang.org/x/net/html"

	"governance.internal/functions/toolserver/guard/mask"
)

// Longest texts of an item, in characters.
const (
	maxTitle = 300
	maxMore  = 500
)

const (
	maxRaw    = 16 << 10 // bytes of a text before its markup is removed
	maxPasses = 8        // of escapes within escapes
)

// plain makes one line of text of what may be HTML or Markdown: without markup, without
// characters that do not show, and without secrets.
func plain(text string, most int) string {
	text = text[:min(len(text), maxRaw)]
	text = withoutHTML(text)
	text = withoutMarks(text)

	text = strings.Map(shown, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	return shorten(mask.Text(text), most)
}

// withoutHTML removes tags and entities, also those that were escaped several times.
func withoutHTML(text string) string {
	for range maxPasses {
		next := withoutTags(text)
		if next == text {
			return text
		}
		text = next
	}
	return strings.NewReplacer("<", " ", ">", " ", "&", " ").Replace(text)
}

// withoutTags removes the tags of HTML, and the content of elements that are not for people.
// Entities become the characters that they stand for, which may make new tags.
func withoutTags(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return text
	}

	var b strings.Builder
	tokens := xhtml.NewTokenizer(strings.NewReader(text))
	hidden := ""
	for {
		kind := tokens.Next()
		if kind == xhtml.ErrorToken {
			return b.String()
		}
		if kind == xhtml.TextToken {
			if hidden == "" {
				b.WriteString(html.UnescapeString(string(tokens.Raw())))
			}
			continue
		}

		b.WriteByte(' ')
		name, _ := tokens.TagName()
		hidden = hiddenAfter(kind, string(name), hidden)
	}
}

// hiddenAfter is the element whose content is hidden after a tag, "" for none.
func hiddenAfter(kind xhtml.TokenType, name, hidden string) string {
	switch {
	case kind == xhtml.StartTagToken && hidden == "" && isHidden(name):
		return name
	case kind == xhtml.EndTagToken && name == hidden:
		return ""
	}
	return hidden
}

// isHidden reports whether the content of an element is no text for people.
func isHidden(name string) bool {
	switch name {
	case "script", "style", "template", "noscript", "iframe", "object", "svg", "textarea", "title", "xmp", "noembed", "noframes":
		return true
	}
	return false
}

var (
	link  = regexp.MustCompile(`!?\[([^\[\]]*)\]\([^()]*\)`)
	label = regexp.MustCompile(`!?\[([^\[\]]*)\]\[[^\[\]]*\]`)
	begin = regexp.MustCompile(`^[\s#>*+\-=|~]+`)
)

// withoutMarks takes the marks of Markdown out of a text.
func withoutMarks(text string) string {
	text = link.ReplaceAllString(text, "$1")
	text = label.ReplaceAllString(text, "$1")
	text = strings.NewReplacer("`", "", "**", "", "__", "", "~~", "").Replace(text)
	return begin.ReplaceAllString(text, "")
}

// shown maps characters that do not show to none, and all blanks to one.
func shown(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.Is(unicode.C, r):
		return -1
	}
	return r
}

// shorten cuts a text after a number of characters.
func shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	return strings.TrimSpace(string(runes[:most-1])) + "…"
}
