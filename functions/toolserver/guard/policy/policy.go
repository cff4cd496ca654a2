// Package policy decides from lists of patterns whether a file may be changed.
//
// A pattern is matched against a slash-separated path from the root of the
// workspace. In one folder or file name, * stands for any characters, ? for one and
// [a-z] or [!a-z] for one of a set; ** as a whole name stands for any number of
// folders, none included; {a,b} chooses. So *.pem is a file in the root and **/*.pem
// one anywhere. A pattern that matches a folder matches all that is in it: keys, keys/
// and keys/** mean the same. Only * alone means what is directly in a folder.
//
// Untouchable comes first and cannot be lifted. Protected may be lifted by the list
// allow, and by the approval of a person, which is not decided here.
package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Decision is the answer to a change.
type Decision string

// The decisions, from the mildest to the strictest. Unknown says that there are no
// lists to decide by.
const (
	OK        Decision = "OK"
	Unknown   Decision = "UNKNOWN"
	Protected Decision = "PROTECTED"
	Blocked   Decision = "BLOCKED"
)

var severity = map[Decision]int{OK: 0, Unknown: 1, Protected: 2, Blocked: 3}

// Worse returns the stricter of two decisions.
func Worse(a, b Decision) Decision {
	if severity[b] > severity[a] {
		return b
	}
	return a
}

// Names of the lists.
const (
	Untouchable   = "untouchable"
	ProtectedList = "protected"
	Allow         = "allow"
)

// Rule is one pattern of a list. Line is where it stands in the workspace file, 0
// if it is built in.
type Rule struct {
	List    string `json:"list"`
	Pattern string `json:"pattern"`
	Line    int    `json:"config_line"`
	// Except is a pattern of what a built-in rule leaves out; "" for nothing.
	Except string `json:"-"`
}

// Policy is a set of compiled rules. It is safe for concurrent use.
type Policy struct {
	untouchable, protected, allow []compiled
	fold                          bool
	version                       string
}

type compiled struct {
	Rule
	glob
	except *glob
}

func (c compiled) match(parts []string) bool {
	return c.glob.match(parts) && (c.except == nil || !c.except.match(parts))
}

// RuleError says which rule cannot be read.
type RuleError struct {
	Rule Rule
	Err  error
}

func (e *RuleError) Error() string {
	return fmt.Sprintf("line %d: %s: %q: %v", e.Rule.Line, e.Rule.List, e.Rule.Pattern, e.Err)
}

func (e *RuleError) Unwrap() error { return e.Err }

// New compiles the rules. With fold, letter case does not count, as on volumes that
// fold it. The error is a [*RuleError].
func New(rules []Rule, fold bool) (*Policy, error) {
	p := &Policy{fold: fold}
	digest := sha256.New()
	for _, rule := range rules {
		c, err := compileRule(rule, fold)
		if err != nil {
			return nil, &RuleError{rule, err}
		}

		fmt.Fprintf(digest, "%s %q\n", rule.List, rule.Pattern)
		switch rule.List {
		case Untouchable:
			p.untouchable = append(p.untouchable, c)
		case ProtectedList:
			p.protected = append(p.protected, c)
		case Allow:
			p.allow = append(p.allow, c)
		default:
			return nil, &RuleError{rule, fmt.Errorf("there is no list of this name")}
		}
	}

	p.version = hex.EncodeToString(digest.Sum(nil))[:16]
	return p, nil
}

func compileRule(rule Rule, fold bool) (compiled, error) {
	g, err := compile(rule.Pattern, fold)
	if err != nil {
		return compiled{}, err
	}

	c := compiled{Rule: rule, glob: g}
	if rule.Except == "" {
		return c, nil
	}

	except, err := compile(rule.Except, fold)
	c.except = &except
	return c, err
}

// Version identifies the rules: 16 hexadecimal digits that change with any of them.
func (p *Policy) Version() string { return p.version }

// Decide decides about a clean, slash-separated path from the root. The rule is the one
// that decided, nil if none did.
func (p *Policy) Decide(path string) (Decision, *Rule) {
	parts := p.parts(path)
	if rule := first(p.untouchable, parts); rule != nil {
		return Blocked, rule
	}

	rule := first(p.protected, parts)
	if rule == nil {
		return OK, nil
	}
	if lifted := first(p.allow, parts); lifted != nil {
		return OK, lifted
	}
	return Protected, rule
}

// Reaches reports whether some untouchable or protected rule can match below a folder.
func (p *Policy) Reaches(folder string) bool {
	parts := p.parts(folder)
	for _, list := range [][]compiled{p.untouchable, p.protected} {
		for _, c := range list {
			if c.reaches(parts) {
				return true
			}
		}
	}
	return false
}

func (p *Policy) parts(path string) []string {
	if path == "." {
		return nil
	}
	return strings.Split(Normal(path, p.fold), "/")
}

func first(list []compiled, parts []string) *Rule {
	for i := range list {
		if list[i].match(parts) {
			return &list[i].Rule
		}
	}
	return nil
}

// Normal is the spelling in which names are compared: Unicode normal form C, and
// with fold without letter case.
func Normal(name string, fold bool) string {
	if !isASCII(name) {
		name = norm.NFC.String(name)
		if fold {
			return norm.NFC.String(cases.Fold().String(name))
		}
		return name
	}

	if fold {
		return strings.ToLower(name)
	}
	return name
}

func isASCII(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Pattern is a single compiled pattern.
type Pattern struct {
	glob glob
	fold bool
}

// Compile reads a pattern.
func Compile(pattern string, fold bool) (Pattern, error) {
	g, err := compile(pattern, fold)
	return Pattern{g, fold}, err
}

// Match reports whether the pattern matches a path from the root.
func (p Pattern) Match(path string) bool {
	return p.glob.match(strings.Split(Normal(path, p.fold), "/"))
}

// Patterns are several compiled patterns for which letter case counts.
type Patterns []glob

// CompileAll reads patterns. The error names the one that cannot be read.
func CompileAll(patterns []string) (Patterns, error) {
	compiled := make(Patterns, 0, len(patterns))
	for _, text := range patterns {
		g, err := compile(text, false)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		compiled = append(compiled, g)
	}
	return compiled, nil
}

// Match reports whether any of the patterns matches a path from the root.
func (p Patterns) Match(path string) bool {
	if len(p) == 0 {
		return false
	}
	parts := strings.Split(Normal(path, false), "/")
	return slices.ContainsFunc(p, func(g glob) bool { return g.match(parts) })
}
