package proof

import "regexp"

var (
	// someFailed are lines of test runners that say that something failed.
	someFailed = regexp.MustCompile(`(?m)^(?:FAIL|FAILED|--- FAIL|not ok)\b` +
		`|\b[1-9]\d* (?:failed|failing|failures?|errors?)\b` +
		`|\b(?:Failures|Errors|Failed): +[1-9]` +
		`|\b(?:failures|errors)=[1-9]` +
		`|^(?:#|ℹ) fail [1-9]` +
		`|^error(?:\[\w+\])?: ` +
		`|\bBUILD FAILURE\b`)

	goPassed = regexp.MustCompile(`(?m)^ok +\t\S+\t[^\[\n]*$`)
)

// Passed is whether all tests passed, as the output of a test runner tells; told is false if it
// does not. It reads totals, which come last.
func Passed(output string) (passed, told bool) {
	output = output[max(len(output)-maxOutput, 0):]
	output = colors.ReplaceAllString(output, "")

	n, counted := Tests(output)
	ran := n > 0 || goPassed.MatchString(output)
	failed := someFailed.MatchString(output)
	knows := counted || goPackage.MatchString(output)
	switch {
	case failed && knows:
		return false, true
	case failed:
		return false, false
	}
	return ran, ran
}
