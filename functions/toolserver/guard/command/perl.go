package command

import (
	"regexp"
	"strings"
)

// perlWords are the words of Perl that compute, print or read, and modules that do nothing else.
var perlWords = setOf(`print printf say if unless else elsif for foreach while until next last redo and or not xor my our local length split join lc uc lcfirst ucfirst
	sort keys values push pop shift unshift map grep reverse scalar chomp chop defined exists delete substr index rindex sprintf int abs sqrt hex oct ord chr
	qw q qq m s tr y x eq ne lt gt le ge cmp undef wantarray return sub BEGIN END STDERR STDOUT STDIN ARGV List Util sum sum0 max min first uniq shuffle
	time localtime gmtime rand srand exit die warn ENV F a b _ e g i o r gi ge gx each splice pos quotemeta strict warnings use no POSIX floor ceil strftime eof`)

var (
	perlWord      = regexp.MustCompile(`[$@%&]?[A-Za-z_]\w*`)
	perlMatch     = regexp.MustCompile(`(^|[({;,!~=&|]|\b(?:if|unless|and|or|not|split|grep|while|for|return)\b)\s*m?/((?:[^/\\\n]|\\.)*)/[a-z]*`)
	perlReplace   = regexp.MustCompile(`\b(?:s|tr|y)([/|#,!])((?:[^\\\n]|\\.)*?)([/|#,!])((?:[^\\\n]|\\.)*?)([/|#,!])([a-z]*)`)
	perlText      = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'`)
	perlForbidden = regexp.MustCompile("`|[>|]\\s*[\"'$]|<[^=\\s>]|->\\s*[{\\[(\\w$]|&\\s*[\\w{$]|[$@%]\\s*\\{|\\*\\s*\\{|\\^[A-Z]|\\(\\?\\??\\{|__|::\\s*\\W|=>?\\s*\\\\|\\$0|\\$\\^|@ARGV\\s*=|\\$ARGV")
)

// perlReads reports whether a program of Perl that is short and plain changes nothing. Any doubt says
// no.
func perlReads(code string) bool {
	if strings.Contains(code, "(?{") || strings.Contains(code, "@{[") || strings.ContainsAny(code, "`") {
		return false
	}
	plain := perlText.ReplaceAllStringFunc(code, textOfPerl)
	plain, ok := withoutReplacements(plain)
	if !ok {
		return false
	}
	plain = perlMatch.ReplaceAllString(plain, "$1 1")
	if strings.ContainsAny(plain, "<>|\\`/") && perlForbidden.MatchString(plain) || perlForbidden.MatchString(plain) {
		return false
	}

	for _, word := range perlWord.FindAllString(plain, -1) {
		isVariable := strings.ContainsAny(word[:1], "$@%")
		if !isVariable && !perlWords[word] {
			return false
		}
	}
	return true
}

// textOfPerl leaves of a text nothing, unless a part of it runs.
func textOfPerl(text string) string {
	if strings.Contains(text, "@{") || strings.Contains(text, "${") {
		return "`"
	}
	return " 1 "
}

// withoutReplacements takes out s/// and tr///. With the flag e the replacement is a program, which stays.
func withoutReplacements(code string) (string, bool) {
	ok := true
	plain := perlReplace.ReplaceAllStringFunc(code, func(found string) string {
		part := perlReplace.FindStringSubmatch(found)
		if part[1] != part[3] || part[3] != part[5] || strings.Contains(part[6], "ee") {
			ok = false
			return ""
		}
		if strings.Contains(part[6], "e") {
			return " 1; " + part[4] + ";"
		}
		return " 1 "
	})
	return plain, ok
}
