package tools_test

import (
	"slices"
	"testing"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools"
	"governance.internal/shared/catalog"
)

func all() []*tool.Tool {
	return tools.All(tools.Deps{}, func(*tool.Tool) bool { return true })
}

// A tool is sold at the price of a product, so the product must be there and be sold.
func TestWhatToolsSellIsInTheCatalogue(t *testing.T) {
	sold := 0
	for _, each := range all() {
		if each.Product == (tool.Product{}) {
			continue
		}

		sold++
		product, ok := catalog.Lookup(each.Product.Method, each.Product.Path)
		if !ok || !product.Paid() {
			t.Errorf("%s sells %+v, which the catalogue does not", each.Name, each.Product)
		}
	}

	if sold == 0 {
		t.Error("no tool is sold")
	}
}

func TestEveryToolIsComplete(t *testing.T) {
	needs := []tool.Need{tool.NeedKillSecret, tool.NeedHeaders, tool.NeedWorkspaceFile, tool.NeedAgent, tool.NeedProcessTable}
	seen := map[string]bool{}

	for _, each := range all() {
		if seen[each.Name] {
			t.Errorf("%s stands twice in the list", each.Name)
		}
		seen[each.Name] = true

		if !slices.Contains(tools.Toolsets, each.Toolset) {
			t.Errorf("%s: there is no toolset %q", each.Name, each.Toolset)
		}
		if each.ExemptFromHalt && !each.Hints.Destructive {
			t.Errorf("%s: only destructive tools are stopped by a halt", each.Name)
		}
		for _, need := range each.Needs {
			if !slices.Contains(needs, need) {
				t.Errorf("%s: there is no need %q", each.Name, need)
			}
		}
	}
}
