package secretscan

import "strings"

// SecretName reports whether a variable, header, flag or field of this name is meant to hold a
// secret: its last word is key, token, secret, password and the like. Names that only mention a
// secret (MAX_TOKENS, TOKEN_FILE, KEY_ID, PUBLIC_KEY) do not qualify.
func SecretName(name string) bool {
	last, before := tail(name)
	if len(last) < 3 {
		return false
	}
	if notSecretBefore[[2]string{before, last}] {
		return false
	}

	switch {
	case secretWords[last]:
		return true
	case passwordWords(last, before), seedWords(last, before):
		return true
	case secretPlurals[last] && pluralAfter[before]:
		return true
	}

	for _, suffix := range secretSuffixes {
		if len(last) > len(suffix) && strings.HasSuffix(last, suffix) {
			return true
		}
	}

	return false
}

// PasswordName reports whether the name calls for a password, which people choose and which is
// therefore short and regular, rather than for a generated token.
func PasswordName(name string) bool { return passwordWords(tail(name)) }

func passwordWords(last, before string) bool {
	switch last {
	case "pass":
		return !passBefore[before]
	case "password", "passwd", "pwd", "passphrase", "passcode", "passwords":
		// PWD and OLDPWD alone are the shell's working directory.
		return !(last == "pwd" && before == "")
	case "auth":
		return authBefore[before]
	}
	return strings.HasSuffix(last, "password") || strings.HasSuffix(last, "passwd")
}

// LooseName reports whether a name ends in a bare "key" that is as often the key of a record as a
// secret: key, session-key, MAIN_KEY. A plain word is no secret there.
func LooseName(name string) bool {
	last, before := tail(name)
	return last == "key" && !strictBefore[before]
}

var strictBefore = set("api", "access", "secret", "private", "auth", "encryption", "signing", "master", "license", "licence", "service", "app", "application", "client", "admin", "token", "jwt", "account", "subscription")

// SeedName reports whether the name calls for a wallet seed or recovery phrase.
func SeedName(name string) bool { return seedWords(tail(name)) }

func seedWords(last, before string) bool {
	switch last {
	case "mnemonic":
		return true
	case "seed":
		return !notSeedBefore[before]
	case "phrase", "words":
		return phraseBefore[before]
	}
	return false
}

// notSeedBefore are the words that make a seed the start of a random sequence.
var notSeedBefore = set("random", "rng", "sampling")

var phraseBefore = set("seed", "recovery", "secret", "mnemonic", "backup")

var secretWords = set("key", "token", "secret", "pat", "credential", "credentials", "authorization",
	"cookie", "apikey", "jwt", "bearer", "authtoken", "accesstoken", "secretkey", "privatekey", "accesskey", "apitoken")

var secretSuffixes = []string{"apikey", "token", "secret", "privatekey", "accesskey", "secretkey"}

var secretPlurals = set("keys", "tokens", "secrets")

var pluralAfter = set("api", "access", "auth", "secret", "private", "client", "bearer")

var authBefore = set("basic", "http", "proxy")

var passBefore = set("by", "first", "second", "single", "multi", "num", "pre", "post", "high", "low", "band", "all")

// notSecretBefore lists the two-word endings that look secret and are not: identifiers of data
// (sort key), of models (eos token) and keys that are published on purpose.
var notSecretBefore = pairs(
	"public key", "anon key", "publishable key", "pub key", "site key", "sort key", "partition key", "primary key",
	"foreign key", "cache key", "object key", "file key", "project key", "issue key", "space key", "hot key",
	"shortcut key", "registry key", "idempotency key", "row key", "column key", "lookup key", "feature key",
	"locale key", "group key", "routing key", "document key", "s3 key", "host key", "known key", "map key",
	"dedup key", "index key", "id key", "team key", "board key", "template key", "name key", "user key",
	"eos token", "bos token", "pad token", "stop token", "page token", "next token", "special token", "mask token",
	"max token", "min token", "num token", "sync token", "continuation token", "start token", "end token",
	"session cookie", "no token", "no key", "no password", "skip token", "per token", "count token",
)

// tail returns the last word of a name and the one before it, in lower case. Numbers at the end
// (API_KEY_2) are not words.
func tail(name string) (last, before string) {
	if len(name) > 256 {
		name = name[len(name)-256:]
	}

	end := len(name)
	for found := 0; end > 0 && found < 2; {
		for end > 0 && !isWordByte(name[end-1]) {
			end--
		}

		start := end
		for start > 0 &&
			isWordByte(name[start-1]) &&
			!(start < end && wordBreak(name, start)) {
			start--
		}

		letters := end
		for letters > start && isDigit(name[letters-1]) {
			letters--
		}

		word := strings.ToLower(name[start:letters])
		end = start
		if word == "" {
			continue
		}

		if found == 0 {
			last = word
		} else {
			before = word
		}

		found++
	}

	return last, before
}

// wordBreak reports whether a new word begins at index i of a camelCase name.
func wordBreak(name string, i int) bool {
	if !isUpper(name[i]) {
		return false
	}
	if !isUpper(name[i-1]) {
		return true
	}
	return i+1 < len(name) && isLower(name[i+1])
}

func isWordByte(c byte) bool {
	return isUpper(c) || isLower(c) || isDigit(c)
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// pairs makes a set of two-word phrases.
func pairs(phrases ...string) map[[2]string]bool {
	m := make(map[[2]string]bool, len(phrases))
	for _, p := range phrases {
		first, second, _ := strings.Cut(p, " ")
		m[[2]string{first, second}] = true
	}
	return m
}
