// Package middleware holds the decorators of the tools. Each is a [Decorator], a function
// from tool to tool. From the outside in, their order is:
//
//  1. [Observe] counts, logs and traces each call, ends it after a limit and turns a
//     panic into an error. It is the outermost, so that it sees every outcome.
//  2. [Sell] asks for a payment. What the pieces below refuse is not charged.
//  3. [Redact] takes secrets and the place of the workspace out of every answer, so
//     that no payment record holds them either.
//  4. [Fence] refuses a tool that destroys while the kill switch halts. It is the
//     innermost: nothing happens between its look and the tool.
//
// A [Filter] comes before all of them: it selects the tools that are offered.
package middleware

import "governance.internal/functions/toolserver/mcp/tool"

// Decorator wraps a tool. It returns the tool itself if it has nothing to add, and never
// modifies its argument.
type Decorator func(*tool.Tool) *tool.Tool

// Wrap applies decorators to a tool, the first one outermost.
func Wrap(t *tool.Tool, outermostFirst ...Decorator) *tool.Tool {
	for i := len(outermostFirst) - 1; i >= 0; i-- {
		t = outermostFirst[i](t)
	}
	return t
}
