package toolserver

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools"
)

// filter is a choice of tools: by the operator for all, and by a client for its
// own requests. A client can only narrow.
type filter struct {
	toolsets []string // nil for all
	readOnly bool
}

// newFilter checks the names.
func newFilter(toolsets []string, readOnly bool) (filter, error) {
	for _, name := range toolsets {
		if !slices.Contains(tools.Toolsets, name) {
			return filter{}, fmt.Errorf("there is no such toolset; choose from %s", strings.Join(tools.Toolsets, ", "))
		}
	}
	return filter{toolsets, readOnly}, nil
}

// filterOf reads the headers X-MCP-Toolsets and X-MCP-Readonly and the query
// parameters toolsets and readonly.
func filterOf(header http.Header, query url.Values) (filter, error) {
	var names []string
	for _, list := range append(header.Values("X-MCP-Toolsets"), query["toolsets"]...) {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	return newFilter(names, header.Get("X-MCP-Readonly") == "true" || query.Get("readonly") == "true")
}

func (f filter) allows(t *tool.Tool) bool {
	return (f.toolsets == nil || slices.Contains(f.toolsets, t.Toolset)) &&
		(!f.readOnly || t.Hints.ReadOnly)
}

// apply keeps the tools that are allowed.
func (f filter) apply(list []*tool.Tool) []*tool.Tool {
	return slices.DeleteFunc(slices.Clone(list), func(t *tool.Tool) bool {
		return !f.allows(t)
	})
}
