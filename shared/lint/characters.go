package lint

import "strings"

func isLower(c byte) bool {
	return c >= 'a' && c <= 'z'
}

func isUpper(c byte) bool {
	return c >= 'A' && c <= 'Z'
}

func isLetter(c byte) bool {
	return isLower(c) || isUpper(c)
}

func isDigit(c byte) bool {
	return c >= '0' && c <= '9'
}

func isAlphanumeric(c byte) bool {
	return isLetter(c) || isDigit(c)
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n'
}

// startsWithAny reports whether s begins with one of the prefixes.
func startsWithAny(s string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}

// hasAny reports whether s contains one of the words.
func hasAny(s string, words []string) bool {
	for _, word := range words {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// wrappedIn reports whether s begins and ends with the marks.
func wrappedIn(s, opening, closing string) bool {
	return strings.HasPrefix(s, opening) && strings.HasSuffix(s, closing)
}

// underDomain reports whether a host is one of the domains or below one.
func underDomain(host string, domains []string) bool {
	for _, domain := range domains {
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return false
}
