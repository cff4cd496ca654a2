package proof

import (
	"regexp"
	"strconv"
	"strings"
)

// maxOutput is how much of an output is read, in bytes from its end: totals come last.
const maxOutput = 1 << 20

var colors = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// Tests is how many tests ran, as the output of a test runner tells; told is false if it does
// not. Tests that were skipped did not run.
func Tests(output string) (n int, told bool) {
	output = output[max(len(output)-maxOutput, 0):]
	output = colors.ReplaceAllString(output, "")
	for _, runner := range runners {
		if n, told := runner(output); told {
			return n, true
		}
	}
	return 0, false
}

// runners read the outputs that are known. The first one that recognizes its own decides.
var runners = []func(output string) (n int, told bool){
	goTests,
	total(`(?m)^Tests:\s+(.*), \d+ total$`, `(\d+) (?:passed|failed)`),                                                   // Jest
	total(`(?m)^\s*Tests  (.*)\(\d+\)$`, `(\d+) (?:passed|failed)`),                                                      // Vitest
	total(`(?m)^test result: (.*)$`, `(\d+) (?:passed|failed)\b`),                                                        // Cargo
	total(`(?m)^ok \| (.*)$|^FAILED \| (.*)$`, `(\d+) (?:passed|failed)`),                                                // Deno
	total(`(?m)^=+ (.* in [\d.]+s.*) =+$|^(\d+ (?:passed|failed).* in [\d.]+s.*)$`, `(\d+) (?:passed|failed|errors?)\b`), // pytest
	total(`(?m)^Ran (\d+ tests?) in `, `(\d+)`),                                                                          // unittest
	total(`(?m)^Ran (\d+ tests?) across `, `(\d+)`),                                                                      // Bun
	total(`(?m)^(\d+ examples?), `, `(\d+)`),                                                                             // RSpec
	total(`(?m)^OK \((\d+ tests?), `, `(\d+)`),                                                                           // PHPUnit
	total(`(?m)\b(Passed: +\d+|Failed: +\d+),`, `(\d+)`),                                                                 // dotnet
	total(`(?m)^\d+% tests passed, \d+ tests? failed out of (\d+)$`, `(\d+)`),                                            // CTest
	total(`(?m)^\s+(\d+ (?:passing|failing))\b`, `(\d+)`),                                                                // Mocha
	total(`(?m)^(?:#|ℹ) (?:pass|fail) (\d+)$`, `(\d+)`),                                                                  // TAP, Node
	mavenTests,
	none,
}

// total reads a runner that prints totals: parts finds the places, and all numbers that each
// finds in them are added.
func total(parts, each string) func(string) (int, bool) {
	place, number := regexp.MustCompile(parts), regexp.MustCompile(each)
	return func(output string) (n int, told bool) {
		for _, match := range place.FindAllStringSubmatch(output, -1) {
			told = true
			for _, found := range number.FindAllStringSubmatch(strings.Join(match[1:], " "), -1) {
				count, _ := strconv.Atoi(found[1]) // of digits
				n += count
			}
		}
		return n, told
	}
}

var (
	goRan     = regexp.MustCompile(`(?m)^--- (?:PASS|FAIL): `)
	goVerbose = regexp.MustCompile(`(?m)^=== RUN `)
	goPackage = regexp.MustCompile(`(?m)^(?:ok  |FAIL)\t.*$`)
	goNone    = regexp.MustCompile(`(?m)\[no test files\]|\[no tests to run\]|^testing: warning: no tests to run`)
)

// goTests reads go test. Without -v it names packages and no tests, so that only the absence
// of tests is told.
func goTests(output string) (n int, told bool) {
	if goVerbose.MatchString(output) {
		return len(goRan.FindAllString(output, -1)), true
	}
	for _, line := range goPackage.FindAllString(output, -1) {
		if !goNone.MatchString(line) {
			return 0, false
		}
	}
	return 0, goNone.MatchString(output)
}

var mavenTotal = regexp.MustCompile(`(?m)Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: (\d+)\s*$`)

// mavenTests reads the last total of Maven, which adds up those before.
func mavenTests(output string) (n int, told bool) {
	all := mavenTotal.FindAllStringSubmatch(output, -1)
	if len(all) == 0 {
		return 0, false
	}
	last := all[len(all)-1]
	ran, _ := strconv.Atoi(last[1])
	skipped, _ := strconv.Atoi(last[2])
	return ran - skipped, true
}

var noTests = regexp.MustCompile(`(?mi)^(?:no tests found|no tests executed|no tests ran|=+ no tests ran)`)

// none reads runners that found nothing to run.
func none(output string) (n int, told bool) {
	return 0, noTests.MatchString(output)
}
