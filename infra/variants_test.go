package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestTwoSynthsAreIdentical(t *testing.T) {
	needNode(t)
	again, err := synthesize(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again, templates(t)) {
		t.Error("the same settings gave another template")
	}
}

// A service for real money, elsewhere, under its own name: the wallet in KMS pays the
// gas, the firewall stays where CloudFront wants it, the functions know the domain.
func TestARealServiceInAnotherRegion(t *testing.T) {
	needNode(t)
	all, err := synthesize(map[string]string{
		"network": "base", "payTo": payTo, "rpcUrls": "https://node.example", "alarmsMail": "ops@shop.example", "region": "eu-central-1",
		"domain": "shop.example", "certificate": "arn:aws:acm:us-east-1:000000000000:certificate/x", "workers": "0", "name": "shop",
	})
	if err != nil {
		t.Fatal(err)
	}
	distribution, sold, mails := "", 0, 0
	for stack, one := range all {
		if !strings.HasPrefix(stack, "shop-") {
			t.Errorf("stack %s", stack)
		}
		for id, r := range one.Resources {
			switch r.Type {
			case "AWS::CloudFront::Distribution":
				distribution = text(r.Properties)
			case "AWS::WAFv2::WebACL":
				if stack != "shop-Firewall" {
					t.Errorf("the firewall is in %s", stack)
				}
			case "AWS::Lambda::Function":
				variables := text(properties(r, "Environment", "Variables"))
				if strings.Contains(variables, "GAS_KEY_KMS") {
					sold++
				}
				if strings.Contains(variables, `"BASE_URL"`) && !strings.Contains(variables, `"BASE_URL":"https://shop.example"`) || strings.Contains(variables, `"FACILITATOR_URL":"h`) {
					t.Errorf("%s: %s", id, variables)
				}
				if r.Properties["ReservedConcurrentExecutions"] != nil {
					t.Errorf("%s reserves concurrency in an account that has none to spare", id)
				}
			case "AWS::SNS::Subscription", "AWS::Budgets::Budget":
				if strings.Contains(text(r.Properties), "ops@shop.example") {
					mails++
				}
			}
		}
	}
	if sold < 5 || mails != 3 {
		t.Errorf("%d functions can settle, %d send mail", sold, mails)
	}
	for _, part := range []string{`"Aliases":["shop.example"]`, "arn:aws:acm:us-east-1:000000000000:certificate/x", "TLSv1.2_2021", "execute-api.eu-central-1.amazonaws.com", `"Region":"us-east-1"`} {
		if !strings.Contains(distribution, part) {
			t.Errorf("the distribution lacks %s: %s", part, distribution)
		}
	}
}

// Traces go where the context says, with the key of the collector in a secret; and a
// facilitator that asks for a token gets it from one.
func TestAServiceThatIsObserved(t *testing.T) {
	needNode(t)
	const layer, key = "arn:aws:lambda:us-east-1:000000000000:layer:collector:7", "arn:aws:secretsmanager:us-east-1:000000000000:secret:otel-abc123"
	all, err := synthesize(map[string]string{
		"telemetry": "http://localhost:4318", "telemetryLayer": layer, "telemetryHeaders": key, "telemetrySample": "0.5",
		"facilitatorToken": "true", "certificationId": "cert-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	observed, sold, certified := 0, 0, 0
	for _, one := range all {
		for id, r := range one.Resources {
			switch r.Type {
			case "AWS::Lambda::Function":
				said := text(properties(r, "Environment", "Variables"))
				if !strings.Contains(said, `"OTEL_EXPORTER_OTLP_ENDPOINT":"http://localhost:4318"`) || !strings.Contains(said, `"OTEL_EXPORTER_OTLP_HEADERS":"`+key+`"`) || !strings.Contains(text(r.Properties["Layers"]), layer) {
					t.Errorf("%s is not observed: %s", id, said)
				}
				if strings.Contains(said, "FACILITATOR_TOKEN") {
					sold++
				}
				if strings.Contains(said, `"CERTIFICATION_ID":"cert-1"`) {
					certified++
				}
			case "AWS::IAM::Role":
				if strings.Contains(text(r.Properties), key) {
					observed++
				}
			case "AWS::ECS::TaskDefinition":
				if !strings.Contains(text(r.Properties), "OTEL_TRACES_SAMPLER_ARG") {
					t.Errorf("%s is not observed", id)
				}
			}
		}
	}
	if lambdas := len(of(t, "AWS::Lambda::Function")); observed != lambdas+1 || sold < 5 || certified < 10 {
		t.Errorf("%d of %d roles may read the key, %d functions have the token, %d the certificate", observed, lambdas+1, sold, certified)
	}
}

// The kill switch may stop what is named, and nothing beside it.
func TestTheKillSwitchMayStopWhatIsNamed(t *testing.T) {
	needNode(t)
	all, err := synthesize(map[string]string{"managed": "ecs:jobs/queue,lambda:mailer"})
	if err != nil {
		t.Fatal(err)
	}
	role := ""
	for stack, one := range all {
		for id, r := range one.Resources {
			granted := text(r.Properties)
			if stopping := strings.Contains(granted, "ecs:StopTask") || strings.Contains(granted, "lambda:PutFunctionConcurrency"); !stopping || r.Type != "AWS::IAM::Role" {
				continue
			}
			if !strings.HasSuffix(stack, "-ToolServer") || role != "" {
				t.Errorf("%s %s may stop something", stack, id)
			}
			role = granted
		}
	}
	for _, want := range []string{"service/jobs/queue", "task/jobs/*", "cluster/jobs", "function:mailer", "ecs:UpdateService", "lambda:DeleteFunctionConcurrency", "ecs:cluster"} {
		if !strings.Contains(role, want) {
			t.Errorf("no %s in %s", want, role)
		}
	}
	for _, one := range templates(t) {
		if strings.Contains(text(one), "ecs:StopTask") {
			t.Error("it may stop tasks though nothing is named")
		}
	}
}

// A deployed agent knows its model and may ask no other; the workspace comes from the
// deploying machine.
func TestTheToolServerGetsItsWorkspaceAndItsModel(t *testing.T) {
	needNode(t)
	file := filepath.Join(t.TempDir(), "governance.yaml")
	if err := os.WriteFile(file, []byte("version: 1 # from here\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := synthesize(map[string]string{"workspaceFile": file, "llmApi": "bedrock", "llmModel": "eu.maker.model-1", "llmKey": "arn:aws:secretsmanager:us-east-1:000000000000:secret:llm-abc123"})
	if err != nil {
		t.Fatal(err)
	}
	task := text(all["governance-ToolServer"])
	for _, want := range []string{`"/data/workspace"`, "version: 1 # from here", `"bedrock:InvokeModel"`, ":inference-profile/eu.maker.model-1", ":bedrock:*::foundation-model/maker.model-1", "secret:llm-abc123"} {
		if !strings.Contains(task, want) {
			t.Errorf("no %s in %s", want, task)
		}
	}
	if strings.Contains(text(templates(t)["governance-ToolServer"]), "bedrock") {
		t.Error("a model may be asked though none is named")
	}
}
