package conflict

import (
	"fmt"

	"governance.internal/functions/agent-therapy/directive"
)

// Kept returns the directive that should stay and the one that should go: the stricter one stays, a
// prohibition before a demand, and the first of equals.
func (c Conflict) Kept() (stays, goes *directive.Directive) {
	if weight(c.B) > weight(c.A) {
		return c.B, c.A
	}
	return c.A, c.B
}

// weight is how much would be lost if a directive went.
func weight(d *directive.Directive) int {
	w := int(d.Strength) * 2
	if d.Negative {
		w += 3
	}
	if touches(d) {
		w++
	}
	return w
}

// Repair says for people how to end the conflict.
func (c Conflict) Repair() string {
	stays, goes := c.Kept()
	keep, drop := stays.Quote(), goes.Quote()

	if keep.File != drop.File {
		return fmt.Sprintf("Keep %s line %d. Remove line %d of %s, or write there in which case it overrides the other.", keep.File, keep.Line, drop.Line, drop.File)
	}
	return fmt.Sprintf("Keep line %d. Remove line %d, or name the case in which it applies as an exception of line %d.", keep.Line, drop.Line, keep.Line)
}
