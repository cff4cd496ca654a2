package framework

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// shape is a line that carries a text for people: its group is the text, and all around it
// stays as it is.
type shape struct {
	*regexp.Regexp
	remark bool // no program reads it, so it may say anything
}

func text(expression string) shape {
	return shape{Regexp: regexp.MustCompile(expression)}
}

// comment is the shape of a line that is a comment.
func comment(mark string) shape {
	return shape{
		Regexp: regexp.MustCompile(`(?i)^\s*` + mark + `\s*(\S.*)$`),
		remark: true,
	}
}

var (
	anyLine = text(`^\s*(\S.*)$`)
	command = text(`(?i)^\s*@?echo ([^<>|&%^"]+)$`) // of a batch file
)

// worded are the shapes of files in which lines of these shapes are read by people, by kind.
// A line of no shape is something that a program acts on.
var worded = map[string][]shape{
	".tex":     {comment("%+"), text(`^\s*\\(?:part|chapter|(?:sub)*section|paragraph|title|caption|footnote|emph|textbf|item)\*?\s*\{?([^{}\\]+)\}?\s*$`), text(`^\s*([^\\{}$&%#_^~]+)$`)},
	".org":     {text(`^(?:\*+|\s*[-+])\s+(.+)$`), text(`^\s*([^#:|*].*)$`)},
	".textile": {text(`^(?:p|h[1-6]|bq)\.\s+(.+)$`), text(`^([^.|]+\.?)$`)},
	".srt":     {anyLine},
	".vtt":     {anyLine},
	".ics":     {text(`^(?:SUMMARY|DESCRIPTION|COMMENT)(?:;[^:]*)?:(.+)$`)},
	".vcf":     {text(`^(?:NOTE|FN|TITLE|ORG)(?:;[^:]*)?:(.+)$`)},
	".bib":     {text(`^\s*(?:title|booktitle|author|editor|journal|publisher|abstract|note)\s*=\s*[{"]+([^{}"]+)[}"]+,?\s*$`)},
	".ftl":     {comment("#+"), text(`^\s*[A-Za-z][\w-]*\s*=\s*(\S.*)$`)},
	".pug":     {text(`^\s*(?:p|h[1-6]|li|td|th|span|strong|em|title|figcaption|label|blockquote)(?:[.#][\w-]+)*\s+(.+)$`)},
	".bat":     {comment(`(?:@?rem|::)\s`), command},
	".cmd":     {comment(`(?:@?rem|::)\s`), command},
	".ps1":     {comment("#"), text(`(?i)^\s*write-(?:host|output|warning|verbose)\s+["']([^"'$` + "`" + `]+)["']\s*$`)},
	".ipynb":   {text(`^\s*"([^"\\]+)(?:\\n)?",?\s*$`)},
	"manual":   {text(`^([^.'\\].*)$`)},
	"plain":    {anyLine},
}

// remarks begin the comments of languages of which nothing else is read here.
var remarks = map[string]string{
	".ex": "#+", ".exs": "#+", ".jl": "#+", ".nim": "#+", ".pl": "#+", ".pm": "#+", ".conf": "#+", ".fish": "#+", ".cr": "#+", ".tcl": "#+", ".awk": "#+", ".coffee": "#+", ".graphql": "#+", ".nix": "#+",
	".clj": ";+", ".cljs": ";+", ".lisp": ";+", ".el": ";+", ".scm": ";+", ".asm": ";+", ".elm": "--+", ".adb": "--+", ".ads": "--+", ".vhd": "--+", ".erl": "%+", ".m": "%+", ".pro": "%+", ".f90": "!+",
	".proto": "//+", ".sol": "//+", ".zig": "//+", ".v": "//+", ".sv": "//+", ".d": "//+", ".m4": "dnl", ".mm": "//+", ".fs": "//+", ".thrift": "//+", ".vb": "'+",
}

// papers are names of texts without an ending.
var papers = regexp.MustCompile(`(?i)^(changes|changelog|history|news|authors|contributors|thanks|credits|readme|contributing|copying|license|licence|notice|todo|install)$`)

// shapesOf are the shapes of a kind of file; nil if there are none.
func shapesOf(kind string) []shape {
	if mark, ok := remarks[kind]; ok {
		return []shape{comment(mark)}
	}
	return worded[kind]
}

// wordingLogic lets lines of known shapes pass in which only words change.
func wordingLogic(h hunk, shapes []shape) string {
	gone, fresh := h.changed()
	if len(gone) != len(fresh) {
		return "lines are added or removed"
	}
	for i := range gone {
		if gone[i] != fresh[i] && !sameShape(gone[i], fresh[i], shapes) {
			return "a changed line is not only wording: " + shorten(fresh[i])
		}
	}
	return ""
}

func sameShape(old, now string, shapes []shape) bool {
	return slices.ContainsFunc(shapes, func(s shape) bool {
		was := s.FindStringSubmatchIndex(old)
		is := s.FindStringSubmatchIndex(now)
		if was == nil || is == nil {
			return false
		}

		around := old[:was[2]] == now[:is[2]] && old[was[3]:] == now[is[3]:]
		if s.remark {
			return around &&
				!obeyed(strings.TrimSpace(old)) &&
				!obeyed(strings.TrimSpace(now))
		}
		return around && reworded(old[was[2]:was[3]], now[is[2]:is[3]])
	})
}

// timing and marks of subtitles, and other lines that no person reads.
var unread = regexp.MustCompile(`-->|^\s*(\d+|WEBVTT.*|NOTE|STYLE|REGION)\s*$`)

// proseRunes are what sentences are written with.
var proseRunes = regexp.MustCompile(`^[\p{L}\p{M}\p{N} .,;:!?'"()…–—/&*-]+$`)

// calling is a name with a bracket right behind it, as in a program.
var calling = regexp.MustCompile(`[\p{L}\p{N}_]\(|;\s*$|^\s*[{}]`)

// reworded reports whether a text for people becomes another one: both are written like
// sentences, a program fills the same places in them, and no word turns the meaning round.
func reworded(old, now string) bool {
	if !slices.Equal(holes.FindAllString(old, -1), holes.FindAllString(now, -1)) {
		return false
	}
	for _, text := range []string{old, now} {
		bare := holes.ReplaceAllString(text, " ")
		if unread.MatchString(text) ||
			calling.MatchString(bare) ||
			!proseRunes.MatchString(bare) ||
			!strings.ContainsFunc(bare, unicode.IsLetter) ||
			obeyed("# "+text) {
			return false
		}
	}
	return !turns(old, now)
}

// turning are words that decide what a sentence allows or demands.
var turning = setOf(`not never always none nothing nobody everything everybody without must only all any no every before after unless except ask allow deny may can cannot
	do dont don't stop start on off yes true false enable disable`)

func setOf(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// turns reports whether one of the words that differ decides what the sentence demands. A
// word that is only spelled another way does not count.
func turns(old, now string) bool {
	gone := words(old)
	fresh := words(now)
	for _, word := range words(now) {
		if i := slices.Index(gone, word); i >= 0 {
			gone = slices.Delete(gone, i, i+1)
			j := slices.Index(fresh, word)
			fresh = slices.Delete(fresh, j, j+1)
		}
	}

	respelled := func(word string, others []string) bool {
		return slices.ContainsFunc(others, func(other string) bool {
			return near(word, other)
		})
	}

	for _, word := range gone {
		if turning[word] && !respelled(word, fresh) {
			return true
		}
	}

	for _, word := range fresh {
		if turning[word] && !respelled(word, gone) {
			return true
		}
	}

	return false
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return !unicode.IsLetter(c) &&
			c != '\''
	})
}

// near reports whether two words differ by one letter: more, less or another, or two that
// changed places.
func near(a, b string) bool {
	one := []rune(a)
	two := []rune(b)
	if len(one) > len(two) {
		one, two = two, one
	}

	head := 0
	for head < len(one) && one[head] == two[head] {
		head++
	}

	one, two = one[head:], two[head:]

	switch len(two) - len(one) {
	case 0:
		if len(one) > 1 && one[0] == two[1] && one[1] == two[0] {
			return slices.Equal(one[2:], two[2:])
		}
		return len(one) == 0 || slices.Equal(one[1:], two[1:])
	case 1:
		return slices.Equal(one, two[1:])
	}

	return false
}
