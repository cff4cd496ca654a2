package filescan

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"governance.internal/shared/secretscan"
)

// value is a text beside a name.
type value struct {
	name string
	text string
	bare bool // without quotes
	kind kind
	rule string
}

// schemes stand before the credential of a header.
var schemes = []string{"bearer", "basic", "token", "apikey"}

// withoutScheme moves the place of a value behind "Bearer ".
func (v value) withoutScheme(text string, start, end int) (int, int) {
	word, rest, ok := strings.Cut(text[start:end], " ")
	if ok && slices.Contains(schemes, strings.ToLower(word)) {
		return end - len(rest), end
	}
	if !v.bare || !slices.Contains(schemes, strings.ToLower(text[start:end])) {
		return start, end
	}

	after := text[end:]
	next := regexpWord.FindStringIndex(after)
	if next == nil {
		return start, end
	}
	return end + next[0] + 1, end + next[1]
}

var regexpWord = regexp.MustCompile(`^ [^\s"'` + "`" + `]+`)

// judge says how severe a value is, and by which rule; "" if it is no credential.
func (v value) judge() (severity, rule string) {
	text := strings.TrimSpace(v.text)
	if isHash(text) {
		return v.judgeHash()
	}
	if isPublishable(text) {
		return Info, RulePublic
	}
	if !isLiteral(text) || isDocumented(text) || isExampleLogin(text) {
		return "", ""
	}
	if !v.couldBeSecret(text) {
		return "", ""
	}

	if isTestMode(text) {
		return Warn, v.rule
	}
	return Error, v.rule
}

// judgeHash reports a hash under the name of a password. Elsewhere it names something.
func (v value) judgeHash() (severity, rule string) {
	ofPassword := secretscan.PasswordName(lastPart(v.name))
	saysHash := strings.Contains(strings.ToLower(v.name), "hash")
	if ofPassword || saysHash {
		return Info, RuleHash
	}
	return "", ""
}

// couldBeSecret reports whether a literal is as its kind is: people choose passwords, and
// programs make up the rest.
func (v value) couldBeSecret(text string) bool {
	if v.isPassword() {
		return isRealPassword(text) && v.couldBePassword(text)
	}
	return v.isGenerated(text)
}

// isExampleLogin reports whether a text is USER:PASSWORD in base64, as the scheme Basic has it
// (RFC 7617), with a password that examples have.
func isExampleLogin(text string) bool {
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !utf8.Valid(decoded) {
		return false
	}
	_, password, ok := strings.Cut(string(decoded), ":")
	return ok && (!isRealPassword(password) || strings.ContainsAny(password, " {$<"))
}

// isPassword reports whether people choose what the name stands for.
func (v value) isPassword() bool {
	isShortFlag := v.rule == RuleFlag && len(v.name) <= 2
	return isShortFlag || slices.Contains(passwordSettings, v.name) || secretscan.PasswordName(lastPart(v.name))
}

// passwordSettings are names of passwords in settings and options that do not say password.
var passwordSettings = []string{"requirepass", "masterauth", "auth_pass", "bindpw", "rootpw", "--user", "--auth"}

// hashes are the forms in which passwords are stored.
var hashes = regexp.MustCompile(`^(\$2[abxy]?\$\d\d\$|\$argon2|\$5\$|\$6\$|\$1\$|\$apr1\$|\$y\$|\$scrypt\$|pbkdf2_sha|pbkdf2:sha|scrypt:|\{SSHA|\{SHA|\{PBKDF2|SCRAM-SHA-256\$)`)

func isHash(text string) bool { return hashes.MatchString(text) }

// publishable are keys that pages show to everybody.
var publishable = regexp.MustCompile(`^(pk_(live|test)_|pk\.eyJ|phc_|sb_publishable_|G-[A-Z0-9]{8,}$|UA-\d+-\d+$|ssh-(rsa|ed25519|dss) |ecdsa-sha2-|age1[a-z0-9]{50,}$)`)

func isPublishable(text string) bool { return publishable.MatchString(text) }

// notLiteral are the forms of references, expressions and places.
var notLiteral = regexp.MustCompile(`^(\$|%[A-Za-z_]+%|@|!|&|\*|<|\{\{|#\{|\(|\[|https?://|ftp://|file:|/|\./|\.\./|~|[A-Za-z]:\\|arn:|op://|vault:|ssm:|secretsmanager:|sops:|env:|ENC\(|ENC\[|AQICA|\\)|\$\{|\$\(|\{\{|<%|#\{|\}\}|[A-Za-z_]\(|\)\.|=>|::|^\w+\.\w+\.\w+$`)

// uuid and digests name things.
var (
	uuid   = regexp.MustCompile(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	digest = regexp.MustCompile(`(?i)^(sha(1|256|384|512)|md5|h1)[:-]`)
)

// isLiteral reports whether a text stands for itself: no reference, no placeholder, no
// expression, no sentence.
func isLiteral(text string) bool {
	if text == "" || strings.ContainsAny(text, " \t") {
		return false
	}
	if notLiteral.MatchString(text) || namesSomething(text) {
		return false
	}

	literal, marked := secretscan.Literal(text)
	isPart := marked && literal != text
	if literal == "" || isPart {
		return false
	}
	return !isStandIn(text)
}

// namesSomething reports whether a text identifies a thing and opens nothing.
func namesSomething(text string) bool {
	isScope := strings.Contains(text, "/aws4_request") // of a signature, which names the key
	return isScope || uuid.MatchString(text) || digest.MatchString(text)
}

// isStandIn reports whether a text stands in the place of a value.
func isStandIn(text string) bool {
	return secretscan.Placeholder(text) || secretscan.Trivial(text) || isWordOfCode(text)
}

// wordsOfCode are values that name a kind of thing.
var wordsOfCode = []string{
	"string", "str", "bool", "boolean", "int", "integer", "number", "object", "text", "varchar", "bytes", "null", "none", "nil",
	"undefined", "true", "false", "yes", "no", "required", "optional", "strong", "weak", "default", "auto", "prompt", "bearer",
	"basic", "digest", "oauth", "oauth2", "apikey", "header", "cookie", "query", "any", "never", "always", "enabled", "disabled",
}

func isWordOfCode(text string) bool {
	return slices.Contains(wordsOfCode, strings.ToLower(text))
}

// minPassword is the shortest text that counts as a password.
const minPassword = 4

// isRealPassword reports whether a text can be the password of something: it is not one of
// those that examples and local set-ups have.
func isRealPassword(text string) bool {
	if len(text) < minPassword || isHash(text) {
		return false
	}
	lower := strings.Trim(strings.ToLower(text), "0123456789!@#$_-")
	return !slices.Contains(examplePasswords, lower) &&
		!slices.Contains(examplePasswords, strings.ToLower(text)) &&
		isLiteral(text)
}

var examplePasswords = []string{
	"", "password", "passwort", "passwd", "pass", "pwd", "secret", "s3cr3t", "s3cret", "changeme", "change_me", "change-me",
	"changeit", "example", "test", "testing", "dummy", "foo", "bar", "foobar", "admin", "root", "user", "username", "guest",
	"postgres", "mysql", "redis", "mongo", "rabbitmq", "minio", "minioadmin", "p@ssw0rd", "passw0rd", "letmein", "qwerty",
	"mypassword", "yourpassword", "my-secret", "mysecret", "supersecret", "topsecret", "hunter", "notasecret", "invalid",
	"wrong", "wrongpassword", "token", "key", "value", "db_password", "dbpassword", "empty", "fake", "mock", "placeholder",
	"redacted", "hidden", "masked", "removed",
}

// couldBePassword reports whether the kind of file and the form of a text fit a password. A
// word of letters alone is a label in code and data, and a password in settings.
func (v value) couldBePassword(text string) bool {
	repeatsName := strings.EqualFold(lettersOf(text), lettersOf(v.name))
	if repeatsName {
		return false
	}

	varied := isVaried(text)
	switch v.kind {
	case envFile, plain, yamlFile:
		longEnough := len(text) >= minWord
		return varied || longEnough && !isWordy(text)
	case prose:
		return varied && secretscan.TokenLike(text)
	}
	return varied && !isIdentifier(text)
}

// minWord is the length from which letters alone count as a password of settings.
const minWord = 6

// isVaried reports whether a text has more than the letters of words.
func isVaried(text string) bool {
	return isMixed(text) || strings.ContainsAny(text, "0123456789!@#$%^&*+=?~|")
}

// lettersOf is a text without anything but letters and digits.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}, text)
}

// identifier is a name of code: words joined by case, dots or underscores, with few digits.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z_.]*[0-9]?$`)

func isIdentifier(text string) bool { return identifier.MatchString(text) }

// wordy is made of words in lower case, joined by marks, perhaps with a version at its end.
var wordy = regexp.MustCompile(`^[A-Za-z]*[a-z]+([-_.:/@][A-Za-z]*[a-z]*)*([-_.:/]?v?[0-9]{1,3})?$|^[A-Z]+([-_][A-Z]+)*$`)

func isWordy(text string) bool { return wordy.MatchString(text) }

// Limits of generated values.
const (
	minGenerated  = 8
	shortEntropy  = 2750 // thousandths of a bit for each character
	longEntropy   = 3000
	looseEntropy  = 3700
	longGenerated = 16
	minLoose      = 20
)

// isGenerated reports whether a text is as varied as what programs make up.
func (v value) isGenerated(text string) bool {
	if len(text) < minGenerated || isNameOfCode(text) {
		return false
	}
	if v.kind == prose && !secretscan.TokenLike(text) {
		return false
	}

	isLoose := v.rule == RuleKeyed && secretscan.LooseName(lastPart(v.name))
	if isLoose {
		return isLooseKey(text)
	}
	return looksGenerated(text)
}

// looksGenerated reports whether a text has the kinds of characters and the entropy of a generated one
// of its length.
func looksGenerated(text string) bool {
	entropy := secretscan.EntropyMilli(text)
	if len(text) < longGenerated {
		return hasLettersAndDigits(text) && entropy >= shortEntropy
	}

	isMixture := hasLettersAndDigits(text) || isMixed(text)
	return isMixture && entropy >= longEntropy
}

// isNameOfCode reports whether a text is made of words, as names in code are.
func isNameOfCode(text string) bool {
	return isWordy(text) || isIdentifier(text) && !isMixed(text)
}

// isLooseKey reports whether the value of a name such as cache_key is made up all the same.
func isLooseKey(text string) bool {
	return len(text) >= minLoose &&
		hasLettersAndDigits(text) &&
		isMixed(text) &&
		secretscan.EntropyMilli(text) >= looseEntropy
}

func hasLettersAndDigits(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.ContainsFunc(text, isASCIILetter)
}

func isASCIILetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// isMixed reports whether a text has both cases in an order that no name has: at least four
// changes between them.
func isMixed(text string) bool {
	changes := 0
	for i := 1; i < len(text); i++ {
		a, b := text[i-1], text[i]
		upperA, upperB := a >= 'A' && a <= 'Z', b >= 'A' && b <= 'Z'
		bothLetters := isASCIILetter(rune(a)) && isASCIILetter(rune(b))
		if bothLetters && upperA != upperB {
			changes++
		}
	}
	return changes >= 4
}
