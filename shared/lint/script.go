package lint

import "strings"

// stage is one simple command of a pipeline.
type stage struct {
	words   []string
	subs    []string // the scripts inside $(…), `…` and <(…)
	process bool     // one of them is a process substitution
}

// scanner splits a shell script into pipelines. It knows quotes, escapes, operators, redirections
// and substitutions, and nothing else: enough to find the commands, not to run them.
type scanner struct {
	s         string
	pos       int
	word      strings.Builder
	open      bool // a word has begun, possibly empty ("")
	stage     stage
	pipeline  []stage
	pipelines [][]stage
	searched  int // bytes looked at for closing brackets
}

func parseScript(s string) [][]stage {
	p := &scanner{s: s}
	for p.pos < len(p.s) {
		p.step()
	}
	p.endPipeline()
	return p.pipelines
}

// splitWords splits a command line into words and keeps the place. Operators are ordinary text.
func splitWords(w word) []word {
	p := &scanner{s: w.text}
	for p.pos < len(p.s) {
		if c := p.s[p.pos]; c == '|' || c == '&' || c == ';' || c == '(' || c == ')' || c == '<' || c == '>' || c == '`' || c == '$' || c == '#' {
			p.put(c)
			p.pos++
			continue
		}
		p.step()
	}
	p.endPipeline()
	var out []word
	for _, pipeline := range p.pipelines {
		for _, st := range pipeline {
			for _, t := range st.words {
				out = append(out, word{t, w.at})
			}
		}
	}
	return out
}

func (p *scanner) step() {
	switch c := p.s[p.pos]; c {
	case ' ', '\t', '\r':
		p.endWord()
		p.pos++
	case '\n', ';', '(', ')':
		p.endPipeline()
		p.pos++
	case '\'':
		p.single()
	case '"':
		p.double()
	case '\\':
		p.backslash()
	case '`', '$':
		p.substitution()
	case '|':
		p.pos++
		if p.pos < len(p.s) && p.s[p.pos] == '|' {
			p.pos++
			p.endPipeline()
			return
		}
		p.endStage()
	case '&':
		p.ampersand()
	case '<', '>':
		p.redirection()
	case '#':
		p.comment()
	default:
		p.put(c)
		p.pos++
	}
}

func (p *scanner) put(c byte) {
	p.word.WriteByte(c)
	p.open = true
}

func (p *scanner) endWord() {
	if p.open {
		p.stage.words = append(p.stage.words, p.word.String())
		p.word.Reset()
		p.open = false
	}
}

func (p *scanner) endStage() {
	p.endWord()
	if len(p.stage.words) > 0 {
		p.pipeline = append(p.pipeline, p.stage)
	}
	p.stage = stage{}
}

func (p *scanner) endPipeline() {
	p.endStage()
	if len(p.pipeline) > 0 {
		p.pipelines = append(p.pipelines, p.pipeline)
	}
	p.pipeline = nil
}

func (p *scanner) single() {
	end := strings.IndexByte(p.s[p.pos+1:], '\'')
	if end < 0 {
		p.put('\'')
		p.pos++
		return
	}
	p.word.WriteString(p.s[p.pos+1 : p.pos+1+end])
	p.open = true
	p.pos += end + 2
}

func (p *scanner) double() {
	p.pos++
	p.open = true
	for p.pos < len(p.s) {
		switch c := p.s[p.pos]; {
		case c == '"':
			p.pos++
			return
		case c == '\\' && p.pos+1 < len(p.s) && strings.IndexByte("\"\\$`", p.s[p.pos+1]) >= 0:
			p.put(p.s[p.pos+1])
			p.pos += 2
		case c == '$' || c == '`':
			p.substitution()
		default:
			p.put(c)
			p.pos++
		}
	}
}

// backslash escapes a quote, a space or itself; before anything else it is part of a Windows path.
func (p *scanner) backslash() {
	if p.pos+1 < len(p.s) && strings.IndexByte(" \t\"'\\$`&|;()<>\n", p.s[p.pos+1]) >= 0 {
		if p.s[p.pos+1] != '\n' {
			p.put(p.s[p.pos+1])
		}
		p.pos += 2
		return
	}
	p.put('\\')
	p.pos++
}

// substitution reads $(…) or `…`: the text stays in the word and the inner script is kept.
func (p *scanner) substitution() {
	rest := p.s[p.pos:]
	size, inner := 1, ""
	switch {
	case strings.HasPrefix(rest, "$("):
		if end := p.closing(rest); end > 0 {
			size, inner = end+1, rest[2:end]
		}
	case strings.HasPrefix(rest, "${"):
		if end := strings.IndexByte(rest[:min(len(rest), 512)], '}'); end > 0 {
			size = end + 1
		}
	case rest[0] == '`':
		if end := strings.IndexByte(rest[1:], '`'); end > 0 {
			size, inner = end+2, rest[1:end+1]
		}
	}
	if inner != "" {
		p.stage.subs = append(p.stage.subs, inner)
	}
	p.word.WriteString(rest[:size])
	p.open = true
	p.pos += size
}

// maxSearched bounds the search for closing brackets in one script: a long run of open ones would
// otherwise take quadratic time.
const maxSearched = 1 << 18

// closing returns the index of the ) that closes the first ( of s, or -1.
func (p *scanner) closing(s string) int {
	depth := 0
	for i := 0; i < len(s) && p.searched < maxSearched; i++ {
		p.searched++
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (p *scanner) ampersand() {
	p.pos++
	if p.pos < len(p.s) && p.s[p.pos] == '>' { // &>file
		p.redirection()
		return
	}
	if p.pos < len(p.s) && p.s[p.pos] == '&' {
		p.pos++
	}
	p.endPipeline()
}

// redirection skips 2>/dev/null and its kind, and reads the process substitution <(…).
func (p *scanner) redirection() {
	rest := p.s[p.pos:]
	if strings.HasPrefix(rest, "<(") {
		if end := p.closing(rest); end > 0 {
			p.stage.subs = append(p.stage.subs, rest[2:end])
			p.stage.process = true
			p.word.WriteString(rest[:end+1])
			p.open = true
			p.pos += end + 1
			return
		}
	}
	if strings.Trim(p.word.String(), "0123456789") == "" {
		p.word.Reset()
		p.open = false
	}
	p.endWord()
	for p.pos < len(p.s) && strings.IndexByte("<>&| \t", p.s[p.pos]) >= 0 {
		p.pos++
	}
	for p.pos < len(p.s) && strings.IndexByte(" \t\n;|&<>()", p.s[p.pos]) < 0 {
		p.pos++
	}
}

func (p *scanner) comment() {
	if p.open {
		p.put('#')
		p.pos++
		return
	}
	if end := strings.IndexByte(p.s[p.pos:], '\n'); end >= 0 {
		p.pos += end
		return
	}
	p.pos = len(p.s)
}
