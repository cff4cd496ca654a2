// Package audit holds the tools of the toolset audit: what can be checked about
// the trail and about configurations.
package audit

import (
	"context"
	"encoding/json"
	"errors"

	"governance.internal/functions/toolserver/tool"
	"governance.internal/shared/lint"
)

type lintInput struct {
	Config     json.RawMessage `json:"config,omitempty" doc:"The configuration: mcpServers, or one server. Or give config_json."`
	ConfigJSON string          `json:"config_json,omitempty" max:"65536" doc:"The text of the file instead; shows duplicate keys, too."`
}

// LintMCPConfig is the lint that POST /x402/audit-mcp sells.
func LintMCPConfig() *tool.Tool {
	return tool.Define(tool.Tool{
		Name: "lint_mcp_config", Title: "Lint an MCP configuration", Toolset: "audit",
		Description: "Judges an MCP client configuration: exposed secrets, unpinned packages, broad scopes, insecure transports. Returns a score of 100 and findings with repairs. Offline; starts nothing.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(_ context.Context, _ *tool.Call, in lintInput) (lint.Result, error) {
		if (in.Config == nil) == (in.ConfigJSON == "") {
			return lint.Result{}, &tool.Error{Code: "invalid_argument", Field: "/config", Message: "Give exactly one of config and config_json."}
		}
		document := []byte(in.Config)
		if in.Config == nil {
			document = []byte(in.ConfigJSON)
		}
		if len(document) > maxDocument {
			return lint.Result{}, &tool.Error{Code: "too_large", Field: "/config", Message: "The configuration has more than 65,536 bytes."}
		}
		result, err := lint.Lint(document)
		var input *lint.InputError
		if errors.As(err, &input) {
			return result, &tool.Error{Code: "invalid_argument", Field: "/config", Message: input.Detail}
		}
		return result, err
	})
}

// maxDocument is the limit of the paid endpoint, in bytes.
const maxDocument = 64 << 10
