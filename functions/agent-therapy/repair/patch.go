package repair

import (
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
)

// Patch returns the difference of two texts of a file in the unified form that git apply takes;
// empty if they are equal.
func Patch(name, before, after string) string {
	if before == after {
		return ""
	}

	diff := udiff.Unified(label("a/", name), label("b/", name), before, after)
	return strings.ReplaceAll(diff, "\\ No newline at end of file\n\n", "\\ No newline at end of file\n")
}

// label is the name of a file in a patch. A name with a space is ended by a tab, as git does.
func label(side, name string) string {
	if strings.Contains(name, " ") {
		return side + name + "\t"
	}
	return side + name
}
