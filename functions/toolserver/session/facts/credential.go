package facts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"governance.internal/shared/secretscan"
)

const (
	// leastDigested is the length from which a digest is shown, in bytes: all shorter texts
	// can be tried out.
	leastDigested = 8

	// leastEnding is the length from which the last four characters are shown. Of a shorter
	// credential they would be too large a part.
	leastEnding = 12

	// leastMentioned is the length from which a word of the content is taken out of other
	// texts, wherever it stands.
	leastMentioned = 4
)

// around are the characters that stand before and after a word.
const around = "\"'`()[]{}<>,;.:"

// digestMark stands before the digest of a credential.
const digestMark = "sha256 "

// removed stands where a part of a credential was.
const removed = "(credential)"

// withheld is a note of a credential without its content. What the other members repeat of
// it goes as well.
func (n Note) withheld() Note {
	forget := forgetter(n.Content)
	tags := []string{}
	for _, tag := range n.Tags {
		tags = append(tags, forget(tag))
	}

	n.Title = forget(n.Title)
	n.Source = forget(n.Source)
	n.Tags = tags
	n.Content = pointer(n.Content)
	return n
}

// pointer tells of a credential what it is recognised by, and that it is kept elsewhere.
func pointer(content string) string {
	secret := strings.TrimSpace(content)
	kind := "secret"
	if found := secretscan.Scan(content); len(found) == 1 {
		kind = found[0].Provider
		secret = content[found[0].Start:found[0].End]
	}

	parts := []string{"credential: " + kind}
	if len(secret) >= leastEnding {
		parts = append(parts, "ends in "+ending(secret))
	}
	if len(secret) >= leastDigested {
		sum := sha256.Sum256([]byte(secret))
		parts = append(parts, digestMark+hex.EncodeToString(sum[:])[:12])
	}
	parts = append(parts, "its value is not kept here: look it up in the secret store and refer to it by name")
	return strings.Join(parts, "; ")
}

// ending is the last four characters of a credential.
func ending(secret string) string {
	at := len(secret)
	for range 4 {
		_, size := utf8.DecodeLastRuneInString(secret[:at])
		at -= size
	}
	return fmt.Sprintf("%q", secret[at:])
}

// forgetter takes a credential out of other texts: its whole content, each secret in it, and
// each of its words that is not plain.
func forgetter(content string) func(string) string {
	parts := []string{strings.TrimSpace(content), oneLine(content)}
	for _, m := range secretscan.Scan(content) {
		parts = append(parts, content[m.Start:m.End])
	}
	for word := range strings.FieldsSeq(content) {
		parts = append(parts, guarded(word)...)
	}

	return func(text string) string {
		for _, part := range parts {
			text = without(text, part)
		}
		return text
	}
}

// guarded are the parts of a word that may be a secret: the word without what stands around
// it, and the value of a pair such as key=value.
func guarded(word string) []string {
	word = strings.Trim(word, around)
	parts := []string{word}
	if at := strings.IndexAny(word, "=:"); at >= 0 {
		parts = append(parts, word[at+1:])
	}

	var kept []string
	for _, part := range parts {
		if len(part) >= leastMentioned && !isPlain(part) {
			kept = append(kept, part)
		}
	}
	return kept
}

// isPlain reports whether a word may be one of a language: letters only, and not many.
func isPlain(word string) bool {
	isLetters := !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
	return isLetters && len(word) <= longestPlain
}

// longestPlain is the length of the longest word that counts as one of a language, in bytes.
const longestPlain = 12

// without takes a part out of a text. A short one counts only where it is a word.
func without(text, part string) string {
	if part == "" {
		return text
	}
	if len(part) >= leastMentioned {
		return strings.ReplaceAll(text, part, removed)
	}

	words := strings.Fields(text)
	for i, word := range words {
		if strings.Trim(word, around) == part {
			words[i] = removed
		}
	}
	return strings.Join(words, " ")
}
