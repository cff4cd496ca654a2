// Package arch holds the rules of the house as tests: who may import whom, how
// long a file may be, and that documents agree with the code. It parses the
// source itself, so the test cache cannot hide a broken rule.
package arch
