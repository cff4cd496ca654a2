package secretscan

import "strings"

// StripReferences removes references to values that live elsewhere and keeps the literal text,
// including the default of "${VAR:-default}": a default is used whenever the variable is missing,
// so a secret written there is as public as any other. The second result tells whether anything
// was removed.
//
// Recognised: ${VAR} with shell operators, ${env:VAR}, ${input:id}, $VAR, $env:VAR, %VAR%, $(…),
// {{x}}, {x}, <…>, __X__, and the schemes of secret managers (op://, vault:, env:).
func StripReferences(value string) (literal string, found bool) {
	if !strings.ContainsAny(value, referenceBytes) {
		return value, false
	}
	if managed(value) {
		return "", true
	}
	literal, _, found = strip(value, 0)
	return literal, found
}

// referenceBytes are the bytes of which every reference has at least one.
const referenceBytes = "$%{<_:.`["

// maxNesting bounds ${A:-${B:-…}}; deeper text is kept as literal.
const maxNesting = 8

// strip also reports whether there is text outside the references. Without such text the literal
// holds only defaults.
func strip(value string, depth int) (literal string, outside, found bool) {
	var out strings.Builder
	for i := 0; i < len(value); {
		size, kept := referenceAt(value, i, depth)
		if size == 0 {
			out.WriteByte(value[i])
			outside = outside || value[i] > ' '
			i++
			continue
		}

		out.WriteString(kept)
		found = true
		i += size
	}

	return out.String(), outside, found
}

// referenceAt returns the length of the reference that starts at i, or 0 if there is none, and its
// literal default.
func referenceAt(value string, i, depth int) (size int, kept string) {
	rest := value[i:]
	switch rest[0] {
	case '$':
		return dollar(value, i, depth)
	case '%':
		return anchored(value, i, percent(rest)), ""
	case '{':
		return braced(rest), ""
	case '<':
		return angled(rest), ""
	case '[':
		return squared(rest), ""
	case '_':
		return anchored(value, i, underscored(rest)), ""
	case '`':
		return backticked(rest), ""
	}

	return 0, ""
}

// braced returns the length of {{x}}, {x} or OpenCode's {env:X} and {file:x} at the start of s.
func braced(s string) int {
	if strings.HasPrefix(s, "{{") {
		return through(s, "}}")
	}

	end := 1 + identifier(s[1:])
	if end == 1 || end == len(s) {
		return 0
	}

	switch s[end] {
	case '}':
		return end + 1
	case ':':
		if namespaces[strings.ToLower(s[1:end])] {
			return through(s, "}")
		}
	}
	return 0
}

// angled returns the length of <…> at the start of s.
func angled(s string) int {
	end := through(s, ">")
	if end == 0 || strings.IndexByte(s[1:end], '<') >= 0 {
		return 0
	}
	return end
}

// squared returns the length of [YOUR NAME] at the start of s.
func squared(s string) int {
	end := through(s, "]")
	if end == 0 || !variableName(strings.ReplaceAll(s[1:end-1], " ", "_")) {
		return 0
	}
	return end
}

// underscored returns the length of __NAME__ at the start of s.
func underscored(s string) int {
	if !strings.HasPrefix(s, "__") {
		return 0
	}

	name := s[2:]
	end := strings.Index(window(name), "__")
	if end <= 0 || identifier(name) < end {
		return 0
	}
	return end + 4
}

// backticked returns the length of `…` at the start of s.
func backticked(s string) int {
	end := strings.IndexByte(window(s[1:]), '`')
	if end <= 0 {
		return 0
	}
	return end + 2
}

// through returns the length of s up to and including the first closing mark, or 0 without one.
func through(s, mark string) int {
	at := strings.Index(window(s), mark)
	if at <= 0 {
		return 0
	}
	return at + len(mark)
}

func dollar(value string, i, depth int) (size int, kept string) {
	rest := value[i:]
	switch {
	case strings.HasPrefix(rest, "${{"):
		if end := strings.Index(window(rest), "}}"); end > 0 {
			return end + 2, ""
		}
	case strings.HasPrefix(rest, "${"):
		end := closing(rest, '{', '}')
		if end < 0 {
			return 0, ""
		}
		kept, ok := body(rest[2:end], depth)
		if !ok {
			return 0, ""
		}
		return end + 1, kept
	case strings.HasPrefix(rest, "$("):
		if end := closing(rest, '(', ')'); end > 0 {
			return end + 1, ""
		}
	case len(rest) > 5 && strings.EqualFold(rest[:5], "$env:"):
		return anchored(value, i, 5+identifier(rest[5:])), ""
	case len(rest) > 1:
		if n := identifier(rest[1:]); n > 0 {
			return anchored(value, i, n+1), ""
		}
	}

	return 0, ""
}

// body parses the inside of ${…}. A known namespace (env:VAR) names a variable; after a plain name
// come the shell's operators or, in some clients, ":default".
func body(inside string, depth int) (kept string, ok bool) {
	n := identifier(inside)
	if n == 0 || depth >= maxNesting {
		return "", false
	}

	name := inside[:n]
	rest := inside[n:]
	if strings.HasPrefix(rest, ":") && namespaces[strings.ToLower(name)] {
		m := identifier(rest[1:])
		name = rest[1 : 1+m]
		rest = rest[1+m:]
		if name == "" {
			return "", true
		}
	}

	if rest == "" {
		return "", true
	}
	switch {
	case strings.HasPrefix(rest, ":?") || strings.HasPrefix(rest, "?"):
		return "", true
	case strings.HasPrefix(rest, ":-"), strings.HasPrefix(rest, ":="), strings.HasPrefix(rest, ":+"):
		rest = rest[2:]
	case rest[0] == '-' ||
		rest[0] == '=' ||
		rest[0] == '+' ||
		rest[0] == ':':
		rest = rest[1:]
	default:
		return "", true // a slice, a case change, a path: still a reference
	}

	kept, _, _ = strip(rest, depth+1)
	return kept, true
}

func window(s string) string { return s[:min(len(s), maxReference)] }

// maxReference bounds the search for a closing bracket, so that a long run of open ones stays
// cheap. Longer text is literal.
const maxReference = 256

// closing returns the index of the bracket that closes the first one, or -1.
func closing(s string, open, shut byte) int {
	depth := 0
	for i := 0; i < len(s) && i < maxReference; i++ {
		switch s[i] {
		case open:
			depth++
		case shut:
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// anchored accepts a reference only as a whole token: "pa$word" is a password.
func anchored(value string, start, size int) int {
	if size < 2 {
		return 0
	}
	if start > 0 && !strings.ContainsRune(" \t\"'`:=/@,;&?|(\\", rune(value[start-1])) {
		return 0
	}
	if end := start + size; end < len(value) &&
		!strings.ContainsRune(" \t\"'`:/@,;&?|)\\.", rune(value[end])) {
		return 0
	}
	return size
}

func percent(s string) int {
	n := identifier(s[1:])
	if n == 0 || n+1 >= len(s) || s[n+1] != '%' {
		return 0
	}
	return n + 2
}

// identifier returns the length of the variable name at the start of s.
func identifier(s string) int {
	if s == "" || isDigit(s[0]) {
		return 0
	}

	n := 0
	for n < len(s) && n < maxReference && inIdentifier(s, n) {
		n++
	}
	return n
}

// inIdentifier reports whether the byte at i belongs to the variable name that starts s: letters,
// digits and underscores, and after the first a dot, or a hyphen between lower-case letters.
func inIdentifier(s string, i int) bool {
	c := s[i]
	switch {
	case isWordByte(c) || c == '_':
		return true
	case i == 0:
		return false
	case c == '-':
		return i+1 < len(s) && isLower(s[i-1]) && isLower(s[i+1])
	}
	return c == '.'
}

// managed recognises whole values that point into a secret store or a process environment.
func managed(value string) bool {
	lower := strings.ToLower(strings.TrimSpace(value))
	for _, prefix := range managers {
		if strings.HasPrefix(lower, prefix) &&
			len(Scan(value)) == 0 &&
			!strings.ContainsAny(lower, " \t") {
			return true
		}
	}
	return false
}

var managers = []string{"op://", "vault://", "vault:", "secret://", "secretref:", "keyring:", "keychain:", "env:", "env.",
	"process.env.", "os.environ", "arn:aws:secretsmanager:", "arn:aws:ssm:", "aws-sm://", "awssm:", "gcp-sm://", "azure-kv://", "@microsoft.keyvault(", "ref+", "bws://", "doppler://", "infisical://", "file:///", "!secret "}

var namespaces = set("env", "input", "config", "command", "localenv", "containerenv", "secret", "secrets", "vault", "op",
	"keyring", "workspacefolder", "file", "user_config", "settings")
