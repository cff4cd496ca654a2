//go:build !race

package toolserver_test

const raceDetector = false
