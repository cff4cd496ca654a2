//go:build race

package server_test

const raceDetector = true // allocates on its own for each access that it watches
