package secretscan

import (
	"encoding/base64"
	"slices"
	"strings"
	"sync"
)

// Placeholder reports whether a value holds no literal secret: it is empty, a reference, text
// that tells the reader what to put there, a switch ("true", "none"), a file path or the name of
// a variable. A value that has a real-looking credential beside such text is not a placeholder.
func Placeholder(value string) bool {
	literal, _ := Literal(value)
	return literal == ""
}

// Literal takes the references and the authentication scheme off a value. It returns what is
// left, or "" when that is a placeholder, and whether a reference or placeholder was there.
func Literal(value string) (literal string, marked bool) {
	rest := value
	outside := true
	references := false
	if strings.ContainsAny(value, referenceBytes) {
		if managed(value) {
			return "", true
		}
		rest, outside, references = strip(value, 0)
	}

	rest = strings.Trim(trimScheme(strings.TrimSpace(rest)), " \t\r\n\"'`,;")
	switch {
	case strings.Trim(rest, "@%#") == "":
		return "", references || strings.TrimSpace(value) != ""
	case references && outside && leftover(rest):
		return "", true
	case harmless(rest):
		return "", true
	}

	return rest, references
}

// Trivial reports whether a literal is a switch, a path or a short number, and so neither a secret
// nor a placeholder for one.
func Trivial(value string) bool {
	value = strings.TrimSpace(value)
	return switches[strings.ToLower(value)] ||
		path(value) ||
		shortNumber(value)
}

// leftover reports whether the text around references is too poor to hold a secret: separators
// and plain words, as in "${USER}:${PASSWORD}" or "app-${KEY}".
func leftover(rest string) bool {
	if len(rest) >= 16 &&
		TokenLike(rest) &&
		strings.ContainsAny(rest, "0123456789") {
		return false
	}
	for _, word := range strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" :/@=&?.,;-_|+\"'", r) }) {
		if len(word) >= 6 && strings.ContainsAny(word, "0123456789") || len(word) >= 12 {
			return false
		}
	}
	return true
}

func harmless(rest string) bool {
	lower := strings.ToLower(rest)

	switch {
	case distinctBytes(rest) < 3:
		return true
	case switches[lower], placeholderValues[lower]:
		return true
	case path(rest), variableName(rest):
		return true
	case credentialRun(rest):
		return false
	}

	return masked(rest) || placeholderWord(rest) || describes(lower)
}

// trimScheme removes the scheme of an Authorization header.
func trimScheme(s string) string {
	word, rest, ok := strings.Cut(s, " ")
	if !ok {
		switch strings.ToLower(s) {
		case "bearer", "basic", "token", "apikey":
			return ""
		}
		return s
	}

	switch strings.ToLower(strings.TrimSuffix(word, ":")) {
	case "bearer", "basic", "token", "apikey", "api-key", "key", "digest":
		return strings.TrimSpace(rest)
	}
	return s
}

// masked recognises values whose middle or end was blanked out: "ntn_****", "sk-xxxx", "AIza...".
func masked(s string) bool {
	for _, mark := range maskMarks {
		if strings.Contains(s, mark) {
			return true
		}
	}

	lower := strings.ToLower(s)
	if len(s) < 24 {
		return strings.Contains(lower, "xxx")
	}
	return strings.Contains(lower, "xxxx")
}

var maskMarks = []string{"***", "…", "•••", "###", "...", "____"}

// placeholderWord recognises the words people write where a secret belongs. Long words count
// anywhere, short ones only as words of their own, since random text contains them by chance.
func placeholderWord(s string) bool {
	lower := strings.ToLower(s)
	if longMarkers().in(lower) {
		return true
	}

	for start, i := 0, 0; i <= len(lower); i++ {
		if i < len(lower) && isLower(lower[i]) {
			continue
		}
		if markerWord(lower[start:i]) {
			return true
		}
		start = i + 1
	}

	return false
}

func markerWord(word string) bool {
	if len(word) > 6 {
		return strings.HasPrefix(word, "your")
	}
	return len(word) >= 3 && shortMarkers[word]
}

// describes recognises plain words that end in the name of the thing: my-secret-key, api_key,
// token_here, github-personal-access-token.
func describes(lower string) bool {
	if len(lower) > 60 || digits(lower) > 2 {
		return false
	}
	if strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz0123456789-_ .[](){}") != "" {
		return false
	}

	words := strings.FieldsFunc(lower, func(r rune) bool { return r < 'a' || r > 'z' })
	switch len(words) {
	case 0:
		return true
	case 1:
		return wholeNames[words[0]]
	case 2, 3, 4, 5, 6:
		return lastNames[words[len(words)-1]]
	}
	return false
}

// wholeNames describe a secret in one word.
var wholeNames = set("token", "secret", "apikey", "password", "key", "passwd", "here", "goes")

// lastNames end a description of several words.
var lastNames = set("key", "token", "secret", "password", "id", "pat", "string", "here", "goes")

func digits(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if isDigit(s[i]) {
			n++
		}
	}
	return n
}

// credentialRun reports whether the value has a run that is almost certainly generated:
// at least 20 letters and digits, both present, with 3.5 bits of entropy.
func credentialRun(s string) bool {
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return !(r < 128 && isWordByte(byte(r))) }) {
		if len(run) >= 20 &&
			strings.ContainsAny(run, "0123456789") &&
			EntropyMilli(run) >= 3500 &&
			!masked(run) &&
			!placeholderWord(run) {
			return true
		}
	}
	return false
}

// variableName recognises a value that is the name of a variable: UPPER_SNAKE with words in it.
func variableName(s string) bool {
	s = strings.Trim(s, "@%#*~!:") // the marks of template languages
	if !strings.Contains(s, "_") || len(s) > 80 {
		return false
	}

	if isDigit(s[0]) || strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		return false
	}
	return digits(s)*5 <= len(s)
}

// path recognises file paths. A credential may start with a slash too, so a segment that looks
// generated is not a path.
func path(s string) bool {
	slashed := strings.ReplaceAll(s, `\`, "/")
	if !rooted(slashed) {
		return fileName(s)
	}
	if len(s) > 2 && fileName(slashed[strings.LastIndexByte(slashed, '/')+1:]) {
		return true
	}

	if slices.ContainsFunc(strings.Split(slashed, "/"), generatedSegment) {
		return false
	}
	return !strings.ContainsAny(s, "+=")
}

// rooted reports whether a path, written with slashes, starts at a root, a home, the working
// directory or a drive.
func rooted(slashed string) bool {
	for _, root := range roots {
		if strings.HasPrefix(slashed, root) {
			return true
		}
	}
	return len(slashed) > 2 && slashed[1:3] == ":/"
}

var roots = []string{"/", "~/", "./", "../", "file:/"}

func generatedSegment(segment string) bool {
	return len(segment) >= 16 &&
		strings.ContainsAny(segment, "0123456789") &&
		!strings.ContainsAny(segment, ".- ") &&
		EntropyMilli(segment) >= 3600
}

func fileName(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	return dot > 0 &&
		len(s) < 120 &&
		fileEndings[s[dot+1:]] &&
		!strings.ContainsAny(s, " +=:")
}

// shortNumber recognises counts and switches; from four digits on a number may be a weak password.
func shortNumber(s string) bool {
	return s != "" && len(s) < 4 && strings.Trim(s, "0123456789.") == ""
}

// publishedToken reports whether a JSON Web Token is meant for browsers: its role is anonymous.
func publishedToken(token string) bool {
	parts := strings.Split(token, ".")
	if len(parts) < 2 || len(parts[1]) > 4096 {
		return false
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])

	return err == nil &&
		strings.Contains(strings.ReplaceAll(string(claims), " ", ""), `"role":"anon"`)
}

var longMarkers = sync.OnceValue(func() *wordIndex {
	index := newWordIndex()
	for i, word := range longMarkerWords {
		index.add(word, i)
	}
	return index
})

var longMarkerWords = []string{"example", "changeme", "change-me", "change_me", "change me", "placeholder", "dummy", "redacted",
	"replace", "insert", "notarealkey", "not-a-real", "not_a_real", "fillme", "fill-in", "todo", "deadbeef", "yourapi", "yourtoken", "yourkey", "yoursecret", "yourpass"}

var shortMarkers = set("your", "yours", "fake", "sample", "mock", "xxx", "fixme", "enter", "paste", "tbd", "here")

var switches = set("true", "false", "yes", "no", "on", "off", "none", "null", "nil", "undefined", "0", "1", "enabled", "disabled",
	"auto", "default", "required", "optional", "stdin", "prompt", "env", "-")

// placeholderValues are whole values that local tools ask for when they need no credential.
var placeholderValues = set("ollama", "lm-studio", "lmstudio", "lm_studio", "empty", "not-needed", "not_needed", "notneeded",
	"no-key-required", "sk-no-key-required", "no-key", "nokey", "n/a", "na", "unused", "not-used", "not-required", "anything", "any", "noop", "local", "test", "demo", "unset",
	"test-key", "test_key", "test-token", "test_token", "set-me", "setme", "set_me", "secret-key", "key", "token", "foo", "bar", "foobar", "abc", "abc123", "sk-1234", "sk-123")

var fileEndings = set("json", "pem", "key", "txt", "p12", "pfx", "crt", "cer", "yaml", "yml", "toml", "ini", "env", "db", "jwk",
	"jwks", "jks", "pub", "conf", "cfg", "xml", "sqlite", "kdbx", "gpg", "asc", "ppk")
