package lint

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"strings"
)

// FileResult is the result of one linted file.
type FileResult struct {
	URI    string // relative path or URI of the file, as code scanning shows it
	Result Result // from Lint; a result that was decoded from JSON has no line numbers
}

// SARIF writes results as one SARIF 2.1.0 log, the format of code scanning services. The log is
// deterministic for the same files in the same order.
func SARIF(files []FileResult) ([]byte, error) {
	index := map[string]int{}
	rules := make([]sarifRule, len(allRules))
	for i, r := range allRules {
		index[r.Name] = i
		rules[i] = sarifRule{
			ID:      ruleID(r.Code, r.Name),
			Name:    r.Name,
			Short:   sarifText{r.Doc},
			Help:    sarifText{r.Hint},
			Default: sarifLevel{level(r.Severities[0])},
			Properties: map[string]any{
				"tags":              []string{"security", r.Category, r.OWASP},
				"security-severity": securitySeverity(r.Severities[0]),
			},
		}
	}

	results := []sarifResult{}
	for _, file := range files {
		for _, f := range file.Result.Findings {
			results = append(results, sarifOf(file.URI, f, index[f.Rule]))
		}
	}

	log := sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs: []sarifRun{{
			Tool: sarifTool{sarifDriver{
				Name:    "governance mcp lint",
				Version: Ruleset,
				Rules:   rules,
			}},
			Results: results,
			Columns: "unicodeCodePoints",
		}},
	}
	raw, err := json.MarshalIndent(log, "", "  ")
	if err != nil {
		return nil, err
	}

	return append(asciiInvisible(raw), '\n'), nil
}

func sarifOf(uri string, f Finding, rule int) sarifResult {
	location := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{URI: strings.ReplaceAll(uri, `\`, "/")}},
		Logical: []sarifLogical{{Name: f.Server, Full: f.Path, Kind: "member"}}}
	if f.line > 0 {
		location.Physical.Region = &sarifRegion{f.line, f.column}
	}

	sum := sha256.Sum256([]byte(f.Code + "\x00" + f.Rule + "\x00" + f.Server + "\x00" + f.Path))
	return sarifResult{
		RuleID:       ruleID(f.Code, f.Rule),
		RuleIndex:    rule,
		Level:        level(f.Severity),
		Message:      sarifText{f.Message + ". Fix: " + f.Hint + "."},
		Locations:    []sarifLocation{location},
		Fingerprints: map[string]string{"finding/v1": base32.StdEncoding.EncodeToString(sum[:15])},
	}
}

func ruleID(code, name string) string { return code + "/" + name }

func level(s Severity) string {
	switch s {
	case Error:
		return "error"
	case Warn:
		return "warning"
	}
	return "note"
}

// securitySeverity is the number by which code scanning sorts.
func securitySeverity(s Severity) string {
	switch s {
	case Error:
		return "8.0"
	case Warn:
		return "5.0"
	}
	return "2.0"
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
	Columns string        `json:"columnKind"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Short      sarifText      `json:"shortDescription"`
	Help       sarifText      `json:"help"`
	Default    sarifLevel     `json:"defaultConfiguration"`
	Properties map[string]any `json:"properties"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifLevel struct {
	Level string `json:"level"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

type sarifLogical struct {
	Name string `json:"name"`
	Full string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}
