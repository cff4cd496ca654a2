// Package mask takes secrets out of texts that others will read: results of tools,
// the worklog, the audit chain.
package mask

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"governance.internal/shared/secretscan"
)

// keyed is a name and a value, as in password=… or "token": "…".
var keyed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([A-Za-z][A-Za-z0-9_.-]{1,63})("?\s*[:=]\s*)("[^"\n]{4,}"|'[^'\n]{4,}'|[^\s"',;&|)}\]]{4,})`)
})

// Text replaces the secrets in a text by what identifies them and cannot be used:
// their first four characters, their length and the beginning of their digest.
func Text(text string) string {
	return keyed().ReplaceAllStringFunc(Shapes(text), maskKeyed)
}

// Shapes replaces only what its own form gives away, wherever it stands.
func Shapes(text string) string {
	found := secretscan.Scan(text)
	if len(found) == 0 {
		return text
	}

	var b strings.Builder
	at := 0
	for _, m := range found {
		b.WriteString(text[at:m.Start])
		b.WriteString(Secret(text[m.Start:m.End]))
		at = m.End
	}

	b.WriteString(text[at:])
	return b.String()
}

// Holds reports whether a text holds a secret.
func Holds(text string) bool { return Text(text) != text }

// All masks each text of a list.
func All(texts []string) []string {
	masked := make([]string, len(texts))
	for i, text := range texts {
		masked[i] = Text(text)
	}
	return masked
}

func maskKeyed(pair string) string {
	parts := keyed().FindStringSubmatch(pair)
	name := parts[1]
	between := parts[2]
	value := parts[3]
	bare := strings.Trim(value, `"'`)
	assigned := strings.Contains(between, "=") ||
		secretscan.PasswordName(name) ||
		secretscan.TokenLike(bare) // and not a word of a sentence
	if !secretscan.SecretName(name) || !assigned || !literal(bare) {
		return pair
	}
	return name + between + strings.Replace(value, bare, Secret(bare), 1)
}

// literal reports whether a value is neither a reference nor a placeholder, nor masked.
func literal(value string) bool {
	text, marked := secretscan.Literal(value)
	_, reference := secretscan.StripReferences(value)
	return text != "" &&
		!strings.HasPrefix(value, "$") &&
		!marked &&
		!reference &&
		!secretscan.Placeholder(value) &&
		!strings.Contains(value, "(masked")
}

// Secret is what is shown of a secret.
func Secret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return fmt.Sprintf("%s(masked, %d characters, sha256 %x)",
		secret[:min(4, len(secret)/4)], len(secret), sum[:4])
}
