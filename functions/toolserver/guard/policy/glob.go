package policy

import (
	"fmt"
	"path"
	"strings"
)

// Limits of a pattern.
const (
	maxPattern      = 1024 // bytes
	maxAlternatives = 64   // of the braces of one pattern
)

// glob is a compiled pattern: one list of segments for each choice of its braces.
type glob struct {
	alternatives [][]segment
}

// segment is the part of a pattern between two slashes.
type segment struct {
	text  string
	any   bool // "**": any number of folders
	plain bool // no wildcard
}

// compile reads a pattern. See the package comment for its language.
func compile(pattern string, fold bool) (glob, error) {
	switch {
	case pattern == "" || len(pattern) > maxPattern:
		return glob{}, fmt.Errorf("a pattern has 1 to %d bytes", maxPattern)
	case strings.ContainsAny(pattern, "\\\x00"):
		return glob{}, fmt.Errorf("a pattern has no backslash; folders are separated by /")
	case strings.HasPrefix(pattern, "/"):
		return glob{}, fmt.Errorf("a pattern begins at the root of the workspace, without a slash")
	}

	choices, err := expand(pattern)
	if err != nil {
		return glob{}, err
	}

	var g glob
	for _, choice := range choices {
		segments, err := split(Normal(choice, fold))
		if err != nil {
			return glob{}, err
		}
		g.alternatives = append(g.alternatives, segments)
	}

	return g, nil
}

func split(pattern string) ([]segment, error) {
	var segments []segment
	for text := range strings.SplitSeq(strings.TrimSuffix(pattern, "/"), "/") {
		if text == "" || text == "." || text == ".." {
			return nil, fmt.Errorf("a pattern has no empty folder and no . or .. as a name")
		}
		text = strings.ReplaceAll(text, "[!", "[^")
		if _, err := path.Match(text, ""); err != nil {
			return nil, fmt.Errorf("a bracket is not closed")
		}
		segments = append(segments, segment{text, text == "**", !strings.ContainsAny(text, "*?[")})
	}

	last := segments[len(segments)-1]
	direct := strings.Trim(last.text, "*?") == "" && !strings.HasSuffix(pattern, "/")
	if !last.any && !direct { // a folder means all that is in it
		segments = append(segments, segment{text: "**", any: true})
	}

	return segments, nil
}

// expand makes one pattern for each choice of the braces.
func expand(pattern string) ([]string, error) {
	open := strings.IndexByte(pattern, '{')
	if open < 0 {
		if strings.Contains(pattern, "}") {
			return nil, fmt.Errorf("a brace is not opened")
		}
		return []string{pattern}, nil
	}

	depth := 0
	from := open + 1
	var choices []string
	for i := open; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '{':
			depth++
		case c == ',' && depth == 1:
			choices, from = append(choices, pattern[from:i]), i+1
		case c == '}':
			if depth--; depth == 0 {
				return join(pattern[:open], append(choices, pattern[from:i]), pattern[i+1:])
			}
		}
	}

	return nil, fmt.Errorf("a brace is not closed")
}

func join(before string, choices []string, after string) ([]string, error) {
	var all []string
	for _, choice := range choices {
		some, err := expand(before + choice + after)
		if err != nil {
			return nil, err
		}
		if all = append(all, some...); len(all) > maxAlternatives {
			return nil, fmt.Errorf("the braces of a pattern make at most %d choices", maxAlternatives)
		}
	}
	return all, nil
}

func (g glob) match(parts []string) bool {
	for _, segments := range g.alternatives {
		if matchSegments(segments, parts) {
			return true
		}
	}
	return false
}

// matchSegments goes back only to the last "**": what an earlier one could still
// give, the last one can, too.
func matchSegments(segments []segment, parts []string) bool {
	s := 0
	p := 0
	back := -1
	from := 0
	for p < len(parts) {
		switch {
		case s < len(segments) && segments[s].any:
			back, from = s, p
			s++
		case s < len(segments) && segments[s].match(parts[p]):
			s, p = s+1, p+1
		case back >= 0:
			from++
			s = back + 1
			p = from
		default:
			return false
		}
	}

	for s < len(segments) && segments[s].any {
		s++
	}

	return s == len(segments)
}

func (s segment) match(part string) bool {
	if s.plain {
		return s.text == part
	}
	ok, _ := path.Match(s.text, part) // checked by split
	return ok
}

// reaches reports whether the pattern can match something below a folder.
func (g glob) reaches(folder []string) bool {
	for _, segments := range g.alternatives {
		if reachesSegments(segments, folder) {
			return true
		}
	}
	return false
}

func reachesSegments(segments []segment, folder []string) bool {
	for i, part := range folder {
		switch {
		case i >= len(segments):
			return false
		case segments[i].any:
			return true
		case !segments[i].match(part):
			return false
		}
	}
	return len(segments) > len(folder)
}
