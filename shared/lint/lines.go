package lint

import (
	"bytes"
	"fmt"
	"sort"
	"unicode/utf8"
)

// lineIndex turns offsets into lines and columns. A configuration on one long line would make
// counting from the line's start quadratic, so the characters before every block are counted once.
type lineIndex struct {
	doc    []byte
	starts []int // offset at which each line begins
	blocks []int // characters before each block
}

const blockSize = 256

func newLineIndex(doc []byte) *lineIndex {
	l := &lineIndex{
		doc:    doc,
		starts: []int{0},
		blocks: make([]int, 0, len(doc)/blockSize+1),
	}

	if len(doc) > 2 && doc[0] == 0xef && doc[1] == 0xbb {
		l.starts[0] = 3 // the byte order mark
	}

	characters := 0
	for i, c := range doc {
		if i%blockSize == 0 {
			l.blocks = append(l.blocks, characters)
		}
		if c&0xc0 != 0x80 { // not the continuation of a character
			characters++
		}
		if c == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}

	return l
}

// position returns line and column, both from 1, the column in characters.
func (l *lineIndex) position(off int) (line, column int) {
	line = max(1, sort.SearchInts(l.starts, off+1))
	return line, l.characters(off) - l.characters(l.starts[line-1]) + 1
}

func (l *lineIndex) characters(off int) int {
	if len(l.blocks) == 0 {
		return 0
	}
	block := min(off/blockSize, len(l.blocks)-1)
	n := l.blocks[block]
	for _, c := range l.doc[block*blockSize : off] {
		if c&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

// position writes an offset as line:column.
func position(doc []byte, off int) string {
	line, column := newLineIndex(doc).position(min(off, len(doc)))
	return fmt.Sprintf("%d:%d", line, column)
}

// encodingProblem says what is wrong with a document that is not UTF-8.
func encodingProblem(doc []byte) error {
	if bytes.HasPrefix(doc, []byte("\xff\xfe")) || bytes.HasPrefix(doc, []byte("\xfe\xff")) {
		return &InputError{CodeInvalidUTF8, "The document is UTF-16. Save it as UTF-8 and send it again."}
	}
	if utf8.Valid(doc) {
		return nil
	}

	off := 0
	for off < len(doc) {
		r, size := utf8.DecodeRune(doc[off:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		off += size
	}

	return &InputError{CodeInvalidUTF8, "Invalid UTF-8 at " + position(doc, off) + ". Save the document as UTF-8 and send it again."}
}
