package lint

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"governance.internal/shared/secretscan"
)

// literalSecret is MCP001: a credential written into env, headers or auth, where every backup, every
// screenshot and every commit of the file carries it along.
func literalSecret(s *server, r *report) {
	for _, v := range s.env {
		judgeSetting(r, v, "env", 0)
	}
	for _, v := range s.headers {
		judgeSetting(r, v, "header", 0)
	}
	for _, v := range s.fields {
		judgeSetting(r, v, "field", 0)
	}
}

// judgeSetting judges one named value. Kind is env, header or field; of a field, which may be
// anything, only a certain secret counts.
func judgeSetting(r *report, v setting, kind string, depth int) {
	if v.value == "" {
		return
	}
	if matches := secretscan.Scan(v.value); len(matches) > 0 {
		for _, m := range matches {
			reportMatch(r, v, kind, m)
		}
		return
	}

	if judgeURL(r, v, kind) || depth == 0 && judgeEmbedded(r, v, kind) {
		return
	}
	literal, _ := secretscan.Literal(v.value)
	if literal == "" ||
		secretscan.Trivial(literal) ||
		web(literal) ||
		plainValue(v.name, literal) {
		return
	}

	switch named := secretscan.SecretName(v.name); {
	case named:
		judgeNamed(r, v, kind, literal)
	case bearer(v.value) && secretscan.TokenLike(literal):
		r.secret(literal)
		r.add(
			ruleNamedSecret,
			Error,
			v.at,
			say(kind+" ", shown(v.name), " holds a literal bearer token ("+length(literal)+")"),
			moveOut(v, kind),
		)
	case kind != "field" &&
		secretscan.Opaque(literal) &&
		!publicName(v.name):
		r.secret(literal)
		r.add(
			ruleOpaqueValue,
			Warn,
			v.at,
			say(
				kind+" ",
				shown(v.name),
				" holds a value that looks generated, as secrets are ("+length(literal)+")",
			),
			moveOut(v, kind),
		)
	}
}

// plainValue reports whether a value under a secret name is no secret: a "seed" that is the number
// that makes a model repeatable, or a plain word under a loose "key".
func plainValue(name, literal string) bool {
	switch {
	case literal == "":
		return secretscan.SeedName(name)
	case len(literal) >= 16:
		return false
	case strings.Trim(literal, "abcdefghijklmnopqrstuvwxyz-_.") == "":
		return secretscan.LooseName(name)
	case len(literal) < 12 && strings.Trim(literal, "0123456789") == "":
		return secretscan.SeedName(name)
	}
	return false
}

func length(s string) string {
	return strconv.Itoa(utf8.RuneCountInString(s)) + " characters"
}

// bearer reports whether a value is an Authorization header by itself.
func bearer(value string) bool {
	word, _, ok := strings.Cut(strings.TrimSpace(value), " ")
	return ok && (strings.EqualFold(word, "bearer") || strings.EqualFold(word, "basic"))
}

func reportMatch(r *report, v setting, kind string, m secretscan.Match) {
	secret := v.value[m.Start:m.End]
	r.secret(secret)
	rule := ruleProviderSecret
	what := "a literal secret (" + m.Provider + ", " + length(secret) + ")"

	switch m.Provider {
	case secretscan.PrivateKey:
		rule = rulePrivateKey
		what = "a private key"
	case secretscan.ConnectionPassword:
		rule = ruleConnectionPassword
		what = "a connection string with its password (" + length(secret) + ")"
	}

	r.add(rule, Error, v.at, say(kind+" ", shown(v.name), " holds "+what), moveOut(v, kind))
}

func judgeNamed(r *report, v setting, kind, literal string) {
	r.secret(literal)
	rule := ruleNamedSecret
	severity := Warn
	what := "secret"
	switch {
	case secretscan.SeedName(v.name) && len(strings.Fields(literal)) >= 12:
		rule = ruleSeedPhrase
		severity = Error
		what = "wallet seed phrase"
		for _, w := range strings.Fields(literal) {
			r.secret(w)
		}
	case secretscan.PasswordName(v.name):
		what = "password"
		if len(literal) >= 6 {
			severity = Error
		}
	case secretscan.TokenLike(literal):
		severity = Error
	}

	if kind == "field" && severity == Warn {
		return
	}
	r.add(
		rule,
		severity,
		v.at,
		say(kind+" ", shown(v.name), " holds a literal "+what+" ("+length(literal)+")"),
		moveOut(v, kind),
	)
}

// judgeURL looks for secrets in the query and the path of a URL value.
func judgeURL(r *report, v setting, kind string) bool {
	if !web(v.value) {
		return false
	}
	a := splitURL(v.value)
	found := false
	for name, value := range query(a.query) {
		literal, _ := secretscan.Literal(value)
		if literal != "" && secretscan.SecretName(name) && !secretscan.Trivial(literal) {
			r.secret(literal)
			r.add(
				ruleSecretInURLValue,
				Error,
				v.at,
				say(kind+" ", shown(v.name), " holds a URL with a literal secret in parameter ", shown(name)),
				moveOut(v, kind),
			)

			found = true
		}
	}

	if segment, known := secretSegment(a); segment != "" {
		severity := Warn
		if known {
			severity = Error
		}

		r.secret(segment)
		r.add(
			ruleSecretInURLValue,
			severity,
			v.at,
			say(kind+" ", shown(v.name), " holds a URL whose path carries a key ("+length(segment)+")"),
			moveOut(v, kind),
		)

		found = true
	}

	return found
}

// query iterates over the decoded parameters of a query string.
func query(q string) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		for part := range strings.SplitSeq(strings.ReplaceAll(q, ";", "&"), "&") {
			name, value, _ := strings.Cut(part, "=")
			if value != "" && !yield(unescape(name), unescape(value)) {
				return
			}
		}
	}
}

// secretSegment returns the part of the path that is a key. Services in keyedHosts authenticate by
// the path, so there any long segment of letters and digits is one; elsewhere it must look
// generated beyond doubt, because identifiers stand in paths too.
func secretSegment(a address) (segment string, known bool) {
	if len(a.path) < 32 {
		return "", false
	}

	known = underDomain(a.host, keyedHosts)
	for s := range strings.SplitSeq(a.path, "/") {
		if keySegment(s) && (known || secretscan.Opaque(s)) {
			return s, known
		}
	}

	return "", false
}

// keySegment reports whether a part of a path can be a key.
func keySegment(s string) bool {
	return len(s) >= 32 &&
		secretscan.TokenLike(s) &&
		strings.ContainsAny(s, "0123456789") &&
		!secretscan.Placeholder(s)
}

// judgeEmbedded judges the members of a value that is JSON, as in OPENAPI_MCP_HEADERS. It reports
// whether the value is JSON.
func judgeEmbedded(r *report, v setting, kind string) bool {
	if !isEmbedded(v.value) {
		return false
	}
	for name, scalar := range embedded(v.value) {
		judgeSetting(r, setting{name, scalar.text, v.at}, kind, 1)
	}
	return true
}

// publicName recognises names of values that are long and random but not secret.
func publicName(name string) bool {
	lower := strings.ToLower(name)
	return hasAny(lower, publicWords) ||
		strings.HasSuffix(name, "ID") ||
		strings.HasSuffix(name, "Id")
}

var publicWords = []string{"public", "publish", "cert", "hash", "digest", "sha", "checksum", "fingerprint", "integrity", "nonce", "_id", "commit"}

// moveOut returns the hint: the same line with a reference, ready to paste.
func moveOut(v setting, kind string) phrase {
	if kind == "header" && strings.EqualFold(v.name, "authorization") {
		return say(`write "Authorization": "Bearer ${TOKEN}" and set TOKEN outside the file, or use an input prompt; then revoke the old token and issue a new one`)
	}
	return say(
		`write "`,
		shown(v.name),
		`": "${`,
		asVariable(v.name),
		`}" and set the variable outside the file, or use an input prompt; then revoke the old value and issue a new one`,
	)
}

// maxVariable bounds the name that a hint suggests, in bytes. Every finding of a key makes
// the name again, and a hostile document has long keys.
const maxVariable = 64

// variable turns a key into the name of an environment variable.
func variable(name string) string {
	name = name[:min(len(name), maxVariable)]
	upper := strings.Map(func(c rune) rune {
		if c < utf8.RuneSelf && isAlphanumeric(byte(c)) {
			return unicode.ToUpper(c)
		}
		return '_'
	}, name)

	if upper == "" || isDigit(upper[0]) {
		return "SECRET_" + upper
	}
	return upper
}
