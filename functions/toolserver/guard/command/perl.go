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
	perlRunning   = regexp.MustCompile(`\(\?\??\{|@\{\[`) // a program in an expression or a text
	perlText      = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'`)
	perlForbidden = regexp.MustCompile("`|[>|]\\s*[\"'$]|<[^=\\s>]|->\\s*[{\\[(\\w$]|&\\s*[\\w{$]|[$@%]\\s*\\{|\\*\\s*\\{|\\^[A-Z]|\\(\\?\\??\\{|__|::\\s*\\W|=>?\\s*\\\\|\\$0|\\$\\^|@ARGV\\s*=|\\$ARGV")
)

// perlReads reports whether a program of Perl that is short and plain changes nothing. Any doubt says
// no.
func perlReads(code string) bool {
	plain := perlText.ReplaceAllStringFunc(code, textOfPerl)
	plain, ok := withoutReplacements(plain)
	if !ok || strings.Contains(code, "`") || perlRunning.MatchString(code) {
		return false
	}
	plain = perlMatch.ReplaceAllString(plain, "$1 1")
	if perlForbidden.MatchString(plain) {
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
func withoutReplacements(code string) (plain string, ok bool) {
	for {
		found := perlOperator.FindStringSubmatchIndex(code)
		if found == nil {
			return plain + code, true
		}
		program, length, ok := replacement(code[found[1]-1:], code[found[2]:found[3]])
		if !ok {
			return "", false
		}
		plain += code[:found[2]] + " 1 ;" + program + ";"
		code = code[found[1]-1+length:]
	}
}

// replacement is the program in s///e, and how long the operator is from its first delimiter on.
func replacement(code, operator string) (program string, length int, ok bool) {
	s := sedReader{text: code, at: 1}
	delimiter, sections := code[0], 2
	if operator == "m" || operator == "qr" {
		sections = 1
	}
	middle := 0
	for range sections {
		middle = s.at
		if !s.section(delimiter) {
			return "", 0, false
		}
	}

	flags := lengthOf(code[s.at:], func(c rune, _ bool) bool { return c >= 'a' && c <= 'z' })
	runs := strings.Count(code[s.at:s.at+flags], "e")
	if operator == "s" && runs > 0 {
		program = code[middle : s.at-1]
	}
	return program, s.at + flags, runs < 2 || operator != "s"
}
