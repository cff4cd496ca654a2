package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

const hoursOfMonth = 730

// monthly are list prices in us-east-1, in dollars a month, of what costs money before
// the first call. What is billed by use alone, or has a free share that an idle service
// does not leave, is not in the list.
var monthly = []struct {
	kind  string
	price float64
	of    string
}{
	{"AWS::ECS::Service", hoursOfMonth * (0.25*0.03238 + 1*0.00356), "a task of a quarter of a processor and 1 GB on Arm"},
	{"AWS::ECS::Service", hoursOfMonth * 0.005, "its public address"},
	{"AWS::ElasticLoadBalancingV2::LoadBalancer", hoursOfMonth * 0.0225, "a load balancer"},
	{"AWS::WAFv2::WebACL", 5 + 2*1, "a firewall with two rules"},
	{"AWS::CloudWatch::Alarm", 0.10, "an alarm"},
	{"AWS::SecretsManager::Secret", 0.40, "a secret"},
	{"AWS::KMS::Key", 1, "a key"},
}

// The month's cost in README is that of the template, to five dollars.
func TestTheMonthCostsWhatREADMESays(t *testing.T) {
	total := 0.0
	for _, item := range monthly {
		count := len(of(t, item.kind))
		cost := float64(count) * item.price
		t.Logf("%6.2f  %2d x %s", cost, count, item.of)
		total += cost
	}

	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprintf("A month costs about $%.0f before the first call", 5*math.Round(total/5))
	if !strings.Contains(string(readme), said) {
		t.Errorf("the sum is %.2f dollars; README does not say %q", total, said)
	}
}
