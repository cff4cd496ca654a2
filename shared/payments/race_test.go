//go:build race

package payments_test

// The race detector makes a history ten times slower; make test runs all of them
// without it.
const histories = 500
