// Package audit holds the tools of the toolset audit, which verify the audit trail and lint
// configurations.
package audit

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/lint"
)

type lintInput struct {
	Config     json.RawMessage `json:"config,omitempty" doc:"mcpServers, or one server. Or config_json."`
	ConfigJSON string          `json:"config_json,omitempty" max:"65536" doc:"Its text; shows duplicate keys."`
}

// LintMCPConfig is the lint that POST /x402/audit-mcp sells.
func LintMCPConfig() *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "lint_mcp_config",
		Title:       "Lint a configuration",
		Toolset:     "audit",
		Description: "Finds secrets, unpinned packages, broad scopes and insecure transports in an MCP configuration.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Product:     tool.Product{Method: http.MethodPost, Path: "/x402/audit-mcp"},
	}, func(_ context.Context, _ *tool.Call, in lintInput) (lint.Result, error) {
		if (in.Config == nil) == (in.ConfigJSON == "") {
			return lint.Result{}, &tool.Error{
				Code:    "invalid_argument",
				Field:   "/config",
				Message: "Give exactly one of config and config_json.",
			}
		}

		document := []byte(in.Config)
		if in.Config == nil {
			document = []byte(in.ConfigJSON)
		}

		if len(document) > maxDocument {
			return lint.Result{}, &tool.Error{
				Code:    "too_large",
				Field:   "/config",
				Message: "The configuration has more than 65,536 bytes.",
			}
		}

		result, err := lint.Lint(document)
		var input *lint.InputError
		if errors.As(err, &input) {
			return result, &tool.Error{
				Code:    "invalid_argument",
				Field:   "/config",
				Message: input.Detail,
			}
		}

		return result, err
	})
}

// maxDocument is the limit of the paid endpoint, in bytes.
const maxDocument = 64 << 10
