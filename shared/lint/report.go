package lint

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"governance.internal/shared/secretscan"
)

// report collects what the checks say and turns it into findings. It is the one door through
// which text of the document leaves the package, so redaction happens here: a check marks the
// parts of its message that come from the document (shown), and hands every literal secret it
// meets to secret, whatever it decides about it.
type report struct {
	server  *server
	entries []*entry
	index   map[entryKey]*entry
	secrets []string
	edits   []edit // with which Fix repairs the document
}

// entryKey identifies a finding.
type entryKey struct {
	server *server
	rule   *Rule
	secret *place // the place of a literal secret, each of which is a finding; else nil
}

// entry is a finding in the making.
type entry struct {
	entryKey
	severity Severity
	at       *place
	message  phrase
	hint     phrase
	last     *place // the place counted last
	places   map[*place]bool
}

// phrase is a message or hint in pieces. It is a value without anything behind it, because most of
// them repeat a finding that is there already and are dropped at once.
type phrase [5]part

// part is a piece of a phrase: fixed, or taken from the document.
type part struct {
	text string
	kind partKind
}

type partKind uint8

const (
	fixed partKind = iota
	foreign
	variableOf
)

// shown marks text of the document for a message.
type shown string

// asVariable marks a key of the document that is shown as the name of an environment variable.
type asVariable string

// say builds a phrase of fixed strings, shown pieces and variables.
func say(pieces ...any) (t phrase) {
	for i, p := range pieces {
		switch v := p.(type) {
		case string:
			t[i] = part{v, fixed}
		case shown:
			t[i] = part{string(v), foreign}
		case asVariable:
			t[i] = part{string(v), variableOf}
		}
	}
	return t
}

// secret remembers a literal secret for the redaction, without the fixed beginning that all tokens
// of its provider have: "github_pat_" in a token must not hide the server "github".
func (r *report) secret(literal string) {
	if m := secretscan.Scan(literal); len(m) > 0 && m[0].Start == 0 {
		literal = literal[m[0].Public:]
	}
	if len(literal) >= fragment {
		r.secrets = append(r.secrets, literal)
	}
}

// add records that the current server breaks a rule at a place. The same rule at a second place
// raises the count; the gravest place, and among equals the first, gives the text.
func (r *report) add(rule *Rule, severity Severity, at *place, message, hint phrase) {
	key := entryKey{server: r.server, rule: rule}
	if isSecret(rule, severity) {
		key.secret = at
	}

	e := r.index[key]
	if e == nil {
		if r.index == nil {
			r.index = map[entryKey]*entry{}
		}
		e = &entry{entryKey: key}
		r.index[key] = e
		r.entries = append(r.entries, e)
	}

	e.count(at)
	if severity.rank() > e.severity.rank() {
		e.severity = severity
		e.at = at
		e.message = message
		e.hint = hint
	}
}

// isSecret reports whether a finding is about a literal secret.
func isSecret(rule *Rule, severity Severity) bool {
	return rule.Category == secrets && severity != Info
}

// count counts a place once. Mostly there is one place, or the same again.
func (e *entry) count(at *place) {
	switch {
	case e.last == at:
		return
	case e.last != nil && e.places == nil:
		e.places = map[*place]bool{e.last: true}
		fallthrough
	case e.places != nil:
		e.places[at] = true
	}

	e.last = at
}

// maxToken bounds the keys of a path in bytes. Without it one long key above many servers would fill
// megabytes.
const maxToken = 256

// maxText bounds messages and hints in bytes.
const maxText = 300

// findings renders the entries in their fixed order.
func (r *report) findings(doc []byte) []Finding {
	veil := newVeil(r.secrets)
	lines := newLineIndex(doc)
	listed := r.gravest()
	found := make([]Finding, 0, len(listed))
	for _, e := range listed {
		keys := e.at.keys()
		for i := range keys {
			if keys[i] == e.server.name && !veil.hidesName(keys[i]) {
				continue // the server field shows it anyway
			}
			keys[i] = bounded(veil.cover(keys[i]), maxToken)
		}

		f := Finding{
			Severity: e.severity,
			Code:     e.rule.Code,
			Rule:     e.rule.Name,
			Server:   e.server.name,
			OWASP:    e.rule.OWASP,
			Path:     pointerOf(keys),
			Count:    max(1, len(e.places)),
			Message:  veil.render(e.message),
			Hint:     veil.render(e.hint),
		}
		if veil.hidesName(f.Server) {
			f.Server = mask
		}

		f.line, f.column = lines.position(e.at.off)
		found = append(found, f)
	}

	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.Server, b.Server),
			strings.Compare(a.Code, b.Code),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Path, b.Path),
		)
	})

	return found
}

// gravest are the entries that the answer lists: all, or the gravest of too many.
func (r *report) gravest() []*entry {
	if len(r.entries) <= MaxFindings {
		return r.entries
	}
	entries := slices.Clone(r.entries)
	slices.SortStableFunc(entries, func(a, b *entry) int {
		return cmp.Or(
			b.severity.rank()-a.severity.rank(),
			strings.Compare(a.server.name, b.server.name),
			strings.Compare(a.rule.Code, b.rule.Code),
			strings.Compare(a.rule.Name, b.rule.Name),
			comparePlaces(a.at, b.at),
		)
	})

	return entries[:MaxFindings]
}

// summary counts the findings.
func (r *report) summary() Summary {
	s := Summary{
		Omitted: max(0, len(r.entries)-MaxFindings),
		Ruleset: Ruleset,
	}
	for _, e := range r.entries {
		switch e.severity {
		case Error:
			s.Errors++
		case Warn:
			s.Warns++
		default:
			s.Infos++
		}
	}

	return s
}

// fragment is the length from which a piece of a secret must not leave the package.
const fragment = 6

// veil knows every fragment of every secret of the document, packed into numbers.
type veil struct {
	fragments map[uint64]bool // in lower case
	words     map[uint64]bool // fragments of secrets that are one plain lower-case word
	covered   map[string]string
	hidden    map[string]bool // names
}

func newVeil(secrets []string) *veil {
	slices.Sort(secrets)
	secrets = slices.Compact(secrets)
	size := 0
	for _, s := range secrets {
		size += len(s)
	}

	v := &veil{
		fragments: make(map[uint64]bool, size),
		words:     map[uint64]bool{},
		covered:   map[string]string{},
		hidden:    map[string]bool{},
	}
	for _, s := range secrets {
		into := v.fragments
		if len(s) <= 16 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == "" {
			into = v.words
		} else {
			s = strings.ToLower(s)
		}

		for i := 0; i+fragment <= len(s); i++ {
			into[pack(s[i:])] = true
		}
	}

	return v
}

// pack puts the first fragment of s into a number.
func pack(s string) uint64 {
	_ = s[fragment-1]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40
}

func overlaps(fragments map[uint64]bool, s string) bool {
	if len(fragments) == 0 {
		return false
	}
	for i := 0; i+fragment <= len(s); i++ {
		if fragments[pack(s[i:])] {
			return true
		}
	}
	return false
}

// cover masks document text that overlaps a known secret or may hold one itself.
func (v *veil) cover(s string) string {
	out, ok := v.covered[s]
	if !ok {
		if out = mask; !overlaps(v.fragments, strings.ToLower(s)) && !overlaps(v.words, s) {
			out = masked(s)
		}
		v.covered[s] = out
	}
	return out
}

// hidesName is the test for server names, milder because the caller needs them to find the server: a
// password "postgres" does not hide the server "postgres", while a token or a URL with a password
// used as a name is hidden.
func (v *veil) hidesName(name string) bool {
	hidden, ok := v.hidden[name]
	if !ok {
		hidden = overlaps(v.fragments, strings.ToLower(name)) ||
			len(secretscan.Scan(name)) > 0 ||
			len(secretscan.Connections(name)) > 0 ||
			longRun(name)
		v.hidden[name] = hidden
	}
	return hidden
}

// longRun reports whether a name has 32 letters and digits in a row, both among them, which no word has.
func longRun(name string) bool {
	for run := range strings.FieldsFuncSeq(name, func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	}) {
		if len(run) >= 32 &&
			strings.ContainsAny(run, "0123456789") &&
			secretscan.EntropyMilli(run) >= 3000 {
			return true
		}
	}
	return false
}

const maxForeign = 80

func (v *veil) render(parts phrase) string {
	var b strings.Builder
	b.Grow(160)
	for _, p := range parts {
		if p.kind == fixed {
			b.WriteString(p.text)
			continue
		}

		t := v.cover(p.text)
		if p.kind == variableOf {
			if t == p.text {
				t = v.cover(variable(p.text))
			} else {
				t = mask
			}
		}

		b.WriteString(bounded(display(bounded(t, maxForeign)), maxForeign))
	}

	return bounded(b.String(), maxText)
}

// pointerOf joins reference tokens that are already covered.
func pointerOf(keys []string) string {
	var b strings.Builder
	for _, k := range keys {
		b.WriteByte('/')
		b.WriteString(escapeToken.Replace(k))
	}
	return b.String()
}

var escapeToken = strings.NewReplacer("~", "~0", "/", "~1")
