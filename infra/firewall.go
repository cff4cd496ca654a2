package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awswafv2"
	"github.com/aws/jsii-runtime-go"
)

// edgeRegion is where firewalls of CloudFront have to be.
const edgeRegion = "us-east-1"

// tooMany is the answer to an address that sends more than it may; it has the form of
// the errors of the service.
func tooMany(s Settings) *string {
	const form = `{"type":"about:blank","title":"Too Many Requests","status":429,"code":"rate_limited",` +
		`"detail":"More than %d requests in five minutes came from this address. Wait a minute and go on; nothing was charged.","charged":false}`
	return jsii.String(fmt.Sprintf(form, s.RequestsPerAddress))
}

// newFirewall passes the ARN of the rules to a stack of any region. The functions
// check bodies, because they know what these may hold.
func newFirewall(app awscdk.App, s Settings, edge awscdk.Stack) *string {
	elsewhere := s
	elsewhere.Region = edgeRegion
	in := stack(app, elsewhere, "Firewall", "Web application firewall of the governance service")
	acl := awswafv2.NewCfnWebACL(in, jsii.String("Rules"), &awswafv2.CfnWebACLProps{
		Scope: jsii.String("CLOUDFRONT"),
		DefaultAction: &awswafv2.CfnWebACL_DefaultActionProperty{
			Allow: &awswafv2.CfnWebACL_AllowActionProperty{},
		},
		VisibilityConfig: visible(s.Name),
		CustomResponseBodies: map[string]any{
			tooManyBody: &awswafv2.CfnWebACL_CustomResponseBodyProperty{
				ContentType: jsii.String("APPLICATION_JSON"),
				Content:     tooMany(s),
			},
		},
		Rules: []any{
			limitRate(s),
			refuseBadReputation(s),
		},
	})

	if s.Region == edgeRegion {
		return acl.AttrArn()
	}

	output := jsii.String("Arn")
	awscdk.NewCfnOutput(in, output, &awscdk.CfnOutputProps{
		Value: acl.AttrArn(),
	})
	edge.AddStackDependency(in, nil)
	return awscdk.Fn_GetStackOutput(in.StackName(), output, jsii.String(edgeRegion), nil)
}

// tooManyBody is the name of the body that [tooMany] makes.
const tooManyBody = "too-many"

// limitRate answers 429 to an address with too many requests.
func limitRate(s Settings) *awswafv2.CfnWebACL_RuleProperty {
	retryAfter := &awswafv2.CfnWebACL_CustomHTTPHeaderProperty{
		Name:  jsii.String("Retry-After"),
		Value: jsii.String("60"),
	}
	block := &awswafv2.CfnWebACL_BlockActionProperty{
		CustomResponse: &awswafv2.CfnWebACL_CustomResponseProperty{
			ResponseCode:          jsii.Number(429),
			CustomResponseBodyKey: jsii.String(tooManyBody),
			ResponseHeaders:       []any{retryAfter},
		},
	}

	return &awswafv2.CfnWebACL_RuleProperty{
		Name:             jsii.String("rate"),
		Priority:         jsii.Number(0),
		VisibilityConfig: visible(s.Name + "-rate"),
		Statement: &awswafv2.CfnWebACL_StatementProperty{
			RateBasedStatement: &awswafv2.CfnWebACL_RateBasedStatementProperty{
				AggregateKeyType: jsii.String("IP"),
				Limit:            jsii.Number(s.RequestsPerAddress),
			},
		},
		Action: &awswafv2.CfnWebACL_RuleActionProperty{
			Block: block,
		},
	}
}

// refuseBadReputation blocks the addresses that AWS lists.
func refuseBadReputation(s Settings) *awswafv2.CfnWebACL_RuleProperty {
	return &awswafv2.CfnWebACL_RuleProperty{
		Name:             jsii.String("reputation"),
		Priority:         jsii.Number(1),
		VisibilityConfig: visible(s.Name + "-reputation"),
		Statement: &awswafv2.CfnWebACL_StatementProperty{
			ManagedRuleGroupStatement: &awswafv2.CfnWebACL_ManagedRuleGroupStatementProperty{
				VendorName: jsii.String("AWS"),
				Name:       jsii.String("AWSManagedRulesAmazonIpReputationList"),
			},
		},
		OverrideAction: &awswafv2.CfnWebACL_OverrideActionProperty{
			None: map[string]any{},
		},
	}
}

func visible(metric string) *awswafv2.CfnWebACL_VisibilityConfigProperty {
	return &awswafv2.CfnWebACL_VisibilityConfigProperty{
		CloudWatchMetricsEnabled: jsii.Bool(true),
		MetricName:               jsii.String(metric),
		SampledRequestsEnabled:   jsii.Bool(false),
	}
}
