package middleware

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/mcp/tool"
)

// Filter is a choice of tools: by the operator for all, and by a client for its own
// requests. A client can only narrow.
type Filter struct {
	toolsets []string // sorted, each once; nil for all but the forwarded
	readOnly bool
}

// NewFilter makes a filter. It fails for a toolset that does not exist.
func NewFilter(known, toolsets []string, readOnly bool) (Filter, error) {
	for _, name := range toolsets {
		if !slices.Contains(known, name) {
			return Filter{}, fmt.Errorf("there is no such toolset; choose from %s", strings.Join(known, ", "))
		}
	}

	sorted := slices.Clone(toolsets) // nil stays nil
	slices.Sort(sorted)
	return Filter{toolsets: slices.Compact(sorted), readOnly: readOnly}, nil
}

// FilterOf reads the headers X-MCP-Toolsets and X-MCP-Readonly and the query
// parameters toolsets and readonly.
func FilterOf(known []string, header http.Header, query url.Values) (Filter, error) {
	var names []string
	for _, list := range append(header.Values("X-MCP-Toolsets"), query["toolsets"]...) {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}

	readOnly := header.Get("X-MCP-Readonly") == "true" || query.Get("readonly") == "true"
	return NewFilter(known, names, readOnly)
}

// Allows reports whether a tool is chosen.
func (f Filter) Allows(t *tool.Tool) bool {
	chosen := slices.Contains(f.toolsets, t.Toolset)
	if f.toolsets == nil {
		chosen = !t.Forwarded
	}
	return chosen && (!f.readOnly || t.Hints.ReadOnly)
}

// Apply keeps the tools that are chosen.
func (f Filter) Apply(list []*tool.Tool) []*tool.Tool {
	return slices.DeleteFunc(slices.Clone(list), func(t *tool.Tool) bool {
		return !f.Allows(t)
	})
}

// Key is the same text for the same choice.
func (f Filter) Key() string {
	return fmt.Sprint(strings.Join(f.toolsets, ","), f.readOnly)
}
