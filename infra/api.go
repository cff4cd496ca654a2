package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2integrations"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"

	"governance.internal/shared/catalog"
)

// api is the HTTP API, and all Lambdas and their logs by name.
type api struct {
	in      awscdk.Stack
	gateway awsapigatewayv2.HttpApi
	lambdas map[string]awslambda.Function
	logs    map[string]awslogs.LogGroup
	names   []string // of lambdas, in the order of the catalogue
}

func newAPI(app awscdk.App, s Settings, d *data, dist string) *api {
	in := stack(app, s, "Api", "HTTP API and functions of the governance service")
	f := &functions{
		in:       in,
		settings: s,
		data:     d,
		dist:     dist,
	}

	a := &api{
		in:      in,
		lambdas: map[string]awslambda.Function{},
		logs:    map[string]awslogs.LogGroup{},
	}
	a.gateway = awsapigatewayv2.NewHttpApi(in, jsii.String("Http"), &awsapigatewayv2.HttpApiProps{
		ApiName:            jsii.String(s.Name),
		CreateDefaultStage: jsii.Bool(false),
		DefaultIntegration: integrate("not-found", a.add(f, f.stranger())),
	})

	for _, name := range catalog.Functions() {
		lambda := a.add(f, f.endpoint(name))
		a.route(name, lambda)
	}

	sweeper := a.add(f, f.sweeper())
	schedule(in, "sweep-every-minute", sweeper, 1, nil)

	sealer := a.add(f, f.sealer())
	schedule(in, "seal-every-5-minutes", sealer, 5, nil)
	schedule(in, "walk-every-6-hours", sealer, 6*60, map[string]any{"walk": true})

	stage(in, s, a.gateway)
	return a
}

func (a *api) add(f *functions, made function) awslambda.Function {
	name := made.name
	lambda, logs := f.add(made)

	a.names = append(a.names, name)
	a.lambdas[name] = lambda
	a.logs[name] = logs
	return lambda
}

// route takes every method of a function's paths, since the function itself answers
// HEAD, OPTIONS and, for other methods, 405.
func (a *api) route(name string, lambda awslambda.Function) {
	seen := map[string]bool{}
	for _, row := range catalog.ByFunction(name) {
		if seen[row.Path] {
			continue
		}

		seen[row.Path] = true
		a.gateway.AddRoutes(&awsapigatewayv2.AddRoutesOptions{
			Path:        jsii.String(row.Path),
			Methods:     &[]awsapigatewayv2.HttpMethod{awsapigatewayv2.HttpMethod_ANY},
			Integration: integrate(name, lambda),
		})
	}
}

func integrate(name string, lambda awslambda.Function) awsapigatewayv2.HttpRouteIntegration {
	props := &awsapigatewayv2integrations.HttpLambdaIntegrationProps{
		PayloadFormatVersion: awsapigatewayv2.PayloadFormatVersion_VERSION_2_0(),
	}
	return awsapigatewayv2integrations.NewHttpLambdaIntegration(jsii.String(name), lambda, props)
}

// stage is $default, whose paths have no prefix. The access log holds no header: a
// payment is a secret until it is settled.
func stage(in awscdk.Stack, s Settings, gateway awsapigatewayv2.HttpApi) {
	logs := awslogs.NewLogGroup(in, jsii.String("access-logs"), &awslogs.LogGroupProps{
		LogGroupName:  jsii.String("/" + s.Name + "/access"),
		Retention:     logDays,
		RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})
	awsapigatewayv2.NewCfnStage(in, jsii.String("Stage"), &awsapigatewayv2.CfnStageProps{
		ApiId:      gateway.ApiId(),
		StageName:  jsii.String("$default"),
		AutoDeploy: jsii.Bool(true),
		AccessLogSettings: &awsapigatewayv2.CfnStage_AccessLogSettingsProperty{
			DestinationArn: logs.LogGroupArn(),
			Format: jsii.String(`{"time":"$context.requestTime","id":"$context.requestId","route":"$context.routeKey",` +
				`"method":"$context.httpMethod","path":"$context.path","status":"$context.status","ms":"$context.responseLatency",` +
				`"length":"$context.responseLength","error":"$context.integrationErrorMessage"}`),
		},
		DefaultRouteSettings: &awsapigatewayv2.CfnStage_RouteSettingsProperty{
			ThrottlingRateLimit:  jsii.Number(s.RequestsPerSecond),
			ThrottlingBurstLimit: jsii.Number(2 * s.RequestsPerSecond),
		},
	})
}

// schedule runs a function at an interval in minutes with an event, {} if it is nil.
func schedule(in awscdk.Stack, id string, lambda awslambda.Function, minutes float64, event map[string]any) {
	if event == nil {
		event = map[string]any{}
	}

	target := awseventstargets.NewLambdaFunction(lambda, &awseventstargets.LambdaFunctionProps{
		Event:         awsevents.RuleTargetInput_FromObject(event),
		RetryAttempts: jsii.Number(0), // the next run is the retry
	})
	interval := awscdk.Duration_Minutes(jsii.Number(minutes))
	awsevents.NewRule(in, jsii.String(id), &awsevents.RuleProps{
		Schedule: awsevents.Schedule_Rate(interval),
		Targets:  &[]awsevents.IRuleTarget{target},
	})
}

// count counts lines in the log of a function.
func (a *api) count(name, metric string, phrases []string) {
	count(a.in, name+"-"+metric, a.logs[name], metric, phrases)
}

// count makes a metric of the lines of a log that hold one of some phrases.
func count(in awscdk.Stack, id string, logs awslogs.LogGroup, metric string, phrases []string) {
	pattern := jsii.String(quoted(phrases))
	awslogs.NewMetricFilter(in, jsii.String(id), &awslogs.MetricFilterProps{
		LogGroup:        logs,
		FilterPattern:   awslogs.FilterPattern_Literal(pattern),
		MetricNamespace: jsii.String(namespace),
		MetricName:      jsii.String(metric),
		MetricValue:     jsii.String("1"),
	})
}
