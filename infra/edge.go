package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudfront"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudfrontorigins"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsssm"
	"github.com/aws/jsii-runtime-go"
)

// toolPaths are the routes of the tool server; all others are the API's.
var toolPaths = []string{
	"/", "/sse", "/message", "/mcp", "/health", "/entries", "/kill", "/audit/verify", "/dispatches", "/dispatches/*/log", "/outcomes", "/processes", "/approvals",
	"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/sse",
}

// originHeader marks requests that came through CloudFront.
const originHeader = "X-Origin-Secret"

// edge is the distribution, and the parameter that holds the base URL.
type edge struct {
	in           awscdk.Stack
	distribution awscloudfront.Distribution
	baseURL      awsssm.StringParameter
}

// newEdge creates the one base URL. Nothing is cached: a cached 402 would ask for a
// payment that was made, and a cached answer would be the purchase of another buyer.
func newEdge(app awscdk.App, s Settings, d *data, a *api, n *network) *edge {
	in := stack(app, s, "Edge", "CloudFront distribution of the governance service")
	firewall := newFirewall(app, s, in)

	gateway := fmt.Sprintf("%s.execute-api.%s.amazonaws.com", *a.gateway.ApiId(), s.Region)
	secret := awscdk.SecretValue_SecretsManager(d.origin.SecretArn(), nil)
	http := awscloudfrontorigins.NewHttpOrigin(jsii.String(gateway), &awscloudfrontorigins.HttpOriginProps{
		ProtocolPolicy: awscloudfront.OriginProtocolPolicy_HTTPS_ONLY,
		CustomHeaders: &map[string]*string{
			originHeader: secret.UnsafeUnwrap(), // a reference that CloudFormation resolves
		},
	})

	tools := awscloudfrontorigins.VpcOrigin_WithApplicationLoadBalancer(n.balancer, &awscloudfrontorigins.VpcOriginWithEndpointProps{
		HttpPort:         jsii.Number(80),
		ProtocolPolicy:   awscloudfront.OriginProtocolPolicy_HTTP_ONLY,
		ReadTimeout:      awscdk.Duration_Seconds(jsii.Number(60)),
		KeepaliveTimeout: awscdk.Duration_Seconds(jsii.Number(60)),
	})

	behaviors := map[string]*awscloudfront.BehaviorOptions{}
	for _, path := range toolPaths {
		behaviors[path] = behavior(tools, awscloudfront.OriginRequestPolicy_ALL_VIEWER())
	}

	props := &awscloudfront.DistributionProps{
		Comment:     jsii.String(s.Name),
		WebAclId:    firewall,
		HttpVersion: awscloudfront.HttpVersion_HTTP2_AND_3,
		// The gateway answers only to its own name.
		DefaultBehavior:     behavior(http, awscloudfront.OriginRequestPolicy_ALL_VIEWER_EXCEPT_HOST_HEADER()),
		AdditionalBehaviors: &behaviors,
	}

	if s.Domain != "" {
		props.DomainNames = jsii.Strings(s.Domain)
		props.MinimumProtocolVersion = awscloudfront.SecurityPolicyProtocol_TLS_V1_2_2021
		props.Certificate = awscertificatemanager.Certificate_FromCertificateArn(
			in,
			jsii.String("Certificate"),
			jsii.String(s.Certificate),
		)
	}

	distribution := awscloudfront.NewDistribution(in, jsii.String("Distribution"), props)
	return &edge{
		in:           in,
		distribution: distribution,
		baseURL:      publish(in, s, distribution),
	}
}

// behavior forwards all requests and caches nothing. Plain HTTP is refused, not redirected:
// a payment sent over it may have been read.
func behavior(origin awscloudfront.IOrigin, policy awscloudfront.IOriginRequestPolicy) *awscloudfront.BehaviorOptions {
	return &awscloudfront.BehaviorOptions{
		Origin:               origin,
		OriginRequestPolicy:  policy,
		AllowedMethods:       awscloudfront.AllowedMethods_ALLOW_ALL(),
		CachePolicy:          awscloudfront.CachePolicy_CACHING_DISABLED(),
		ViewerProtocolPolicy: awscloudfront.ViewerProtocolPolicy_HTTPS_ONLY,
		Compress:             jsii.Bool(false), // it would buffer streams
	}
}

// publish writes the base URL to an output and a parameter.
func publish(in awscdk.Stack, s Settings, distribution awscloudfront.Distribution) awsssm.StringParameter {
	base := jsii.String("https://" + *distribution.DistributionDomainName())
	if s.Domain != "" {
		awscdk.NewCfnOutput(
			in,
			jsii.String("PointTheDomainTo"),
			&awscdk.CfnOutputProps{Value: distribution.DistributionDomainName()},
		)
		base = jsii.String("https://" + s.Domain)
	}

	awscdk.NewCfnOutput(in, jsii.String("Url"), &awscdk.CfnOutputProps{Value: base})
	return awsssm.NewStringParameter(in, jsii.String("BaseUrl"), &awsssm.StringParameterProps{
		ParameterName: jsii.String(s.parameter()),
		StringValue:   base,
	})
}
