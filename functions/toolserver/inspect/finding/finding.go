// Package finding is what scanners of a project report.
package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Severities.
const (
	Error = "error"
	Warn  = "warn"
	Info  = "info"
)

// Finding is one place that a person should look at. No value of a secret is in it.
type Finding struct {
	ID          string `json:"id"` // 12 hexadecimal digits
	Check       string `json:"check"`
	Rule        string `json:"rule"`
	Severity    string `json:"severity"` // error, warn or info
	Path        string `json:"path"`
	Line        int    `json:"line"` // 0 for the whole file
	Message     string `json:"message"`
	Hint        string `json:"hint"`
	Evidence    string `json:"evidence,omitempty"` // masked
	Fingerprint string `json:"fingerprint"`        // the same when the line moves

	// Key tells findings of one rule in one file apart, such as the name of a setting.
	Key string `json:"-"`
}

// Skipped is a check that was not made.
type Skipped struct {
	Check  string `json:"check"`
	Reason string `json:"reason"`
	Enable string `json:"how_to_enable,omitempty"`
}

// Complete sorts findings by place, and gives each its id and its fingerprint. Findings of
// one rule with the same key in one file are numbered.
func Complete(list []Finding) []Finding {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.Path, b.Path),
			cmp.Compare(a.Line, b.Line),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Key, b.Key),
		)
	})

	seen := map[string]int{}
	for i := range list {
		f := &list[i]
		identity := strings.Join([]string{f.Check, f.Rule, f.Path, f.Key}, "\x00")
		seen[identity]++
		f.Fingerprint = digest(fmt.Sprintf("%s\x00%d", identity, seen[identity]))
		f.ID = digest(fmt.Sprintf("%s\x00%d\x00%d", identity, seen[identity], f.Line))
	}
	return list
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
