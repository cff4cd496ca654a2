//go:build race

package lint_test

func init() { slow = true }
