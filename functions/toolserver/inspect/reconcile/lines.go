package reconcile

import (
	"bufio"
	"io"
	"iter"

	"governance.internal/shared/audit"
)

// newLines reads the lines of a chain, without their newlines. A line is valid until the next.
func newLines(from io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(from)
		lines.Buffer(make([]byte, 64<<10), audit.MaxLine+1)
		for lines.Scan() {
			if !yield(lines.Bytes(), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}
