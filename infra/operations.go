package main

import (
	"fmt"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsbudgets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awselasticloadbalancingv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/jsii-runtime-go"
)

// operations are the alarms of one topic.
type operations struct {
	in     awscdk.Stack
	action awscloudwatch.IAlarmAction
}

// newOperations creates the alarms. Each alarm needs an action of an operator, which the
// runbooks describe.
func newOperations(app awscdk.App, s Settings, d *data, a *api, n *network, e *edge) {
	in := stack(app, s, "Operations", "Alarms, dashboard and budget of the governance service")
	o := openOperations(in, s)
	o.watchAPI(a)
	o.watchBalancer(n)
	o.watchMoney(a)
	o.watchChain(a)
	o.watchTask(n)

	o.watchTable("payments", d.payments)
	o.watchTable("audit", d.audit)
	o.watchTable("state", d.state)
	dashboard(in, s, a, n)
	budget(in, s)

	edgeOperations(app, s, o).watchEdge(s, e)
}

// openOperations makes the topic of a stack's alarms.
func openOperations(in awscdk.Stack, s Settings) *operations {
	topic := awssns.NewTopic(in, jsii.String("Alarms"), nil) // an explicit policy would keep alarms from publishing
	if s.AlarmsMail != "" {
		mail := awssnssubscriptions.NewEmailSubscription(jsii.String(s.AlarmsMail), nil)
		topic.AddSubscription(mail)
	}

	return &operations{
		in:     in,
		action: awscloudwatchactions.NewSnsAction(topic),
	}
}

// edgeOperations is the stack for alarms on CloudFront: its metrics are only in us-east-1,
// and an alarm sees only those of its own region.
func edgeOperations(app awscdk.App, s Settings, here *operations) *operations {
	if s.Region == edgeRegion {
		return here
	}

	elsewhere := s
	elsewhere.Region = edgeRegion
	in := stack(app, elsewhere, "EdgeAlarms", "Alarms on the distribution of the governance service")
	return openOperations(in, s)
}

// watchEdge watches the error rate for clients, whatever its cause. It writes the name of
// the metric because a stack of another region cannot refer to the distribution.
func (o *operations) watchEdge(s Settings, e *edge) {
	id := e.distribution.DistributionId()
	if s.Region != edgeRegion {
		output := jsii.String("DistributionId")
		awscdk.NewCfnOutput(e.in, output, &awscdk.CfnOutputProps{
			Value: id,
		})
		o.in.AddStackDependency(e.in, nil)
		id = awscdk.Fn_GetStackOutput(e.in.StackName(), output, jsii.String(s.Region), nil)
	}

	rate := awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace:  jsii.String("AWS/CloudFront"),
		MetricName: jsii.String("5xxErrorRate"),
		DimensionsMap: &map[string]*string{
			"DistributionId": id,
			"Region":         jsii.String("Global"),
		},
		Period:    awscdk.Duration_Minutes(jsii.Number(5)),
		Statistic: jsii.String("Average"),
	})
	o.alarm("EdgeErrors", "CloudFront answered 5xx to more than 5 % of the requests: an origin fails or is out of reach",
		rate, 5, 2)
}

// watchBalancer watches the errors of the load balancer itself, when no task answers.
func (o *operations) watchBalancer(n *network) {
	metric := n.balancer.Metrics().HttpCodeElb(awselasticloadbalancingv2.HttpCodeElb_ELB_5XX_COUNT, every(5, "Sum"))
	o.alarm("BalancerErrors", "The load balancer answered 5xx by itself: the task does not take connections",
		metric, 5, 2)
}

// alarm goes off when the sum, or the statistic of the metric, of five minutes reaches a
// threshold in a number of consecutive periods.
func (o *operations) alarm(
	id, description string,
	metric awscloudwatch.IMetric,
	threshold, times float64,
) awscloudwatch.Alarm {
	return o.add(id, description, metric, threshold, times,
		awscloudwatch.ComparisonOperator_GREATER_THAN_OR_EQUAL_TO_THRESHOLD, awscloudwatch.TreatMissingData_NOT_BREACHING)
}

// missing goes off when a metric is below a threshold or has no data.
func (o *operations) missing(
	id, description string,
	metric awscloudwatch.IMetric,
	threshold, times float64,
) awscloudwatch.Alarm {
	return o.add(id, description, metric, threshold, times,
		awscloudwatch.ComparisonOperator_LESS_THAN_THRESHOLD, awscloudwatch.TreatMissingData_BREACHING)
}

func (o *operations) add(id, description string, metric awscloudwatch.IMetric, threshold, times float64,
	compare awscloudwatch.ComparisonOperator, absent awscloudwatch.TreatMissingData) awscloudwatch.Alarm {
	made := awscloudwatch.NewAlarm(o.in, jsii.String(id), &awscloudwatch.AlarmProps{
		AlarmDescription:   jsii.String(description),
		Metric:             metric,
		Threshold:          jsii.Number(threshold),
		EvaluationPeriods:  jsii.Number(times),
		ComparisonOperator: compare,
		TreatMissingData:   absent,
	})
	made.AddAlarmAction(o.action)

	return made
}

// every is a metric of AWS over some minutes.
func every(minutes float64, statistic string) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{
		Period:    awscdk.Duration_Minutes(jsii.Number(minutes)),
		Statistic: jsii.String(statistic),
	}
}

func (o *operations) watchAPI(a *api) {
	o.alarm("ApiErrors", "The API answered 5xx",
		a.gateway.MetricServerError(every(5, "Sum")), 5, 1)

	for _, name := range a.names {
		o.alarm("Throttled-"+name, "Calls of "+name+" were turned away: raise the context workers or the account's limit",
			a.lambdas[name].MetricThrottles(every(5, "Sum")), 1, 1)
	}
}

// settlementTroubles are log messages after which money or its record is in doubt.
var settlementTroubles = []string{
	"settlement not recorded", "settlement failed before broadcast", "the chain dropped a settlement that was answered", "payment not readable",
}

// watchMoney reads the logs of the programs that move money.
func (o *operations) watchMoney(a *api) {
	sweeper := a.lambdas["payment-sweeper"]
	o.alarm("SweeperFails", "The sweeper fails: payments that no client came back for stay open",
		sweeper.MetricErrors(every(5, "Sum")), 3, 2)

	for _, name := range a.names {
		if isPaid(name) || name == "payment-sweeper" {
			a.count(name, "SettlementTroubles", settlementTroubles)
		}
	}

	o.alarm("SettlementTroubles", "A settlement failed or was not recorded: see the runbook on stuck settlements",
		own("SettlementTroubles", every(5, "Sum")), 1, 1)

	isLow := awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: jsii.String("IF(balance < 2000000, 1, 0)"),
		Period:     awscdk.Duration_Minutes(jsii.Number(15)),
		UsingMetrics: &map[string]awscloudwatch.IMetric{
			"balance": own("GasBalanceGwei", every(15, "Minimum")),
		},
	})
	o.alarm("GasLow", "The gas wallet has less than 0.002 ether: send it some",
		isLow, 1, 1)
	o.alarm("GasWasted", "Settlements that failed burned 1.5 million gas within the hour, half of the default budget; at its end contract wallets wait",
		own("WastedGas", every(5, "Maximum")), 1_500_000, 1)
}

// namespace of the metrics of the service itself.
const namespace = "Governance"

func own(name string, o *awscloudwatch.MetricOptions) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace:  jsii.String(namespace),
		MetricName: jsii.String(name),
		Period:     o.Period,
		Statistic:  o.Statistic,
	})
}

// chainTroubles are log messages after a walk over the chain that found it broken.
var chainTroubles = []string{"audit chain broken"}

// watchChain reads the logs of the programs that walk over the whole chain, the sealer and
// the tool server. Walks are rare, so one line is enough. A run of the sealer also fails if
// a checkpoint reaches no sink.
func (o *operations) watchChain(a *api) {
	sealer := a.lambdas["seal"]
	a.count("seal", "ChainBroken", chainTroubles)
	o.alarm("ChainBroken", "The audit chain does not verify: see the runbook on incidents",
		own("ChainBroken", every(5, "Sum")), 1, 1)
	o.alarm("SealerFails", "The sealer fails: nothing is sealed or walked over, or a checkpoint reached no sink",
		sealer.MetricErrors(every(5, "Sum")), 1, 1)

	published := awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: jsii.String("runs - errors"),
		Period:     awscdk.Duration_Minutes(jsii.Number(10)),
		UsingMetrics: &map[string]awscloudwatch.IMetric{
			"runs":   sealer.MetricInvocations(every(10, "Sum")),
			"errors": sealer.MetricErrors(every(10, "Sum")),
		},
	})
	o.missing("CheckpointLate", "No checkpoint was published for 20 minutes",
		published, 1, 2)
}

func (o *operations) watchTask(n *network) {
	o.missing("TaskDown", "The tool server's task does not answer its health check",
		n.target.Metrics().HealthyHostCount(every(1, "Minimum")), 1, 5)

	failed := awselasticloadbalancingv2.HttpCodeTarget_TARGET_5XX_COUNT
	o.alarm("TaskErrors", "The tool server answered 5xx",
		n.target.Metrics().HttpCodeTarget(failed, every(5, "Sum")), 5, 1)
}

func (o *operations) watchTable(name string, table awsdynamodb.ITableV2) {
	for _, metric := range []string{"ReadThrottleEvents", "WriteThrottleEvents"} {
		id := fmt.Sprintf("%s-%s", name, metric)
		throttled := table.Metric(jsii.String(metric), every(5, "Sum"))
		o.alarm(id, "DynamoDB slows the table of the "+name,
			throttled, 10, 2)
	}

	for _, operation := range []string{"GetItem", "Query", "PutItem", "TransactWriteItems"} {
		id := fmt.Sprintf("%s-%s-fails", name, operation)
		failed := awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
			Namespace:  jsii.String("AWS/DynamoDB"),
			MetricName: jsii.String("SystemErrors"),
			Period:     awscdk.Duration_Minutes(jsii.Number(5)),
			Statistic:  jsii.String("Sum"),
			DimensionsMap: &map[string]*string{
				"TableName": table.TableName(),
				"Operation": jsii.String(operation),
			},
		})
		o.alarm(id, "DynamoDB fails in the table of the "+name,
			failed, 5, 1)
	}
}

// dashboard shows what the alarms watch, side by side.
func dashboard(in awscdk.Stack, s Settings, a *api, n *network) {
	graph := func(title string, metrics ...awscloudwatch.IMetric) awscloudwatch.IWidget {
		return awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
			Title: jsii.String(title),
			Left:  &metrics,
			Width: jsii.Number(8),
		})
	}

	var calls, slow []awscloudwatch.IMetric
	for _, name := range a.names {
		label := &awscloudwatch.MetricOptions{
			Label:     jsii.String(name),
			Statistic: jsii.String("Sum"),
		}
		calls = append(calls, a.lambdas[name].MetricInvocations(label))
		slow = append(slow, a.lambdas[name].MetricDuration(&awscloudwatch.MetricOptions{
			Label:     jsii.String(name),
			Statistic: jsii.String("p99"),
		}))
	}

	awscloudwatch.NewDashboard(in, jsii.String("Dashboard"), &awscloudwatch.DashboardProps{
		DashboardName: jsii.String(s.Name),
		Widgets: &[]*[]awscloudwatch.IWidget{
			{graph("Calls", calls...), graph("p99, ms", slow...),
				graph(
					"Errors",
					a.gateway.MetricServerError(every(5, "Sum")),
					a.gateway.MetricClientError(every(5, "Sum")),
				)},
			{graph(
				"Money",
				own("SettlementTroubles", every(5, "Sum")),
				own("GasBalanceGwei", every(5, "Minimum")),
				own("WastedGas", every(5, "Maximum")),
			),
				graph(
					"Audit chain",
					a.lambdas["seal"].MetricInvocations(every(5, "Sum")),
					a.lambdas["seal"].MetricErrors(every(5, "Sum")),
				),
				graph(
					"Tool server",
					n.target.Metrics().HealthyHostCount(every(1, "Minimum")),
					n.target.Metrics().RequestCount(every(5, "Sum")),
				)},
		},
	})
}

// budget warns at 80 % of the monthly budget, and when the forecast exceeds it.
func budget(in awscdk.Stack, s Settings) {
	var notify []any
	if s.AlarmsMail != "" {
		for _, warning := range []struct {
			kind  string
			share float64
		}{{"ACTUAL", 80}, {"FORECASTED", 100}} {
			notify = append(notify, &awsbudgets.CfnBudget_NotificationWithSubscribersProperty{
				Notification: &awsbudgets.CfnBudget_NotificationProperty{
					NotificationType:   jsii.String(warning.kind),
					ComparisonOperator: jsii.String("GREATER_THAN"),
					Threshold:          jsii.Number(warning.share),
					ThresholdType:      jsii.String("PERCENTAGE"),
				},
				Subscribers: []any{&awsbudgets.CfnBudget_SubscriberProperty{
					SubscriptionType: jsii.String("EMAIL"),
					Address:          jsii.String(s.AlarmsMail),
				}},
			})
		}
	}

	awsbudgets.NewCfnBudget(in, jsii.String("Budget"), &awsbudgets.CfnBudgetProps{
		Budget: &awsbudgets.CfnBudget_BudgetDataProperty{
			BudgetType: jsii.String("COST"),
			TimeUnit:   jsii.String("MONTHLY"),
			BudgetLimit: &awsbudgets.CfnBudget_SpendProperty{
				Amount: jsii.Number(s.Budget),
				Unit:   jsii.String("USD"),
			},
		},
		NotificationsWithSubscribers: notify,
	})
}

// quoted is a filter pattern for lines that hold one of these phrases.
func quoted(phrases []string) string {
	return `?"` + strings.Join(phrases, `" ?"`) + `"`
}
