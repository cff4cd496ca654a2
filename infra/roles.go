package main

import (
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"
)

// grant is one statement of a role. The package comments of the stores list the required
// ones.
type grant struct {
	actions    string // separated by spaces
	resources  []*string
	conditions map[string]any
}

func (g grant) statement() awsiam.PolicyStatement {
	props := &awsiam.PolicyStatementProps{
		Actions:   jsii.Strings(strings.Fields(g.actions)...),
		Resources: &g.resources,
	}
	if g.conditions != nil {
		props.Conditions = &g.conditions
	}
	return awsiam.NewPolicyStatement(props)
}

// leading is the condition that all items have one of these partition keys.
func leading(keys ...string) map[string]any {
	return map[string]any{
		"ForAllValues:StringLike": map[string]any{
			"dynamodb:LeadingKeys": keys,
		},
	}
}

// leadingInTransaction is leading for the actions of a transaction, in case DynamoDB
// judges each of them by the keys of all.
func leadingInTransaction(keys ...string) map[string]any {
	condition := leading(keys...)
	condition["StringEquals"] = map[string]any{
		"dynamodb:EnclosingOperation": "TransactWriteItems",
	}
	return condition
}

// role is the role of a service, with only these grants.
func role(in awscdk.Stack, id, service string, grants []grant) awsiam.Role {
	var statements []awsiam.PolicyStatement
	for _, g := range grants {
		statements = append(statements, g.statement())
	}

	policy := awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{
		Statements: &statements,
	})
	return awsiam.NewRole(in, jsii.String(id), &awsiam.RoleProps{
		AssumedBy:      awsiam.NewServicePrincipal(jsii.String(service), nil),
		InlinePolicies: &map[string]awsiam.PolicyDocument{"own": policy},
	})
}

// readPayments is for functions that show the state of a payment. A large result is in
// the bucket.
func (d *data) readPayments() []grant {
	return []grant{
		{
			actions:   "dynamodb:GetItem dynamodb:Query",
			resources: []*string{d.payments.TableArn()},
		},
		{
			actions:   "s3:GetObject",
			resources: []*string{d.results.ArnForObjects(jsii.String("*"))},
		},
		{
			actions:   "s3:ListBucket",
			resources: []*string{d.results.BucketArn()},
		},
	}
}

func (d *data) writePayments() []grant {
	return []grant{
		{
			actions:   "dynamodb:GetItem dynamodb:Query dynamodb:PutItem dynamodb:UpdateItem dynamodb:DeleteItem",
			resources: []*string{d.payments.TableArn()},
		},
		{
			actions:   "s3:GetObject s3:PutObject",
			resources: []*string{d.results.ArnForObjects(jsii.String("*"))},
		},
		{
			actions:   "s3:ListBucket",
			resources: []*string{d.results.BucketArn()},
		},
	}
}

// appendAudit is for writers of the audit chain.
func (d *data) appendAudit() []grant {
	table := []*string{d.audit.TableArn()}
	return []grant{
		{
			actions:   "dynamodb:GetItem dynamodb:BatchGetItem dynamodb:Query",
			resources: table,
		},
		{
			actions:    "dynamodb:PutItem",
			resources:  table,
			conditions: leading("c#*", "i#*", "q#*"),
		},
		{
			actions:    "dynamodb:UpdateItem",
			resources:  table,
			conditions: leading("h#*", "l#*"),
		},
		{
			actions:    "dynamodb:PutItem dynamodb:UpdateItem",
			resources:  table,
			conditions: leadingInTransaction("c#*", "i#*", "h#*"),
		},
		{
			actions:    "dynamodb:DeleteItem",
			resources:  table,
			conditions: leading("q#*"),
		},
	}
}

// verifyAudit is for functions that verify the audit chain and sign checkpoints.
func (d *data) verifyAudit() []grant {
	return append(d.readSegments(),
		grant{
			actions:    "dynamodb:PutItem",
			resources:  []*string{d.audit.TableArn()},
			conditions: leading("n#*"),
		},
		d.signCheckpoints(),
	)
}

// sealAudit is for the function that seals, walks and publishes the audit chain. It cannot
// delete.
func (d *data) sealAudit() []grant {
	table := []*string{d.audit.TableArn()}
	return append(d.readSegments(),
		grant{
			actions:   "s3:PutObject s3:PutObjectRetention",
			resources: []*string{d.segments.ArnForObjects(jsii.String("*"))},
		},
		grant{
			actions:   "dynamodb:GetItem dynamodb:Query",
			resources: table,
		},
		grant{
			actions:    "dynamodb:PutItem",
			resources:  table,
			conditions: leading("s#*", "n#*"),
		},
		d.signCheckpoints(),
	)
}

// shareState is for the tasks of the tool server.
func (d *data) shareState() grant {
	return grant{
		actions:   "dynamodb:GetItem dynamodb:PutItem dynamodb:UpdateItem dynamodb:DeleteItem",
		resources: []*string{d.state.TableArn()},
	}
}

func (d *data) readSegments() []grant {
	return []grant{
		{
			actions:   "s3:GetObject",
			resources: []*string{d.segments.ArnForObjects(jsii.String("*"))},
		},
		{
			actions:   "s3:ListBucket",
			resources: []*string{d.segments.BucketArn()},
		},
	}
}

func (d *data) signCheckpoints() grant {
	return grant{
		actions:   "kms:Sign kms:GetPublicKey",
		resources: []*string{d.checkpoint.KeyArn()},
	}
}

func (d *data) payGas() grant {
	return grant{
		actions:   "kms:Sign kms:GetPublicKey",
		resources: []*string{d.gas.KeyArn()},
	}
}

func readSecrets(arns ...*string) grant {
	return grant{
		actions:   "secretsmanager:GetSecretValue",
		resources: arns,
	}
}

// stopManaged is for the kill switch: the permissions that the packages of its providers
// list, on the named resources only.
func stopManaged(in awscdk.Stack, managed string) (grants []grant) {
	arn := func(service, resource string) *string {
		return in.FormatArn(&awscdk.ArnComponents{
			Service:   jsii.String(service),
			Resource:  jsii.String(resource),
			ArnFormat: awscdk.ArnFormat_NO_RESOURCE_NAME,
		})
	}
	for each := range strings.SplitSeq(managed, ",") {
		provider, target, _ := strings.Cut(each, ":")
		cluster, _, _ := strings.Cut(target, "/")
		switch provider {
		case "ecs":
			only := map[string]any{
				"ArnEquals": map[string]any{
					"ecs:cluster": arn("ecs", "cluster/"+cluster),
				},
			}
			grants = append(grants,
				grant{
					actions:   "ecs:DescribeServices ecs:UpdateService",
					resources: []*string{arn("ecs", "service/"+target)},
				},
				grant{
					actions:    "ecs:ListTasks",
					resources:  []*string{arn("ecs", "container-instance/"+cluster+"/*")},
					conditions: only,
				},
				grant{
					actions:    "ecs:DescribeTasks ecs:StopTask",
					resources:  []*string{arn("ecs", "task/"+cluster+"/*")},
					conditions: only,
				},
			)
		case "lambda":
			grants = append(grants, grant{
				actions:   "lambda:GetFunctionConfiguration lambda:GetFunctionConcurrency lambda:PutFunctionConcurrency lambda:DeleteFunctionConcurrency",
				resources: []*string{arn("lambda", "function:"+target)},
			})
		}
	}

	return grants
}

// askModel is for the agent of the tool server: one model, or an inference profile and
// its model in the regions that the profile leads to.
func askModel(in awscdk.Stack, model string) grant {
	foundation := model
	if area, rest, ok := strings.Cut(model, "."); ok &&
		slices.Contains([]string{"us", "eu", "apac", "global"}, area) {
		foundation = rest
	}

	arn := func(region, account *string, resource, name string) *string {
		return in.FormatArn(&awscdk.ArnComponents{
			Service:      jsii.String("bedrock"),
			Region:       region,
			Account:      account,
			Resource:     jsii.String(resource),
			ResourceName: jsii.String(name),
		})
	}
	return grant{
		actions: "bedrock:InvokeModel",
		resources: []*string{
			arn(nil, nil, "inference-profile", model),
			arn(jsii.String("*"), jsii.String(""), "foundation-model", foundation),
		},
	}
}
