package workspace

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"governance.internal/functions/toolserver/guard/policy"
)

// Glob is a pattern of package policy with the line where it stands.
type Glob struct {
	Pattern string
	Line    int
}

// Texts are the patterns as they are written.
func Texts(globs []Glob) []string {
	list := make([]string, 0, len(globs))
	for _, g := range globs {
		list = append(list, g.Pattern)
	}
	return list
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (g *Glob) UnmarshalYAML(node *yaml.Node) error {
	g.Pattern, g.Line = node.Value, node.Line
	return nil
}

// UnmarshalText checks a pattern.
func (g *Glob) UnmarshalText(text []byte) error {
	_, err := policy.Compile(string(text), false)
	return err
}

// Duration is a length of time, as 90s, 10m, 72h or 7d.
type Duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	days, ok := strings.CutSuffix(string(text), "d")
	n, err := strconv.ParseUint(days, 10, 16)
	if ok && err == nil {
		*d = Duration(time.Duration(n) * 24 * time.Hour)
		return nil
	}

	length, err := time.ParseDuration(string(text))
	if err != nil || length < 0 {
		return fmt.Errorf("write a duration as 90s, 10m, 72h or 7d")
	}

	*d = Duration(length)
	return nil
}

// Size is a number of bytes, as 4096, 64KiB, 2MiB or 2GiB.
type Size int64

var sizePattern = regexp.MustCompile(`^([0-9]{1,12})(|KiB|MiB|GiB)$`)

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(text []byte) error {
	parts := sizePattern.FindStringSubmatch(string(text))
	if parts == nil {
		return fmt.Errorf("write a size as 4096, 64KiB, 2MiB or 2GiB")
	}

	n, err := strconv.ParseInt(parts[1], 10, 64)
	shift := map[string]int{
		"":    0,
		"KiB": 10,
		"MiB": 20,
		"GiB": 30,
	}[parts[2]]
	if err != nil || n > 1<<(62-shift) {
		return fmt.Errorf("the size is too large")
	}

	*s = Size(n << shift)
	return nil
}

// Pattern is a regular expression (RE2).
type Pattern struct{ *regexp.Regexp }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Pattern) UnmarshalText(text []byte) error {
	if len(text) > 2000 {
		return fmt.Errorf("a regular expression has at most 2,000 characters")
	}
	expression, err := regexp.Compile(string(text))
	if err != nil {
		return fmt.Errorf("the regular expression cannot be read: %w", err)
	}

	p.Regexp = expression
	return nil
}
