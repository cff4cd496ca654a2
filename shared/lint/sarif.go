package lint

import (
	"crypto/sha256"
	"encoding/base32"

	"governance.internal/shared/sarif"
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
	rules := make([]sarif.Rule, len(allRules))
	for i, r := range allRules {
		index[r.Name] = i
		rules[i] = sarif.Rule{
			ID:      ruleID(r.Code, r.Name),
			Name:    r.Name,
			Short:   sarif.Text{Text: r.Doc},
			Help:    sarif.Text{Text: r.Hint},
			Default: sarif.Level{Level: level(r.Severities[0])},
			Properties: map[string]any{
				"tags":              []string{"security", r.Category, r.OWASP},
				"security-severity": securitySeverity(r.Severities[0]),
			},
		}
	}

	var results []sarif.Result
	for _, file := range files {
		for _, f := range file.Result.Findings {
			results = append(results, sarifOf(file.URI, f, index[f.Rule]))
		}
	}

	raw, err := sarif.Write("governance mcp lint", Ruleset, rules, results)
	if err != nil {
		return nil, err
	}
	return append(asciiInvisible(raw), '\n'), nil
}

func sarifOf(uri string, f Finding, rule int) sarif.Result {
	location := sarif.At(uri, f.line, f.column)
	location.Logical = []sarif.Logical{{
		Name: f.Server,
		Full: f.Path,
		Kind: "member",
	}}

	sum := sha256.Sum256([]byte(f.Code + "\x00" + f.Rule + "\x00" + f.Server + "\x00" + f.Path))
	return sarif.Result{
		RuleID:       ruleID(f.Code, f.Rule),
		RuleIndex:    rule,
		Level:        level(f.Severity),
		Message:      sarif.Text{Text: f.Message + ". Fix: " + f.Hint + "."},
		Locations:    []sarif.Location{location},
		Fingerprints: map[string]string{"finding/v1": base32.StdEncoding.EncodeToString(sum[:15])},
	}
}

func ruleID(code, name string) string { return code + "/" + name }

func level(s Severity) string {
	switch s {
	case Error:
		return sarif.Error
	case Warn:
		return sarif.Warning
	}
	return sarif.Note
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
