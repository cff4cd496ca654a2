package audit

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/scan"
)

func scanOf(t *testing.T, evidence Evidence, arguments map[string]any) tool.Result {
	t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return GovernanceScan(evidence).Run(t.Context(), &tool.Call{Arguments: text})
}

func TestScanOfADescription(t *testing.T) {
	result := scanOf(t, nil, map[string]any{"description": "Every tool call is written to an append-only log."})
	var answer scan.Result
	if err := json.Unmarshal(result.Structured, &answer); err != nil || result.IsError {
		t.Fatal(err, string(result.Structured))
	}
	if answer.Score == 0 || answer.Dimensions[1].Level != scan.Enforced {
		t.Errorf("score %d, %+v", answer.Score, answer.Dimensions[1])
	}
}

func TestScanOfTheWorkspaceCountsFactsOnly(t *testing.T) {
	found := func(context.Context) ([]scan.Fact, error) {
		return []scan.Fact{{Dimension: scan.AuditChain, Level: scan.Checked, Found: "The chain is valid."}}, nil
	}
	result := scanOf(t, found, map[string]any{"workspace": true})
	if result.IsError || !strings.Contains(string(result.Structured), "The chain is valid.") || !strings.Contains(string(result.Structured), `"score":15`) {
		t.Errorf("%s", result.Structured)
	}
}

func TestScanRefusesWhatItCannotAnswer(t *testing.T) {
	broken := func(context.Context) ([]scan.Fact, error) { return nil, errors.New("the chain cannot be read") }
	tests := []map[string]any{
		{"workspace": true, "description": "x"},
		{"workspace": true},
		{"description": strings.Repeat("a", 20_001)},
	}
	for _, arguments := range tests {
		if result := scanOf(t, broken, arguments); !result.IsError {
			t.Errorf("%v is answered", arguments)
		}
	}
}
