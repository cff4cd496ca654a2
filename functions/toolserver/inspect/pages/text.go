package pages

import (
	"strings"
	"unicode"
)

// block is the text of a paragraph, a cell or another element that begins a line of its own.
type block struct {
	text   string // with single blanks
	pieces []piece
}

// piece is where a part of a block comes from.
type piece struct {
	begin int // in the text of the block
	at    int // in the file
}

// at is the place in the file of a place in the block.
func (b block) at(offset int) int {
	at := 0
	for _, p := range b.pieces {
		if p.begin <= offset {
			at = p.at
		}
	}
	return at
}

// blockReader collects the texts of a page.
type blockReader struct {
	skips  func(*node) bool
	blocks []block
	text   strings.Builder
	pieces []piece
	blank  bool // white space was read, and stands for one blank
}

// blocksIn are the texts in an element, without the elements that are skipped.
func blocksIn(n *node, skips func(*node) bool) []block {
	r := &blockReader{skips: skips}
	r.read(n)
	r.flush()
	return r.blocks
}

func (r *blockReader) read(n *node) {
	if n.tag == "" {
		r.add(n)
		return
	}
	if r.skips(n) {
		r.blank = true
		return
	}

	begins := blocks[n.tag]
	if begins {
		r.flush()
	}

	for _, c := range n.children {
		r.read(c)
	}
	if begins {
		r.flush()
	}
}

// add appends a text. Its lines are kept apart, so that each part knows where it is from.
func (r *blockReader) add(n *node) {
	at := n.at
	for line := range strings.Lines(n.text) {
		r.addLine(line, at)
		at += len(line)
	}
}

func (r *blockReader) addLine(line string, at int) {
	words := strings.FieldsFunc(line, unicode.IsSpace)
	if len(words) == 0 {
		r.blank = r.blank || line != ""
		return
	}

	first, _ := firstRune(line)
	if r.text.Len() > 0 && (r.blank || unicode.IsSpace(first)) {
		r.text.WriteByte(' ')
	}

	r.pieces = append(r.pieces, piece{r.text.Len(), at})
	r.text.WriteString(strings.Join(words, " "))
	r.blank = unicode.IsSpace(lastRune(line))
}

func firstRune(text string) (rune, bool) {
	for _, c := range text {
		return c, true
	}
	return 0, false
}

func lastRune(text string) rune {
	list := []rune(text[max(0, len(text)-4):])
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1]
}

// flush ends a block.
func (r *blockReader) flush() {
	if r.text.Len() > 0 {
		r.blocks = append(r.blocks, block{r.text.String(), r.pieces})
	}

	r.text.Reset()
	r.pieces = nil
	r.blank = false
}

// VisibleText is the text of a page as people read it, a line for each paragraph, cell or
// heading. White space and the order of attributes are no part of it.
func VisibleText(page []byte) string {
	hides := func(n *node) bool { return unseen[n.tag] || n.tag == "noscript" }
	var b strings.Builder
	for _, each := range blocksIn(readMarkup(page).root, hides) {
		b.WriteString(each.text)
		b.WriteByte('\n')
	}
	return b.String()
}
