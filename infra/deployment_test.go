package main

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"governance.internal/shared/catalog"
)

// CloudFront reaches the load balancer from its own addresses, not from the VPC's.
func TestTheBalancerAdmitsCloudFrontAndNothingElse(t *testing.T) {
	admitted := 0
	var rules []any
	for id, r := range of(t, "AWS::EC2::SecurityGroup") {
		if strings.Contains(id, "BalancerGroup") {
			rules = append(rules, list(r.Properties["SecurityGroupIngress"])...)
		}
	}
	for _, r := range of(t, "AWS::EC2::SecurityGroupIngress") {
		if strings.Contains(text(r.Properties["GroupId"]), "BalancerGroup") {
			rules = append(rules, r.Properties)
		}
	}
	for _, rule := range rules {
		admitted++
		if !strings.Contains(text(rule), `"SourcePrefixListId":"pl-3b927c52"`) {
			t.Errorf("the load balancer admits %s", text(rule))
		}
	}
	if admitted != 1 {
		t.Errorf("%d rules admit traffic to the load balancer, want 1", admitted)
	}
}

// A task that starts before its mount targets fails and rolls the deployment back.
func TestTheServiceWaitsForItsDisk(t *testing.T) {
	var targets []string
	for id := range of(t, "AWS::EFS::MountTarget") {
		targets = append(targets, id[strings.LastIndex(id, "/")+1:])
	}
	if len(targets) != 2 {
		t.Fatalf("%d mount targets, want 2", len(targets))
	}
	for id, service := range of(t, "AWS::ECS::Service") {
		for _, target := range targets {
			if !slices.Contains(list(service.DependsOn), any(target)) {
				t.Errorf("%s does not wait for %s: it waits for %v", id, target, service.DependsOn)
			}
		}
	}
}

// use1-az3 has neither Fargate on Arm nor VPC origins of CloudFront.
func TestSubnetsAreInZonesThatCanServe(t *testing.T) {
	zones := map[any]int{}
	for id, subnet := range of(t, "AWS::EC2::Subnet") {
		if subnet.Properties["AvailabilityZone"] != nil {
			t.Errorf("%s is in a zone by name: %v", id, text(subnet.Properties["AvailabilityZone"]))
		}
		zones[subnet.Properties["AvailabilityZoneId"]]++
	}
	if zones["use1-az4"] != 2 || zones["use1-az6"] != 2 {
		t.Errorf("subnets are in %v, want two in use1-az4 and two in use1-az6", zones)
	}
}

func TestResultsExpireAndSegmentsDoNot(t *testing.T) {
	for id, bucket := range of(t, "AWS::S3::Bucket") {
		rules := text(bucket.Properties["LifecycleConfiguration"])
		expires := strings.Contains(rules, fmt.Sprintf(`"ExpirationInDays":%d`, resultDays))
		if expires != strings.Contains(id, "Results") {
			t.Errorf("%s expires: %s", id, rules)
		}
	}
}

// allows reports whether a role may do an action on an item with these partition keys,
// within an operation.
func allows(statements []statement, action, operation string, keys ...string) bool {
	return slices.ContainsFunc(statements, func(s statement) bool {
		if s.Effect != "Allow" || !slices.Contains(list(s.Action), any(action)) {
			return false
		}
		if equal, ok := s.Condition["StringEquals"].(map[string]any); ok && equal["dynamodb:EnclosingOperation"] != operation {
			return false
		}
		like, ok := s.Condition["ForAllValues:StringLike"].(map[string]any)
		if !ok {
			return s.Condition == nil
		}
		patterns := list(like["dynamodb:LeadingKeys"])
		return !slices.ContainsFunc(keys, func(key string) bool { return !matchesAny(patterns, key) })
	})
}

func matchesAny(patterns []any, key string) bool {
	return slices.ContainsFunc(patterns, func(pattern any) bool {
		matched, err := path.Match(pattern.(string), key)
		return err == nil && matched
	})
}

// The documentation does not say whether each action of a transaction is judged by its
// own key or by the keys of all. The role passes both ways, and deletes no entry in
// either.
func TestACommitPassesHoweverItsKeysAreJudged(t *testing.T) {
	const transaction = "TransactWriteItems"
	block, id, head, intent := "c#governance#0", "i#governance#x", "h#governance", "q#governance#1"
	writers := 0

	for role, r := range of(t, "AWS::IAM::Role") {
		var audit []statement
		for _, s := range statements(role, any(r.Properties)) {
			if strings.Contains(text(s.Resource), "Audit") {
				audit = append(audit, s)
			}
		}
		if !allows(audit, "dynamodb:UpdateItem", "UpdateItem", "l#governance") {
			continue // it does not append
		}
		writers++

		apart := allows(audit, "dynamodb:PutItem", transaction, block) &&
			allows(audit, "dynamodb:PutItem", transaction, id) &&
			allows(audit, "dynamodb:UpdateItem", transaction, head)
		together := allows(audit, "dynamodb:PutItem", transaction, block, id, head) &&
			allows(audit, "dynamodb:UpdateItem", transaction, block, id, head)
		alone := allows(audit, "dynamodb:PutItem", "PutItem", intent) && allows(audit, "dynamodb:DeleteItem", "DeleteItem", intent)
		if !apart || !together || !alone {
			t.Errorf("%s: judged apart %v, judged together %v, intents %v", role, apart, together, alone)
		}

		for _, operation := range []string{transaction, "DeleteItem"} {
			for _, key := range []string{block, id, head} {
				if allows(audit, "dynamodb:DeleteItem", operation, key) {
					t.Errorf("%s may delete %s in %s", role, key, operation)
				}
			}
		}
		if allows(audit, "dynamodb:UpdateItem", "UpdateItem", block) {
			t.Errorf("%s may update a block outside a transaction", role)
		}
	}
	if writers < 5 {
		t.Errorf("only %d roles append to the audit chain", writers)
	}
}

func TestNoConcurrencyIsReservedUnlessAsked(t *testing.T) {
	for id, lambda := range of(t, "AWS::Lambda::Function") {
		if reserved := lambda.Properties["ReservedConcurrentExecutions"]; reserved != nil {
			t.Errorf("%s reserves %v", id, reserved)
		}
	}
}

// deployedVariables are those that some program of the deployment gets.
func deployedVariables(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, lambda := range of(t, "AWS::Lambda::Function") {
		variables, _ := properties(lambda, "Environment", "Variables").(map[string]any)
		for name := range variables {
			found[name] = true
		}
	}
	names := regexp.MustCompile(`"Name":"([A-Z0-9_]+)"`)
	for _, task := range of(t, "AWS::ECS::TaskDefinition") {
		for _, m := range names.FindAllStringSubmatch(text(task.Properties), -1) {
			found[m[1]] = true
		}
	}
	return found
}

// Every setting of README can be set in a deployment, too.
func TestEveryVariableOfTheManualHasAContext(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	deployed := deployedVariables(t)
	for _, setting := range passedOn {
		deployed[setting.variable] = true
	}
	for _, name := range []string{"LLM_API", "LLM_MODEL", "LLM_KEY", "OTEL_EXPORTER_OTLP_ENDPOINT", "GAS_KEY_KMS"} {
		deployed[name] = true // set when their context is, see the variants
	}
	// A deployment keeps the gas key in KMS, and its address is that of the edge.
	deployed["GAS_KEY_FILE"] = true
	deployed["GOVERNANCE_ADDR"] = true

	variable := regexp.MustCompile("`([A-Z][A-Z0-9]+_[A-Z0-9_]+)(=[^`]*)?`")
	seen := 0
	for _, m := range variable.FindAllStringSubmatch(string(readme), -1) {
		seen++
		if name := m[1]; !deployed[name] {
			t.Errorf("README offers %s, and no context sets it", name)
		}
	}
	if seen < 20 {
		t.Errorf("only %d variables found in README", seen)
	}
}

// A deployment with other limits, a restored table, tools for sale and a lock that no one
// can lift.
func TestADeploymentTakesItsSettings(t *testing.T) {
	needNode(t)
	all, err := synthesize(map[string]string{
		"region": "ca-central-1", "edgePrefixList": "pl-38a64351",
		"requestsPerSecond": "50", "requestsPerAddress": "300", "lockMode": "compliance",
		"workers": "20", "auditTable": "audit-restored", "paidTools": "true", "gasFeeCapGwei": "3", "toolsets": "core,audit",
		"checkpointWitnesses": "https://witness.example w+1+AA", "oauthIssuer": "https://id.example", "oauthJwksUrl": "https://id.example/keys",
	})
	if err != nil {
		t.Fatal(err)
	}
	api := text(all["governance-Api"])
	for _, want := range []string{`"ThrottlingRateLimit":50`, `"ThrottlingBurstLimit":100`, `"SEGMENT_LOCK_MODE":"compliance"`, `"AUDIT_TABLE":"audit-restored"`,
		`"GAS_FEE_CAP_GWEI":"3"`, `"CHECKPOINT_WITNESSES":"https://witness.example w+1+AA"`, `table/audit-restored`} {
		if !strings.Contains(api, want) {
			t.Errorf("the functions lack %s", want)
		}
	}
	firewall := text(all["governance-Firewall"])
	if !strings.Contains(firewall, `"Limit":300`) || !strings.Contains(firewall, "More than 300 requests") {
		t.Errorf("the firewall: %s", firewall)
	}
	network := text(all["governance-Network"])
	if !strings.Contains(network, "pl-38a64351") || !strings.Contains(network, "cac1-az1") {
		t.Error("the network has another prefix list or other zones")
	}
	task := text(all["governance-ToolServer"])
	for _, want := range []string{`{"Name":"GOV_PAID_TOOLS","Value":"true"}`, "PAYMENTS_TABLE", "SIGNING_KEY", `{"Name":"GOV_TOOLSETS","Value":"core,audit"}`, "OAUTH_JWKS_URL"} {
		if !strings.Contains(task, want) {
			t.Errorf("the tool server lacks %s", want)
		}
	}
	for id, r := range all["governance-Api"].Resources {
		if reserved, ok := r.Properties["ReservedConcurrentExecutions"].(float64); r.Type == "AWS::Lambda::Function" && (!ok || reserved < 1) {
			t.Errorf("%s reserves no concurrency", id)
		}
	}
	alarms := all["governance-EdgeAlarms"]
	if !strings.Contains(text(alarms), "5xxErrorRate") {
		t.Error("no alarm on the distribution in us-east-1")
	}
}

// The settings that are declared for a laptop change nothing in a deployment.
func TestVariablesOfALaptopAreEmpty(t *testing.T) {
	for id, lambda := range of(t, "AWS::Lambda::Function") {
		variables, _ := properties(lambda, "Environment", "Variables").(map[string]any)
		for _, name := range []string{"DATA_DIR", "DYNAMODB_ENDPOINT", "S3_ENDPOINT", "GAS_KEY"} {
			if value, declared := variables[name]; declared && value != "" {
				t.Errorf("%s: %s is %v", id, name, value)
			}
		}
	}
	declared := 0
	for _, name := range catalog.Functions() {
		for id, lambda := range of(t, "AWS::Lambda::Function") {
			variables, _ := properties(lambda, "Environment", "Variables").(map[string]any)
			if _, ok := variables["DATA_DIR"]; ok && strings.HasPrefix(id, "governance-Api/"+strings.ReplaceAll(name, "-", "")) {
				declared++
				break
			}
		}
	}
	if declared != len(catalog.Functions()) {
		t.Errorf("%d of %d functions declare DATA_DIR", declared, len(catalog.Functions()))
	}
}
