//go:build !race

package payments_test

const histories = 10_000
