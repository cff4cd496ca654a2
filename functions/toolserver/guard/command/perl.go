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
	perlOperator  = regexp.MustCompile(`\b(s|tr|y|m|qr)[/|#,!]`)
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

// withoutReplacements takes out s/// and tr///, and patterns that are marked with m or qr. With the flag e
// the replacement is a program, which stays.
func withoutReplacements(code string) (string, bool) {
	plain := ""
	for {
		found := perlOperator.FindStringSubmatchIndex(code)
		if found == nil {
			return plain + code, true
		}
		operator := code[found[2]:found[3]]
		s := sedReader{text: code, at: found[1]}
		delimiter := code[found[1]-1]
		middle := s.at
		ok := s.section(delimiter)
		if operator != "m" && operator != "qr" {
			middle = s.at
			ok = ok && s.section(delimiter)
		}
		if !ok {
			return "", false
		}

		end := s.at
		for end < len(code) && code[end] >= 'a' && code[end] <= 'z' {
			end++
		}
		flags := code[s.at:end]
		plain += code[:found[2]] + " 1 "
		if operator == "s" && strings.Contains(flags, "e") {
			if strings.Contains(flags, "ee") {
				return "", false
			}
			plain += "; " + code[middle:s.at-1] + ";"
		}
		code = code[end:]
	}
}
