package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"governance.internal/shared/catalog"
)

var update = flag.Bool("update", false, "rewrite the golden template")

// properties walks into a property by names; nil if there is none.
func properties(r resource, path ...string) any {
	var at any = r.Properties
	for _, name := range path {
		next, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = next[name]
	}
	return at
}

func text(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

func list(value any) []any {
	if many, ok := value.([]any); ok {
		return many
	}
	if value == nil {
		return nil
	}
	return []any{value}
}

// All paths of the catalogue are routes, and nothing else is but the default.
func TestTheRoutesAreTheCatalogue(t *testing.T) {
	want := []string{"$default"}
	for _, row := range catalog.Endpoints {
		if route := "ANY " + row.Path; !slices.Contains(want, route) {
			want = append(want, route)
		}
	}
	var got []string
	for _, route := range of(t, "AWS::ApiGatewayV2::Route") {
		got = append(got, route.Properties["RouteKey"].(string))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("routes %v, want %v", got, want)
	}
}

// The edge sends the paths of the tool server to it, as its own routes name them.
func TestTheEdgeKnowsTheRoutesOfTheToolServer(t *testing.T) {
	source, err := os.ReadFile("../functions/toolserver/routes/routes.go")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`"(/[a-z/]*)"`).FindAllStringSubmatch(string(source), -1) {
		known[m[1]] = true
	}
	follow, err := os.ReadFile("../functions/toolserver/routes/dispatches.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`logPattern = "(/[a-z/{}]*)"`).FindAllStringSubmatch(string(follow), -1) {
		known[strings.ReplaceAll(m[1], "{id}", "*")] = true
	}
	metadata, err := os.ReadFile("../functions/toolserver/routes/access/metadata.go")
	if err != nil {
		t.Fatal(err)
	}
	// RFC 9728: of the whole server and of each of its two endpoints.
	for _, m := range regexp.MustCompile(`"(/\.well-known/[a-z-]+)"`).FindAllStringSubmatch(string(metadata), -1) {
		known[m[1]], known[m[1]+"/mcp"], known[m[1]+"/sse"] = true, true, true
	}
	for path := range known {
		if !slices.Contains(toolPaths, path) {
			t.Errorf("%s is a route of the tool server and not of the edge", path)
		}
	}
	for _, path := range toolPaths {
		if !known[path] {
			t.Errorf("%s is no route of the tool server", path)
		}
		if _, ok := catalog.Lookup("GET", path); ok {
			t.Errorf("%s belongs to the catalogue", path)
		}
	}
}

// wildcards are the only statements with a star for an action or a resource, by stack
// and role, with the reason.
var wildcards = map[string]string{
	"kms:*":                     "the account's administrators own a key",
	"ecr:GetAuthorizationToken": "it has no resource",
}

// statement is one of a policy.
type statement struct {
	Effect                string
	Action, NotAction     any
	Resource, NotResource any
	Principal             any
	Condition             map[string]any
	where                 string
}

// statements returns all of a value, wherever they are.
func statements(where string, value any) []statement {
	var found []statement
	switch v := value.(type) {
	case map[string]any:
		if _, ok := v["Effect"]; ok && (v["Action"] != nil || v["NotAction"] != nil) {
			one := statement{where: where}
			raw, _ := json.Marshal(v) // it came from JSON
			_ = json.Unmarshal(raw, &one)
			found = append(found, one)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			found = append(found, statements(where, v[name])...)
		}
	case []any:
		for _, one := range v {
			found = append(found, statements(where, one)...)
		}
	}
	return found
}

func TestNoPolicyAllowsMoreThanItNames(t *testing.T) {
	seen := 0
	for stack, one := range templates(t) {
		for id, r := range one.Resources {
			for _, s := range statements(stack+"/"+id, any(r.Properties)) {
				seen++
				if s.Effect != "Allow" {
					continue
				}
				if s.NotAction != nil || s.NotResource != nil {
					t.Errorf("%s allows all but something", s.where)
				}
				for _, action := range list(s.Action) {
					name := action.(string)
					open := strings.Contains(name, "*") || slices.Contains(list(s.Resource), any("*"))
					if _, listed := wildcards[name]; open && !listed && !ownDisk(s) {
						t.Errorf("%s allows %s on %s", s.where, name, text(s.Resource))
					}
				}
				if text(s.Principal) == `{"AWS":"*"}` && !ownDisk(s) {
					t.Errorf("%s allows every principal %s", s.where, text(s.Action))
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d statements found", seen)
	}
}

// ownDisk is the policy of the file system itself, for clients in the VPC that come
// through a mount target with the access point's role.
func ownDisk(s statement) bool {
	return strings.Contains(s.where, "ToolServer/Disk") && text(s.Condition) == `{"Bool":{"elasticfilesystem:AccessedViaMountTarget":"true"}}`
}

// A writer of the audit chain cannot replace an entry, and no role can delete one.
func TestNoRoleDeletesFromTheAuditChain(t *testing.T) {
	for stack, one := range templates(t) {
		for id, r := range one.Resources {
			for _, s := range statements(stack+"/"+id, any(r.Properties)) {
				if s.Effect != "Allow" || !strings.Contains(text(s.Resource), "Audit") {
					continue
				}
				for _, action := range list(s.Action) {
					keys := text(s.Condition)
					switch action {
					case "dynamodb:DeleteItem":
						if keys != `{"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["q#*"]}}` {
							t.Errorf("%s deletes %s", s.where, keys)
						}
					case "dynamodb:PutItem", "dynamodb:UpdateItem":
						if !strings.Contains(keys, "dynamodb:LeadingKeys") {
							t.Errorf("%s writes any item", s.where)
						}
					case "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query":
					default:
						t.Errorf("%s may %s", s.where, action)
					}
				}
				if strings.Contains(text(s.Action), "s3:Delete") {
					t.Errorf("%s deletes objects", s.where)
				}
			}
		}
	}
}

// Only who verifies the audit chain holds the key of its checkpoints and reads its
// segments; a function that merely sells does not.
func TestWhoOnlySellsCannotSignCheckpoints(t *testing.T) {
	verifies := []string{"verifyauditrole", "sealrole", "taskrole"}
	signers := 0
	for id, r := range of(t, "AWS::IAM::Role") {
		_, logical, _ := strings.Cut(id, "/")
		may := slices.ContainsFunc(verifies, func(name string) bool { return strings.HasPrefix(logical, name) })
		for _, s := range statements(id, any(r.Properties)) {
			if target := text(s.Resource); strings.Contains(target, "CheckpointKey") || strings.Contains(target, "Segments") {
				if !may {
					t.Errorf("%s may %s", id, text(s.Action))
				}
				signers++
			}
		}
	}
	if signers == 0 {
		t.Error("no role may")
	}
}

// A function that sells nothing can sign nothing and write nothing.
func TestFreeFunctionsCanOnlyReadWhatTheyTell(t *testing.T) {
	for id, r := range of(t, "AWS::IAM::Role") {
		for _, name := range catalog.Functions() {
			logical := strings.ReplaceAll(name, "-", "") + "role"
			if isPaid(name) || !strings.HasPrefix(id, "governance-Api/"+logical) {
				continue
			}
			allowed := []string{"ssm:GetParameter", "secretsmanager:GetSecretValue", "logs:CreateLogStream", "logs:PutLogEvents", "sts:AssumeRole"}
			if name == "payment-state" {
				allowed = append(allowed, "dynamodb:GetItem", "dynamodb:Query", "s3:GetObject", "s3:ListBucket")
			}
			for _, s := range statements(id, any(r.Properties)) {
				for _, action := range list(s.Action) {
					if !slices.Contains(allowed, action.(string)) {
						t.Errorf("%s may %s", name, action)
					}
				}
			}
		}
	}
}

func TestNoSecretStandsInTheEnvironment(t *testing.T) {
	secret := regexp.MustCompile(`SECRET|TOKEN|SIGNING_KEY`)
	seen := 0
	for id, lambda := range of(t, "AWS::Lambda::Function") {
		variables, _ := properties(lambda, "Environment", "Variables").(map[string]any)
		for name, value := range variables {
			if secret.MatchString(name) {
				seen++
				if !strings.HasPrefix(text(value), `{"Fn::ImportValue":"governance-Data:`) {
					t.Errorf("%s: %s is %s, not a reference to a secret", id, name, text(value))
				}
			}
		}
	}
	if seen < len(catalog.Functions()) {
		t.Errorf("only %d secrets seen", seen)
	}
	for id, definition := range of(t, "AWS::ECS::TaskDefinition") {
		if found := text(properties(definition, "ContainerDefinitions").([]any)[0].(map[string]any)["Environment"]); secret.MatchString(found) {
			t.Errorf("%s: %s", id, found)
		}
	}
}

func TestWhatMustSurviveSurvives(t *testing.T) {
	for id, r := range of(t, "AWS::DynamoDB::GlobalTable") {
		replica := text(r.Properties["Replicas"])
		if r.DeletionPolicy != "Retain" || !strings.Contains(replica, `"PointInTimeRecoveryEnabled":true`) ||
			!strings.Contains(replica, `"DeletionProtectionEnabled":true`) || properties(r, "SSESpecification", "SSEEnabled") != true {
			t.Errorf("%s: %s %s %s", id, r.DeletionPolicy, replica, text(r.Properties["SSESpecification"]))
		}
		if strings.Contains(id, "Audit") && r.Properties["TimeToLiveSpecification"] != nil {
			t.Error("entries of the audit chain expire")
		}
	}
	for _, kind := range []string{"AWS::S3::Bucket", "AWS::KMS::Key", "AWS::SecretsManager::Secret", "AWS::EFS::FileSystem"} {
		for id, r := range of(t, kind) {
			if r.DeletionPolicy != "Retain" {
				t.Errorf("%s %s would be deleted with its stack", kind, id)
			}
		}
	}
}

func TestNoBucketIsPublicAndSegmentsAreLocked(t *testing.T) {
	locked := 0
	for id, r := range of(t, "AWS::S3::Bucket") {
		if got := text(r.Properties["PublicAccessBlockConfiguration"]); got != `{"BlockPublicAcls":true,"BlockPublicPolicy":true,"IgnorePublicAcls":true,"RestrictPublicBuckets":true}` {
			t.Errorf("%s: %s", id, got)
		}
		if r.Properties["BucketEncryption"] == nil || properties(r, "VersioningConfiguration", "Status") != "Enabled" {
			t.Errorf("%s is not encrypted or not versioned", id)
		}
		if r.Properties["ObjectLockEnabled"] == true {
			locked++
		}
	}
	if locked != 1 {
		t.Errorf("%d buckets are locked", locked)
	}
	for id, r := range of(t, "AWS::S3::BucketPolicy") {
		if !strings.Contains(text(r.Properties), `"aws:SecureTransport":"false"`) {
			t.Errorf("%s takes requests in clear text", id)
		}
	}
}

// Nothing is open to the world, and only the task gets out, by HTTPS.
func TestSecurityGroupsAreClosed(t *testing.T) {
	var out []string
	rules := map[string][]any{}
	for id, r := range of(t, "AWS::EC2::SecurityGroup") {
		rules[id+" in"], rules[id+" out"] = list(r.Properties["SecurityGroupIngress"]), list(r.Properties["SecurityGroupEgress"])
	}
	for id, r := range of(t, "AWS::EC2::SecurityGroupIngress") {
		rules[id+" in"] = []any{r.Properties}
	}
	for id, r := range of(t, "AWS::EC2::SecurityGroupEgress") {
		rules[id+" out"] = []any{r.Properties}
	}
	for id, many := range rules {
		for _, one := range many {
			rule := text(one)
			switch open := strings.Contains(rule, "0.0.0.0/0") || strings.Contains(rule, "::/0"); {
			case open && strings.HasSuffix(id, " in"):
				t.Errorf("%s: %s", id, rule)
			case open:
				out = append(out, id+rule)
			}
		}
	}
	if len(out) != 1 || !strings.Contains(out[0], "TaskGroup") || !strings.Contains(out[0], `"FromPort":443`) || !strings.Contains(out[0], `"ToPort":443`) {
		t.Errorf("open to the outside: %v", out)
	}
	for id, r := range of(t, "AWS::ElasticLoadBalancingV2::LoadBalancer") {
		if r.Properties["Scheme"] != "internal" {
			t.Errorf("%s is %v", id, r.Properties["Scheme"])
		}
	}
	for _, one := range templates(t) {
		for id, r := range one.Resources {
			if r.Type == "AWS::EC2::NatGateway" || r.Type == "AWS::EC2::Instance" {
				t.Errorf("%s: %s", id, r.Type) // an instance would have a metadata service to steal from
			}
		}
	}
}

// One task at a time, which has no privileges, can write only to its directory, and has
// an init process for the processes that it leaves behind.
func TestTheTaskIsAloneAndConfined(t *testing.T) {
	for id, r := range of(t, "AWS::ECS::Service") {
		c := r.Properties["DeploymentConfiguration"].(map[string]any)
		if r.Properties["DesiredCount"] != 1.0 || c["MaximumPercent"] != 100.0 || c["MinimumHealthyPercent"] != 0.0 || !strings.Contains(text(c), `"Rollback":true`) {
			t.Errorf("%s: %s", id, text(r.Properties["DeploymentConfiguration"]))
		}
	}
	for id, r := range of(t, "AWS::ECS::TaskDefinition") {
		c := r.Properties["ContainerDefinitions"].([]any)[0].(map[string]any)
		if c["ReadonlyRootFilesystem"] != true || c["User"] != "65532:65532" || text(c["LinuxParameters"]) != `{"Capabilities":{"Drop":["ALL"]},"InitProcessEnabled":true}` || c["Privileged"] == true {
			t.Errorf("%s: %s", id, text(c))
		}
		if !strings.Contains(text(r.Properties["Volumes"]), `"IAM":"ENABLED"`) || !strings.Contains(text(r.Properties["Volumes"]), `"TransitEncryption":"ENABLED"`) {
			t.Errorf("%s: %s", id, text(r.Properties["Volumes"]))
		}
	}
}

// A cached answer would be another buyer's purchase, a cached 402 a demand for money
// that is paid.
func TestTheEdgeStoresNothingAndRefusesClearText(t *testing.T) {
	const disabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad" // AWS's id of the policy CachingDisabled
	for id, r := range of(t, "AWS::CloudFront::Distribution") {
		c := r.Properties["DistributionConfig"].(map[string]any)
		all := append(list(c["CacheBehaviors"]), c["DefaultCacheBehavior"])
		if len(all) != len(toolPaths)+1 || c["WebACLId"] == nil {
			t.Errorf("%s has %d behaviors, firewall %v", id, len(all), c["WebACLId"])
		}
		for _, one := range all {
			b := one.(map[string]any)
			if b["CachePolicyId"] != disabled || b["ViewerProtocolPolicy"] != "https-only" || b["Compress"] != false || len(b["AllowedMethods"].([]any)) != 7 {
				t.Errorf("%s: %s", id, text(b))
			}
		}
		if !strings.Contains(text(c["Origins"]), `"HeaderName":"X-Origin-Secret","HeaderValue":{"Fn::Join":["",["{{resolve:secretsmanager:`) {
			t.Errorf("%s: the header does not come from the secret: %s", id, text(c["Origins"]))
		}
	}
}

func TestLogsAreKeptForAWhile(t *testing.T) {
	groups := of(t, "AWS::Logs::LogGroup")
	for id, r := range groups {
		if r.Properties["RetentionInDays"] != 90.0 {
			t.Errorf("%s keeps logs for %v days", id, r.Properties["RetentionInDays"])
		}
	}
	for id, lambda := range of(t, "AWS::Lambda::Function") {
		if properties(lambda, "LoggingConfig", "LogGroup") == nil {
			t.Errorf("%s logs to a group of its own that is kept for ever", id)
		}
	}
}

func TestSchedulesAreAsTheFunctionsWantThem(t *testing.T) {
	var got []string
	for _, r := range of(t, "AWS::Events::Rule") {
		target := r.Properties["Targets"].([]any)[0].(map[string]any)
		got = append(got, fmt.Sprint(r.Properties["ScheduleExpression"], " ", target["Input"]))
	}
	slices.Sort(got)
	if want := []string{"rate(1 minute) {}", "rate(5 minutes) {}", `rate(6 hours) {"walk":true}`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEveryAlarmHasATopicAndADescription(t *testing.T) {
	want := []string{"ApiErrors", "SweeperFails", "SettlementTroubles", "GasLow", "GasWasted", "ChainBroken", "SealerFails", "CheckpointLate", "TaskDown", "TaskErrors", "BalancerErrors", "EdgeErrors"}
	for _, name := range append(catalog.Functions(), "seal", "payment-sweeper", "not-found") {
		want = append(want, "Throttled"+strings.ReplaceAll(name, "-", ""))
	}
	alarms := of(t, "AWS::CloudWatch::Alarm")
	for _, name := range want {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(alarms)), func(id string) bool { return strings.HasPrefix(id, "governance-Operations/"+name) }) {
			t.Errorf("no alarm %s", name)
		}
	}
	for id, r := range alarms {
		if len(list(r.Properties["AlarmActions"])) != 1 || r.Properties["AlarmDescription"] == nil {
			t.Errorf("%s: %v %v", id, r.Properties["AlarmActions"], r.Properties["AlarmDescription"])
		}
	}
}

// The alarms on log lines look for what the code really logs.
func TestTheAlarmsLookForWhatIsLogged(t *testing.T) {
	for pattern, phrases := range map[string][]string{"../shared/payments/*.go": settlementTroubles, "../shared/audit/auditor/*.go": chainTroubles} {
		var logged strings.Builder
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			logged.Write(source)
		}
		for _, phrase := range phrases {
			if !strings.Contains(logged.String(), `slog.ErrorContext(ctx, "`+phrase) {
				t.Errorf("%q is logged nowhere", phrase)
			}
		}
	}
}

// A metric of our own comes from a filter of a log, or from the line that the sweeper
// writes; an alarm on any other would never go off.
func TestTheAlarmsOnOurOwnMetricsHaveASource(t *testing.T) {
	gas, err := os.ReadFile("../functions/payment-sweeper/gas.go")
	if err != nil {
		t.Fatal(err)
	}
	filled := map[string]int{}
	for _, r := range of(t, "AWS::Logs::MetricFilter") {
		for _, each := range list(r.Properties["MetricTransformations"]) {
			made := each.(map[string]any)
			if made["MetricNamespace"] == namespace {
				filled[made["MetricName"].(string)]++
			}
		}
	}
	asked := regexp.MustCompile(`"MetricName":"(\w+)","Namespace":"` + namespace + `"`)
	found := 0
	for id, r := range of(t, "AWS::CloudWatch::Alarm") {
		text, err := json.Marshal(r.Properties)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range asked.FindAllStringSubmatch(string(text), -1) {
			found++
			if filled[m[1]] == 0 && !strings.Contains(string(gas), `g.metric("`+m[1]+`"`) {
				t.Errorf("%s watches %s, which nothing writes", id, m[1])
			}
		}
	}
	if found != 4 || filled["ChainBroken"] != 2 {
		t.Errorf("%d alarms on our own metrics; filters %v: the sealer and the tool server walk over the chain", found, filled)
	}
}

// Every change of the deployment shows up in a review, as a change of this file.
func TestTheTemplatesAreTheGoldenOnes(t *testing.T) {
	needNode(t)
	got, err := json.MarshalIndent(templates(t), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got)+"\n" != string(want) {
		t.Error("the templates have changed; look at the difference after go test ./infra -update")
	}
}
