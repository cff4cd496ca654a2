// Package filescan finds credentials in files: source code, configuration, scripts,
// notebooks, manifests of Kubernetes and state files.
//
// Three things give a credential away: its own shape ("ghp_…"), the place where it stands (the
// password of a connection string, a header, a URL), or the name beside it. A name alone is no
// proof: the value must also be literal, no placeholder, and as varied as its kind is.
//
// Files whose values are sealed (SOPS, age, sealed secrets, Ansible Vault) and lock files hold
// nothing to find. Values are never kept or logged.
package filescan

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"governance.internal/shared/secretscan"
)

// Severities.
const (
	Error = "error"
	Warn  = "warn" // a key of a test mode
	Info  = "info" // published on purpose, or a hash of a password
)

// Rules besides the names of providers.
const (
	RuleKeyed  = "keyed-secret"    // the name beside it says secret
	RuleHeader = "header-secret"   // of an HTTP request
	RuleURL    = "url-secret"      // in the query of an address
	RuleFlag   = "argument-secret" // of a command line
	RuleSealed = "kubernetes-secret"
	RuleHash   = "password-hash"
	RulePublic = "publishable-key"
)

// Finding is a credential in a file. Start and End are the bytes of the credential itself.
type Finding struct {
	Rule     string
	Severity string
	Name     string // beside the value, "" for none
	Line     int    // from 1
	Start    int
	End      int
}

// Scan finds the credentials of a file, in their order. Sealed says why a file was not
// looked into, "" if it was.
func Scan(name string, text []byte) (found []Finding, sealed string) {
	if sealed = whySealed(name, text); sealed != "" {
		return nil, sealed
	}

	s := &scanner{
		text: string(text),
		kind: kindOf(name),
	}
	s.shapes()
	s.encodedKeys()
	s.registryLogins()
	s.lines()
	if strings.HasSuffix(name, ".pgpass") {
		s.passwordLines()
	}
	if s.kind == notebook {
		s.notebook()
	}
	if s.kind == yamlFile {
		s.kubernetes()
	}
	return s.sorted(), ""
}

// whySealed says why a file holds no readable credential.
func whySealed(name string, text []byte) string {
	head := text[:min(len(text), 8<<10)]
	base := path.Base(name)
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return "binary"
	case slices.Contains(lockFiles, base):
		return "lock file"
	case bytes.HasPrefix(text, []byte("$ANSIBLE_VAULT;")):
		return "sealed by Ansible Vault"
	case bytes.HasPrefix(text, []byte("age-encryption.org/")), bytes.HasPrefix(text, []byte("-----BEGIN AGE ENCRYPTED FILE-----")):
		return "sealed by age"
	case bytes.Contains(text, []byte("kind: SealedSecret")):
		return "a sealed secret"
	case isSOPS(text):
		return "sealed by SOPS"
	}
	return ""
}

// isSOPS reports whether SOPS sealed a file: it holds a code of authentication over its
// values.
func isSOPS(text []byte) bool {
	return bytes.Contains(text, []byte("ENC[AES256_GCM,")) &&
		(bytes.Contains(text, []byte("sops:")) || bytes.Contains(text, []byte(`"sops":`)) || bytes.Contains(text, []byte("sops_mac=")))
}

var lockFiles = []string{
	"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "go.sum", "Cargo.lock",
	"poetry.lock", "uv.lock", "Pipfile.lock", "composer.lock", "Gemfile.lock", "flake.lock", "mix.lock", "pubspec.lock",
	"Podfile.lock", "packages.lock.json", "deno.lock", ".terraform.lock.hcl", "gradle.lockfile", "Chart.lock",
}

// scanner looks through one file.
type scanner struct {
	text  string
	kind  kind
	found []Finding
}

// maxFindings bounds what is reported of one file: a file with more is a dump.
const maxFindings = 1000

// add notes a credential, unless a more exact rule found the same bytes.
func (s *scanner) add(f Finding) {
	if len(s.found) >= maxFindings {
		return
	}
	for _, other := range s.found {
		if f.Start < other.End && other.Start < f.End {
			return
		}
	}
	s.found = append(s.found, f)
}

func (s *scanner) sorted() []Finding {
	slices.SortFunc(s.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), strings.Compare(a.Rule, b.Rule))
	})
	line, at := 1, 0
	for i := range s.found {
		line += strings.Count(s.text[at:s.found[i].Start], "\n")
		at = s.found[i].Start
		s.found[i].Line = line
	}
	return s.found
}

// shapes finds what its own form gives away, wherever it stands.
func (s *scanner) shapes() {
	for _, m := range secretscan.Scan(s.text) {
		token := s.text[m.Start:m.End]
		if isDocumented(token) {
			continue
		}
		if m.Provider == secretscan.ConnectionPassword && !isRealPassword(token) {
			continue
		}
		if m.Provider == secretscan.PrivateKey && !keyBody.MatchString(token) {
			continue
		}
		f := Finding{
			Rule:     m.Provider,
			Severity: Error,
			Start:    m.Start,
			End:      m.End,
		}
		if isTestMode(token) {
			f.Severity = Warn
		}
		s.add(f)
	}
}

// keyBody is the beginning of the body of a private key. Code that looks for keys names the
// line before it, without a body.
var keyBody = regexp.MustCompile(`^(?:[\s"'+,\\]|\\r|\\n|[A-Z][A-Za-z-]+: [^\n]*\n)*[A-Za-z0-9+/]{24,}`)

// isTestMode reports whether a key works on play data only.
func isTestMode(token string) bool {
	for _, prefix := range []string{"sk_test_", "rk_test_", "secret-test-", "whsec_test_"} {
		if strings.HasPrefix(token, prefix) {
			return true
		}
	}
	return false
}

// documented are keys that the documentation of providers shows.
var documented = []string{
	"EXAMPLE", "4eC39HqLyjWDarjtT1zdp7dc", "BQokikJOvBiI2HlWgH4olfQ2", "tR3PYbcVNZZ796tH88S4VQ2u",
	"SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c", "XbPfbIHMI6arZ3Y922BhjWgQzWXcXNrz0ogtVhfEd2o",
	"Gfx6VO9tcxwk6xqx9yYzSfebfeakZp5JYIgP_edcw_A", "DaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",
	"abcdefghijklmnop", "ABCDEFGHIJKLMNOP", "1234567890abcdef", "0123456789abcdef", "1234567890ABCDEF", "0123456789ABCDEF",
}

func isDocumented(token string) bool {
	return slices.ContainsFunc(documented, func(mark string) bool { return strings.Contains(token, mark) })
}
