package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awselasticloadbalancingv2"
	"github.com/aws/jsii-runtime-go"
)

// toolPort is where the tool server listens.
const toolPort = 8402

// network is the VPC with a load balancer that only CloudFront reaches. There is no
// NAT: the task has a public address without an open port, and all other resources are
// in isolated subnets.
type network struct {
	vpc        awsec2.Vpc
	task, disk awsec2.SecurityGroup
	balancer   awselasticloadbalancingv2.ApplicationLoadBalancer
	target     awselasticloadbalancingv2.ApplicationTargetGroup
}

func newNetwork(app awscdk.App, s Settings) *network {
	in := stack(app, s, "Network", "VPC and load balancer of the tool server")
	n := &network{vpc: vpc(in, s)}
	front := n.group(in, "BalancerGroup", "The load balancer: from CloudFront, to the task")
	n.task = n.group(
		in,
		"TaskGroup",
		"Task of the tool server: from the load balancer; to the network by HTTPS",
	)
	n.disk = n.group(in, "DiskGroup", "File system of the tool server: from the task")

	http := awsec2.Port_Tcp(jsii.Number(80))
	tool := awsec2.Port_Tcp(jsii.Number(toolPort))
	nfs := awsec2.Port_Tcp(jsii.Number(2049))
	front.AddIngressRule(
		awsec2.Peer_PrefixList(jsii.String(s.EdgePrefixList)),
		http,
		jsii.String("CloudFront, through its VPC origin"),
		nil,
	)

	front.AddEgressRule(n.task, tool, jsii.String("the task"), nil)
	n.task.AddIngressRule(front, tool, jsii.String("the load balancer"), nil)
	n.task.AddEgressRule(
		awsec2.Peer_AnyIpv4(),
		awsec2.Port_Tcp(jsii.Number(443)),
		jsii.String("AWS and nodes of the chain"),
		nil,
	)

	n.task.AddEgressRule(n.disk, nfs, jsii.String("the file system"), nil)
	n.disk.AddIngressRule(n.task, nfs, jsii.String("the task"), nil)
	n.balance(in, front)
	return n
}

// vpc has a public and an isolated subnet in each of two zones.
func vpc(in awscdk.Stack, s Settings) awsec2.Vpc {
	made := awsec2.NewVpc(in, jsii.String("Vpc"), &awsec2.VpcProps{
		MaxAzs:      jsii.Number(2),
		NatGateways: jsii.Number(0),
		// The restriction would add a function, and the default group is not used.
		RestrictDefaultSecurityGroup: jsii.Bool(false),
		SubnetConfiguration: &[]*awsec2.SubnetConfiguration{
			{
				Name:                jsii.String("task"),
				SubnetType:          awsec2.SubnetType_PUBLIC,
				MapPublicIpOnLaunch: jsii.Bool(false),
			},
			{
				Name:       jsii.String("inner"),
				SubnetType: awsec2.SubnetType_PRIVATE_ISOLATED,
			},
		},
		GatewayEndpoints: &map[string]*awsec2.GatewayVpcEndpointOptions{
			"dynamodb": {Service: awsec2.GatewayVpcEndpointAwsService_DYNAMODB()},
			"s3":       {Service: awsec2.GatewayVpcEndpointAwsService_S3()},
		},
	})

	placeSubnets(*made.PublicSubnets(), s.Zones)
	placeSubnets(*made.IsolatedSubnets(), s.Zones)
	return made
}

// placeSubnets puts subnets into zones by their ids. Names of zones differ between
// accounts, so the CDK's own choice, the first two by name, may be a zone without Fargate
// on Arm or without VPC origins.
func placeSubnets(subnets []awsec2.ISubnet, zones []string) {
	if len(zones) == 0 {
		return
	}
	for i, subnet := range subnets {
		resource := subnet.Node().DefaultChild().(awsec2.CfnSubnet)
		resource.AddPropertyDeletionOverride(jsii.String("AvailabilityZone"))
		resource.AddPropertyOverride(jsii.String("AvailabilityZoneId"), zones[i])
	}
}

func (n *network) group(in awscdk.Stack, id, description string) awsec2.SecurityGroup {
	return awsec2.NewSecurityGroup(in, jsii.String(id), &awsec2.SecurityGroupProps{
		Vpc:              n.vpc,
		Description:      jsii.String(description),
		AllowAllOutbound: jsii.Bool(false),
	})
}

// inner are the isolated subnets.
func inner() *awsec2.SubnetSelection {
	return &awsec2.SubnetSelection{SubnetType: awsec2.SubnetType_PRIVATE_ISOLATED}
}

// balance creates the load balancer. A stream sends a comment every 15 seconds, well
// within the idle timeout.
func (n *network) balance(in awscdk.Stack, group awsec2.SecurityGroup) {
	props := &awselasticloadbalancingv2.ApplicationLoadBalancerProps{
		Vpc:                     n.vpc,
		VpcSubnets:              inner(),
		InternetFacing:          jsii.Bool(false),
		SecurityGroup:           group,
		IdleTimeout:             awscdk.Duration_Seconds(jsii.Number(120)),
		DropInvalidHeaderFields: jsii.Bool(true),
		DeletionProtection:      jsii.Bool(true),
	}
	n.balancer = awselasticloadbalancingv2.NewApplicationLoadBalancer(in, jsii.String("Balancer"), props)

	target := &awselasticloadbalancingv2.ApplicationTargetGroupProps{
		Vpc:                 n.vpc,
		Port:                jsii.Number(toolPort),
		Protocol:            awselasticloadbalancingv2.ApplicationProtocol_HTTP,
		TargetType:          awselasticloadbalancingv2.TargetType_IP,
		DeregistrationDelay: awscdk.Duration_Seconds(jsii.Number(30)),
		HealthCheck: &awselasticloadbalancingv2.HealthCheck{
			Path:                    jsii.String("/health"),
			Interval:                awscdk.Duration_Seconds(jsii.Number(15)),
			Timeout:                 awscdk.Duration_Seconds(jsii.Number(10)),
			HealthyThresholdCount:   jsii.Number(2),
			UnhealthyThresholdCount: jsii.Number(4),
		},
	}
	n.target = awselasticloadbalancingv2.NewApplicationTargetGroup(in, jsii.String("Target"), target)

	n.balancer.AddListener(jsii.String("Http"), &awselasticloadbalancingv2.BaseApplicationListenerProps{
		Port:                jsii.Number(80),
		Protocol:            awselasticloadbalancingv2.ApplicationProtocol_HTTP,
		Open:                jsii.Bool(false),
		DefaultTargetGroups: &[]awselasticloadbalancingv2.IApplicationTargetGroup{n.target},
	})
}
