// Package sarif writes findings in the Static Analysis Results Interchange Format 2.1.0
// (OASIS), which code scanning services read.
package sarif

import (
	"encoding/json"
	"strings"
)

// Levels of rules and results.
const (
	Error   = "error"
	Warning = "warning"
	Note    = "note"
)

// Rule says what a kind of result means.
type Rule struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Short      Text           `json:"shortDescription"`
	Help       Text           `json:"help"`
	Default    Level          `json:"defaultConfiguration"`
	Properties map[string]any `json:"properties,omitempty"`
}

// Text is a message.
type Text struct {
	Text string `json:"text"`
}

// Level is the configuration of a rule.
type Level struct {
	Level string `json:"level"`
}

// Result is one finding.
type Result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"` // in the list of rules
	Level        string            `json:"level"`
	Message      Text              `json:"message"`
	Locations    []Location        `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

// Location is a place in a file. Logical may be empty.
type Location struct {
	Physical Physical  `json:"physicalLocation"`
	Logical  []Logical `json:"logicalLocations,omitempty"`
}

// Physical is a region of a file.
type Physical struct {
	Artifact Artifact `json:"artifactLocation"`
	Region   *Region  `json:"region,omitempty"`
}

// Artifact is a file, by its relative path or URI.
type Artifact struct {
	URI string `json:"uri"`
}

// Region begins at a line and a column, counted from 1.
type Region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

// Logical is a place inside of what the file describes.
type Logical struct {
	Name string `json:"name"`
	Full string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// At is the location of a line and a column of a file; line 0 stands for the whole file.
func At(file string, line, column int) Location {
	l := Location{
		Physical: Physical{Artifact: Artifact{URI: strings.ReplaceAll(file, `\`, "/")}},
	}
	if line > 0 {
		l.Physical.Region = &Region{line, max(column, 1)}
	}
	return l
}

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool    tool     `json:"tool"`
	Results []Result `json:"results"`
	Columns string   `json:"columnKind"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Rules   []Rule `json:"rules"`
}

// Report is a log that grows by results. Its rules are those that the results name.
type Report struct {
	rules   []Rule
	results []Result
	index   map[string]int
}

// Add adds a result of a rule.
func (r *Report) Add(rule Rule, result Result) {
	place, known := r.index[rule.ID]
	if !known {
		if r.index == nil {
			r.index = map[string]int{}
		}
		place = len(r.rules)
		r.index[rule.ID] = place
		r.rules = append(r.rules, rule)
	}

	result.RuleID = rule.ID
	result.RuleIndex = place
	r.results = append(r.results, result)
}

// Write writes the log with the name and the version of the tool.
func (r *Report) Write(name, version string) ([]byte, error) {
	return Write(name, version, r.rules, r.results)
}

// Write writes one log: the findings of a tool with all of its rules, in their order.
func Write(name, version string, rules []Rule, results []Result) ([]byte, error) {
	if results == nil {
		results = []Result{}
	}
	return json.MarshalIndent(log{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs: []run{{
			Tool: tool{driver{
				Name:    name,
				Version: version,
				Rules:   rules,
			}},
			Results: results,
			Columns: "unicodeCodePoints",
		}},
	}, "", "  ")
}
