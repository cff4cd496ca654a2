// Package lazy compiles patterns when they are first needed, so that a program that only links
// them starts at once.
package lazy

import (
	"regexp"
	"sync"
)

// Pattern returns a function that returns the compiled pattern.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(expression)
	})
}
