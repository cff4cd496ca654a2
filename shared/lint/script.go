package lint

import "strings"

// stage is one simple command of a pipeline.
type stage struct {
	words   []word   // valid until the next stage is read
	subs    []string // the scripts inside $(…), `…` and <(…)
	process bool     // one of them is a process substitution
	piped   bool     // its input comes from the stage before
	feeds   bool     // its output goes to the next
}

// scanner splits a shell script into simple commands. It knows quotes, escapes, operators,
// redirections and substitutions, and nothing else: enough to find the commands, not to run them.
type scanner struct {
	s     string
	at    *place
	pos   int
	open  bool            // a word has begun, possibly empty ("")
	head  string          // its first piece, which mostly is all of it
	rest  strings.Builder // the whole word, if it has more than one piece
	stage stage
	room  [4]word // for the words of most commands
	emit  func(stage)
	pairs []int32 // index of the closing bracket of every opening one, -1 if there is none
}

// eachCommand calls emit for every simple command of a script.
func eachCommand(s string, at *place, emit func(stage)) {
	p := &scanner{s: s, at: at, emit: emit}
	p.stage.words = p.room[:0]
	for p.pos < len(p.s) {
		p.step()
	}
	p.endPipeline()
}

// splitWords splits a command line into words and keeps the place. Operators are ordinary text.
func splitWords(w word) []word {
	var out []word
	p := &scanner{
		s:  w.text,
		at: w.at,
		emit: func(st stage) {
			out = append(out, st.words...)
		},
	}
	for p.pos < len(p.s) {
		switch p.s[p.pos] {
		case '|', '&', ';', '(', ')', '<', '>', '`', '$', '#':
			p.take(1)
		default:
			p.step()
		}
	}

	p.endPipeline()
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

		p.endStage(true)
	case '&':
		p.ampersand()
	case '<', '>':
		p.redirection()
	case '#':
		p.comment()
	default:
		end := p.pos + 1
		for end < len(p.s) && !special[p.s[end]] {
			end++
		}
		p.take(end - p.pos)
	}
}

// special are the bytes that step handles one by one.
var special = func() (set [256]bool) {
	for _, c := range []byte(" \t\r\n;()'\"\\`$|&<>#") {
		set[c] = true
	}
	return set
}()

// put adds a piece to the current word.
func (p *scanner) put(piece string) {
	switch {
	case !p.open:
		p.head = piece
		p.open = true
	case piece == "":
	default:
		if p.rest.Len() == 0 {
			p.rest.WriteString(p.head)
		}
		p.rest.WriteString(piece)
	}
}

// take adds the next n bytes of the script to the current word.
func (p *scanner) take(n int) {
	p.put(p.s[p.pos : p.pos+n])
	p.pos += n
}

// text returns the current word.
func (p *scanner) text() string {
	if p.rest.Len() > 0 {
		return p.rest.String()
	}
	return p.head
}

func (p *scanner) dropWord() {
	p.rest.Reset()
	p.head = ""
	p.open = false
}

func (p *scanner) endWord() {
	if p.open {
		p.stage.words = append(p.stage.words, word{p.text(), p.at})
		p.dropWord()
	}
}

// endStage emits the current command. Feeds reports that a pipe follows.
func (p *scanner) endStage(feeds bool) {
	p.endWord()
	piped := p.stage.piped
	if len(p.stage.words) > 0 {
		p.stage.feeds = feeds
		p.emit(p.stage)
		piped = true
	}

	p.stage = stage{words: p.stage.words[:0], piped: feeds && piped}
}

func (p *scanner) endPipeline() { p.endStage(false) }

func (p *scanner) single() {
	end := strings.IndexByte(p.s[p.pos+1:], '\'')
	if end < 0 {
		p.take(1)
		return
	}

	p.put(p.s[p.pos+1 : p.pos+1+end])
	p.pos += end + 2
}

func (p *scanner) double() {
	p.pos++
	p.put("")
	for p.pos < len(p.s) {
		switch c := p.s[p.pos]; {
		case c == '"':
			p.pos++
			return
		case c == '\\' &&
			p.pos+1 < len(p.s) &&
			strings.IndexByte("\"\\$`", p.s[p.pos+1]) >= 0:
			p.pos++
			p.take(1)
		case c == '$' || c == '`':
			p.substitution()
		default:
			end := p.pos + 1
			for end < len(p.s) &&
				p.s[end] != '"' &&
				p.s[end] != '\\' &&
				p.s[end] != '$' &&
				p.s[end] != '`' {
				end++
			}

			p.take(end - p.pos)
		}
	}
}

// backslash escapes a quote, a space or itself; before anything else it is part of a Windows path.
func (p *scanner) backslash() {
	if p.pos+1 == len(p.s) || strings.IndexByte(" \t\"'\\$`&|;()<>\n", p.s[p.pos+1]) < 0 {
		p.take(1)
		return
	}

	p.pos++
	if p.s[p.pos] == '\n' {
		p.pos++
		return
	}

	p.take(1)
}

// substitution reads $(…) or `…`: the text stays in the word and the inner script is kept.
func (p *scanner) substitution() {
	rest := p.s[p.pos:]
	size, inner := 1, ""
	switch {
	case strings.HasPrefix(rest, "$("):
		if end := p.closing(p.pos + 1); end > 0 {
			size = end + 1 - p.pos
			inner = p.s[p.pos+2 : end]
		}
	case strings.HasPrefix(rest, "${"):
		if end := strings.IndexByte(rest[:min(len(rest), 512)], '}'); end > 0 {
			size = end + 1
		}
	case rest[0] == '`':
		if end := strings.IndexByte(rest[1:], '`'); end > 0 {
			size = end + 2
			inner = rest[1 : end+1]
		}
	}

	if inner != "" {
		p.stage.subs = append(p.stage.subs, inner)
	}

	p.take(size)
}

// closing returns the index of the bracket that closes the one at i, or -1. All pairs are found in one
// pass: a search for each of a long run of open brackets would take quadratic time.
func (p *scanner) closing(i int) int {
	if p.pairs == nil {
		p.pairs = make([]int32, len(p.s))
		var open []int
		for j := range len(p.s) {
			switch p.s[j] {
			case '(':
				p.pairs[j] = -1
				open = append(open, j)
			case ')':
				if len(open) > 0 {
					p.pairs[open[len(open)-1]] = int32(j)
					open = open[:len(open)-1]
				}
			}
		}
	}

	return int(p.pairs[i])
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

// redirection skips redirections such as 2>/dev/null and reads the process substitution <(…).
func (p *scanner) redirection() {
	rest := p.s[p.pos:]
	if strings.HasPrefix(rest, "<(") {
		if end := p.closing(p.pos + 1); end > 0 {
			p.stage.subs = append(p.stage.subs, p.s[p.pos+2:end])
			p.stage.process = true
			p.take(end + 1 - p.pos)
			return
		}
	}

	if strings.Trim(p.text(), "0123456789") == "" {
		p.dropWord()
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
		p.take(1)
		return
	}

	if end := strings.IndexByte(p.s[p.pos:], '\n'); end >= 0 {
		p.pos += end
		return
	}

	p.pos = len(p.s)
}
