// Command infra describes the deployment for the AWS CDK. `make synth` turns it into
// CloudFormation templates; that needs Go, Node and the compiled functions, no Docker
// and no credentials.
//
// The stacks, in the order in which they are deployed:
//
//	Data        tables, buckets, keys, secrets: the state, which outlives its stack
//	Network     the VPC and the internal load balancer
//	Api         one Lambda per function of the catalogue behind an HTTP API
//	Firewall    the rules of CloudFront, in us-east-1
//	Edge        CloudFront, the one base URL
//	ToolServer  the task behind the load balancer
//	Operations  alarms, dashboard, budget
//	EdgeAlarms  alarms on CloudFront, in us-east-1, for deployments in another region
//
// A deployment is configured by [Settings], the context of the CDK.
package main

import (
	"fmt"
	"os"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

func main() {
	defer jsii.Close()

	app := awscdk.NewApp(nil)
	settings, err := ReadSettings(func(name string) any {
		return app.Node().TryGetContext(jsii.String(name))
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	Deployment(app, settings, "dist")
	app.Synth(nil)
}

// Deployment adds all stacks to an app. dist holds a folder with the program of
// each function.
func Deployment(app awscdk.App, s Settings, dist string) {
	tag(app, "project", s.Name)
	tag(app, "env", s.Stage)
	tag(app, "owner", s.Owner)

	data := newData(app, s)
	api := newAPI(app, s, data, dist)
	network := newNetwork(app, s)
	edge := newEdge(app, s, data, api, network)
	newToolServer(app, s, data, network, edge.baseURL, dist)
	newOperations(app, s, data, api, network, edge)
}

// tag tags all resources of an app.
func tag(app awscdk.App, name, value string) {
	tags := awscdk.Tags_Of(app)
	tags.Add(jsii.String(name), jsii.String(value), nil)
}

// stack makes one of the stacks of a deployment.
func stack(app awscdk.App, s Settings, name, description string) awscdk.Stack {
	id := jsii.String(s.Name + "-" + name)
	region := jsii.String(s.Region)

	return awscdk.NewStack(app, id, &awscdk.StackProps{
		Env:         &awscdk.Environment{Region: region},
		Description: jsii.String(description),
	})
}
