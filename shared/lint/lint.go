// Package lint judges MCP client configurations: the files in which Claude Desktop, VS Code,
// Cursor, Codex and others list the tool servers they start or call.
//
// The lint is static and deterministic. It reads one JSON document, never starts, resolves or
// contacts anything, and answers the same bytes for the same configuration whatever its key
// order, white space or escapes. Eight checks in four categories (secrets exposure, supply-chain
// pinning, scope breadth, transport security) give findings; the findings give a score from 0 to
// 100, which clean servers beside a broken one do not raise. Rules lists every rule; NotSeen lists what
// a static lint cannot see.
//
// No result, error or SARIF log holds any part of a secret: messages name keys, providers and
// lengths, and everything taken from the document passes a redaction that knows every secret
// found (report.go).
package lint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Ruleset is the version of the rules and of their data lists. The same document under the same
// ruleset gives the same bytes.
const Ruleset = "2026-11-22"

// Severity is the severity of a finding.
type Severity string

// The severities, in falling order.
const (
	Error Severity = "error" // fix before the next start: a secret is exposed or foreign code runs
	Warn  Severity = "warn"  // fix soon: one more mistake makes it an error
	Info  Severity = "info"  // worth knowing
)

func (s Severity) rank() int {
	switch s {
	case Error:
		return 3
	case Warn:
		return 2
	case Info:
		return 1
	}
	return 0
}

// Finding is one rule broken by one server. Each place of a secret is a finding of its own, so that
// every one of them is named; several places that break another rule are one finding with a count.
type Finding struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`    // MCP001 to MCP008; MCP000 for what was not understood
	Rule     string   `json:"rule"`    // stable kebab name of the rule within the code
	Server   string   `json:"server"`  // the server's name as the document has it
	Path     string   `json:"path"`    // JSON pointer (RFC 6901) to the first place
	OWASP    string   `json:"owasp"`   // OWASP MCP Top 10 id, for example "MCP01:2025"
	Message  string   `json:"message"` // at most 300 bytes
	Hint     string   `json:"hint"`    // at most 300 bytes: what to write instead
	Count    int      `json:"count"`   // places, at least 1

	line, column int // of the first place, both from 1; 0 in a finding that was decoded from JSON
}

// Position returns the line and the column of the first place, both counted from 1, the column in
// characters. They are 0 for a finding that does not come from Lint.
func (f Finding) Position() (line, column int) {
	return f.line, f.column
}

// MaxFindings bounds the findings of one answer. The gravest are in it.
const MaxFindings = 200

// Summary counts servers and findings, also those that the answer leaves out.
type Summary struct {
	Servers int    `json:"servers"`
	Errors  int    `json:"errors"`
	Warns   int    `json:"warns"`
	Infos   int    `json:"infos"`
	Omitted int    `json:"omitted,omitempty"` // findings beyond MaxFindings
	Ruleset string `json:"ruleset"`
}

// Result is the answer to one document. Findings is never nil.
type Result struct {
	Score    int       `json:"score"` // 0 to 100; at most 59 with any error
	Findings []Finding `json:"findings"`
	Summary  Summary   `json:"summary"`
}

// MarshalJSON writes invisible and bidirectional characters of server names as \u escapes, so
// that the answer can be shown as text anywhere and still decodes to the true name.
func (r Result) MarshalJSON() ([]byte, error) {
	type plain Result
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	raw, err := json.Marshal(plain(r))
	if err != nil {
		return nil, err
	}
	return asciiInvisible(raw), nil
}

// asciiInvisible escapes what printable excludes. Such characters occur only inside strings.
func asciiInvisible(raw []byte) []byte {
	clean := true
	for _, c := range raw {
		clean = clean && c >= ' ' && c < 0x7f
	}

	if clean {
		return raw
	}
	var out bytes.Buffer
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		switch {
		case r >= ' ' && printable(r) ||
			r == '\n' ||
			r == utf8.RuneError && size == 1:
			out.Write(raw[:size])
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}

		raw = raw[size:]
	}

	return out.Bytes()
}

// Codes of InputError.
const (
	CodeNotJSON           = "not_json"
	CodeComments          = "comments"
	CodeMultipleDocuments = "multiple_documents"
	CodeDuplicateKey      = "duplicate_key"
	CodeTooDeep           = "too_deep"
	CodeInvalidUTF8       = "invalid_utf8"
	CodeWrongType         = "wrong_type"
	CodeNoServers         = "no_servers"
)

// maxDetail bounds the detail of an InputError in bytes.
const maxDetail = 400

// InputError says why a document cannot be linted and what to do about it. Such a document is not
// charged; over HTTP it is status 400. Detail repeats no values of the document and
// no key that may hold a secret.
type InputError struct {
	Code   string // one of the Code constants
	Detail string
}

func (e *InputError) Error() string {
	return "lint: " + e.Code + ": " + e.Detail
}

// LintJSONC is Lint for a file as editors keep it, with comments and trailing commas.
func LintJSONC(doc []byte) (Result, error) {
	return Lint(standardize(doc))
}

// Lint judges one MCP client configuration. The error is always an *InputError.
func Lint(doc []byte) (Result, error) {
	r, servers, err := judge(doc)
	if err != nil {
		return Result{}, err
	}
	result := Result{
		Score:    r.score(),
		Findings: r.findings(doc),
		Summary:  r.summary(),
	}
	result.Summary.Servers = servers
	return result, nil
}

// judge runs all checks over a document.
func judge(doc []byte) (r *report, servers int, err error) {
	root, err := parse(doc)
	if err != nil {
		return nil, 0, err
	}

	found, err := readServers(root)
	if err != nil {
		return nil, 0, err
	}

	r = &report{}
	for _, s := range found {
		r.server = s
		for _, check := range checks {
			check(s, r)
		}
	}

	return r, len(found), nil
}

// checks are the eight checks in the order of their codes, after what could not be read.
var checks = [...]func(*server, *report){
	unread, literalSecret, secretInArgv, floatingPackage, riskySource, fileAccess, privilege, cleartext, endpoint,
}
