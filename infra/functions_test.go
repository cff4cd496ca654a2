package main

import (
	"testing"

	"governance.internal/shared/catalog"
)

// of returns the resources of one type in all stacks, by stack and logical id.
func of(t *testing.T, kind string) map[string]resource {
	t.Helper()
	found := map[string]resource{}
	for stack, one := range templates(t) {
		for id, r := range one.Resources {
			if r.Type == kind {
				found[stack+"/"+id] = r
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("no %s", kind)
	}
	return found
}

// Each function of the catalogue has a Lambda, beside those that no row names.
func TestEveryFunctionOfTheCatalogueIsDeployed(t *testing.T) {
	described := map[string]bool{}
	for id, lambda := range of(t, "AWS::Lambda::Function") {
		p := lambda.Properties
		described[p["Description"].(string)] = true
		if p["Runtime"] != "provided.al2023" || p["Handler"] != "bootstrap" || p["Architectures"].([]any)[0] != "arm64" {
			t.Errorf("%s: %v %v %v", id, p["Runtime"], p["Handler"], p["Architectures"])
		}
	}
	want := append(catalog.Functions(), "not-found", "payment-sweeper", "seal")
	for _, name := range want {
		if !described["Governance service: "+name] {
			t.Errorf("%s is not deployed", name)
		}
	}
	if len(described) != len(want) {
		t.Errorf("%d functions, want %d", len(described), len(want))
	}
}
