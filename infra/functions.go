package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"

	"governance.internal/shared/catalog"
)

// function is one Lambda: its program, environment and permissions.
type function struct {
	name        string // folder under functions/
	environment map[string]*string
	grants      []grant
	workers     int     // reserved concurrency, 0 for none
	memory      float64 // MB
	timeout     float64 // seconds
}

// answerLimit is below the 30 seconds after which the gateway answers with its own error.
const answerLimit = 28

// logDays is how long logs are kept.
const logDays = awslogs.RetentionDays_THREE_MONTHS

// endpoint is the function of rows of the catalogue. A paid one needs the whole payment
// machine; a free one needs the site and little else.
func (f *functions) endpoint(name string) function {
	made := function{
		name:    name,
		workers: f.settings.Workers,
		memory:  256,
		timeout: answerLimit,
	}
	made.tell(f.site())

	switch {
	case isPaid(name):
		made.memory = 512
		if slices.Contains(computing, name) {
			made.memory = wholeProcessor
		}
		f.sell(&made)
		if name == "verify-audit" {
			made.tell(f.data.chain(f.settings))
			made.tell(variables(f.settings.passedTo(auditors)))
			made.grants = append(made.grants, f.data.verifyAudit()...)
		}
	case name == "payment-state":
		made.tell(map[string]*string{
			"PAYMENTS_TABLE": f.data.payments.TableName(),
			"RESULT_BUCKET":  f.data.results.BucketName(),
		})
		made.grants = append(made.grants, f.data.readPayments()...)
	}

	f.base(&made)
	f.behindEdge(&made)
	made.declare(localVariables...)
	return made
}

// localVariables have a value only on a laptop. `sam local invoke` sets only what the
// template declares, and an empty variable counts as none.
var localVariables = []string{"DATA_DIR", "DYNAMODB_ENDPOINT", "S3_ENDPOINT", "RPC_URLS", "GAS_KEY", "FACILITATOR_URL", "DEVELOPMENT_CHAIN"}

// computing are the functions that compute for longer than they wait.
var computing = []string{"legal-prep", "bookkeeping", "agent-therapy", "scan"}

// wholeProcessor is the memory, in MB, with which Lambda gives one processor.
const wholeProcessor = 1769

func isPaid(name string) bool {
	for _, row := range catalog.ByFunction(name) {
		if row.Paid() {
			return true
		}
	}
	return false
}

// sweeper and sealer run on schedules and have no clients.
func (f *functions) sweeper() function {
	made := function{
		name:    "payment-sweeper",
		workers: min(f.settings.Workers, 1),
		memory:  512,
		timeout: 55,
	}
	made.tell(f.site())

	f.sell(&made)
	f.base(&made)
	return made
}

func (f *functions) sealer() function {
	made := function{
		name:    "seal",
		workers: min(f.settings.Workers, 2),
		memory:  1024,
		timeout: 900,
	}
	made.tell(f.data.chain(f.settings))

	made.tell(variables(f.settings.passedTo(auditors)))
	made.grants = f.data.sealAudit()
	f.base(&made)
	return made
}

// stranger answers paths that are not in the catalogue.
func (f *functions) stranger() function {
	made := function{
		name:    "not-found",
		workers: f.settings.Workers,
		memory:  128,
		timeout: answerLimit,
	}
	f.behindEdge(&made)

	return made
}

func (made *function) tell(environment map[string]*string) {
	if made.environment == nil {
		made.environment = map[string]*string{}
	}
	maps.Copy(made.environment, environment)
}

// declare adds variables without a value.
func (made *function) declare(names ...string) {
	for _, name := range names {
		if _, set := made.environment[name]; !set {
			made.tell(map[string]*string{name: jsii.String("")})
		}
	}
}

// functions creates the Lambdas of one stack.
type functions struct {
	in       awscdk.Stack
	settings Settings
	data     *data
	dist     string
}

func (f *functions) site() map[string]*string {
	return variables(f.settings.site())
}

// variables is an environment in the type of the CDK.
func variables(environment map[string]string) map[string]*string {
	made := map[string]*string{}
	for name, value := range environment {
		made[name] = jsii.String(value)
	}
	return made
}

// sell adds the payment machine.
func (f *functions) sell(made *function) {
	made.tell(map[string]*string{
		"AUDIT_TABLE":    f.data.audit.TableName(),
		"RPC_URLS":       jsii.String(f.settings.RPCURLs),
		"PAYMENTS_TABLE": f.data.payments.TableName(),
		"RESULT_BUCKET":  f.data.results.BucketName(),
		"SIGNING_KEY":    f.data.signing.SecretArn(),
	})

	made.tell(variables(f.settings.passedTo(sellers)))
	made.grants = slices.Concat(made.grants,
		f.data.writePayments(),
		f.data.appendAudit(),
		[]grant{readSecrets(f.data.signing.SecretArn())},
	)

	f.settle(made)
}

// settle adds the gas wallet, or the secret of the facilitators.
func (f *functions) settle(made *function) {
	secret := f.data.facilitator.SecretArn()

	facilitators := f.settings.facilitators()
	switch {
	case facilitators == "":
		made.tell(map[string]*string{"GAS_KEY_KMS": f.data.gas.KeyArn()})
		made.grants = append(made.grants, f.data.payGas())
	case f.settings.Tokens:
		made.tell(map[string]*string{"FACILITATOR_TOKEN": secret})
		made.grants = append(made.grants, readSecrets(secret))
	case strings.Contains(facilitators, cdpHost):
		made.tell(map[string]*string{
			"CDP_KEY_ID":     jsii.String(f.settings.CDPKeyID),
			"CDP_KEY_SECRET": secret,
		})
		made.grants = append(made.grants, readSecrets(secret))
	}
}

// base adds the base URL: the domain, or the parameter that the edge writes with the name
// from CloudFront. A reference to the distribution would be circular.
func (f *functions) base(made *function) {
	if f.settings.Domain != "" {
		base := jsii.String("https://" + f.settings.Domain)
		made.tell(map[string]*string{"BASE_URL": base})
		return
	}

	name := strings.TrimPrefix(f.settings.parameter(), "/")
	parameter := f.in.FormatArn(&awscdk.ArnComponents{
		Service:      jsii.String("ssm"),
		Resource:     jsii.String("parameter"),
		ResourceName: jsii.String(name),
	})
	made.tell(map[string]*string{"BASE_URL": parameter})
	made.grants = append(made.grants, grant{
		actions:   "ssm:GetParameter",
		resources: []*string{parameter},
	})
}

// behindEdge refuses requests that did not come through CloudFront.
func (f *functions) behindEdge(made *function) {
	if !f.settings.OriginCheck {
		return
	}

	secret := f.data.origin.SecretArn()
	made.tell(map[string]*string{"ORIGIN_SECRET": secret})
	made.grants = append(made.grants, readSecrets(secret))
}

// report adds the collector.
func (f *functions) report(made *function) {
	made.tell(variables(f.settings.telemetry()))
	if secret := f.settings.TelemetryHeaders; secret != "" {
		made.grants = append(made.grants, readSecrets(jsii.String(secret)))
	}
}

// add creates the Lambda with its log group and its role.
func (f *functions) add(made function) (awslambda.Function, awslogs.LogGroup) {
	f.report(&made)

	logName := jsii.String("/" + f.settings.Name + "/" + made.name)
	logs := awslogs.NewLogGroup(f.in, jsii.String(made.name+"-logs"), &awslogs.LogGroupProps{
		LogGroupName:  logName,
		Retention:     logDays,
		RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})

	write := grant{
		actions:   "logs:CreateLogStream logs:PutLogEvents",
		resources: []*string{logs.LogGroupArn()},
	}
	grants := append(made.grants, write)

	program := jsii.String(f.dist + "/" + made.name)
	props := &awslambda.FunctionProps{
		Description:  jsii.String("Governance service: " + made.name),
		Runtime:      awslambda.Runtime_PROVIDED_AL2023(),
		Architecture: architecture(f.settings.Arch),
		Handler:      jsii.String("bootstrap"),
		Code:         awslambda.Code_FromAsset(program, nil),
		Environment:  &made.environment,
		Role:         role(f.in, made.name+"-role", "lambda.amazonaws.com", grants),
		LogGroup:     logs,
		MemorySize:   jsii.Number(made.memory),
		Timeout:      awscdk.Duration_Seconds(jsii.Number(made.timeout)),
	}

	if arn := f.settings.TelemetryLayer; arn != "" {
		id := jsii.String(made.name + "-collector")
		layer := awslambda.LayerVersion_FromLayerVersionArn(f.in, id, jsii.String(arn))
		props.Layers = &[]awslambda.ILayerVersion{layer}
	}

	if made.workers > 0 {
		props.ReservedConcurrentExecutions = jsii.Number(made.workers)
	}

	lambda := awslambda.NewFunction(f.in, jsii.String(made.name), props)
	return lambda, logs
}

func architecture(arch string) awslambda.Architecture {
	if arch == "x86_64" {
		return awslambda.Architecture_X86_64()
	}
	return awslambda.Architecture_ARM_64()
}
