// Package lambda is the provider of managed processes that are functions of AWS Lambda.
// The target of a process is the name of its function.
//
// A halt sets the reserved concurrency to 0, so that no run starts. No API call ends a
// running invocation: it ends by itself within the timeout of the function. AWS does not
// show whether there is one, so one is always reported as a survivor.
//
// The role of the tool server needs, on these functions alone:
//
//	lambda:GetFunctionConfiguration, lambda:GetFunctionConcurrency,
//	lambda:PutFunctionConcurrency, lambda:DeleteFunctionConcurrency
package lambda

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/managed/cloud"
)

const (
	longestRun = 900    // seconds, for any function
	none       = "none" // no reserved concurrency
)

// Provider implements managed.Provider.
type Provider struct {
	client *lambda.Client
	former *managed.Former
}

// New prepares the client; it sends nothing.
func New(a cloud.Account, former *managed.Former) *Provider {
	client := lambda.New(lambda.Options{
		Region:       a.Region,
		Credentials:  a.Credentials,
		BaseEndpoint: a.BaseEndpoint(),
		HTTPClient:   cloud.HTTPClient(),
		Retryer:      cloud.Retryer(),
	})
	return &Provider{client, former}
}

// refused reports a failure without names of the account.
func refused(operation string, err error) error {
	return cloud.Refused("Lambda", operation, err)
}

// reserved is the concurrency as it is, in the words that are kept for the lift.
func (l *Provider) reserved(ctx context.Context, p managed.Process) (string, error) {
	out, err := l.client.GetFunctionConcurrency(ctx, &lambda.GetFunctionConcurrencyInput{FunctionName: aws.String(p.Target)})
	if err != nil {
		return "", refused("GetFunctionConcurrency", err)
	}
	if out.ReservedConcurrentExecutions == nil {
		return none, nil
	}
	return strconv.Itoa(int(*out.ReservedConcurrentExecutions)), nil
}

// States implements managed.Provider. Running means that it can be called.
func (l *Provider) States(ctx context.Context, list []managed.Process) (states []managed.Status) {
	for _, p := range list {
		s := managed.StatusOf(p, managed.Running)
		switch reserved, err := l.reserved(ctx, p); {
		case err != nil:
			s = managed.Unknown(p, err.Error())
		case reserved == "0":
			s.State, s.Why = managed.Stopped, "its reserved concurrency is 0"
		}

		states = append(states, s)
	}

	return states
}

// Stop implements managed.Provider.
func (l *Provider) Stop(ctx context.Context, list []managed.Process) []managed.Outcome {
	return managed.Each(list, func(p managed.Process) managed.Outcome {
		return l.stop(ctx, p)
	})
}

// stop stops a function. A function that was stopped before may still have a running
// invocation, and AWS does not show when the last one began.
func (l *Provider) stop(ctx context.Context, p managed.Process) managed.Outcome {
	var did []string
	was, unread := l.reserved(ctx, p)
	if unread != nil {
		was, did = "unknown", []string{"what it was cannot be kept for the lift: " + unread.Error()}
	} else if was != "0" {
		did = managed.Keep(l.former, p, was)
	}

	if was != "0" {
		_, err := l.client.PutFunctionConcurrency(ctx, &lambda.PutFunctionConcurrencyInput{
			FunctionName:                 aws.String(p.Target),
			ReservedConcurrentExecutions: aws.Int32(0),
		})
		if err != nil {
			return managed.Fail(p, did, refused("PutFunctionConcurrency", err).Error())
		}
		did = append(did, "reserved concurrency "+was+" to 0")
	}

	timeout := longestRun
	if out, err := l.client.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: aws.String(p.Target)}); err == nil &&
		out.Timeout != nil {
		timeout = int(*out.Timeout)
	}

	return managed.Fail(
		p,
		did,
		fmt.Sprintf("no new run starts; one that was under way ends by itself within %d s", timeout),
	)
}

// Start implements managed.Provider. Former is the reserved concurrency.
func (l *Provider) Start(ctx context.Context, p managed.Process, former string) (string, error) {
	if former == none {
		_, err := l.client.DeleteFunctionConcurrency(ctx, &lambda.DeleteFunctionConcurrencyInput{FunctionName: aws.String(p.Target)})
		if err != nil {
			return "", refused("DeleteFunctionConcurrency", err)
		}
		return "no reserved concurrency", nil
	}

	count, err := strconv.ParseInt(former, 10, 32)
	if err != nil {
		return "", errors.New("its reserved concurrency was not kept")
	}

	_, err = l.client.PutFunctionConcurrency(ctx, &lambda.PutFunctionConcurrencyInput{
		FunctionName:                 aws.String(p.Target),
		ReservedConcurrentExecutions: aws.Int32(int32(count)),
	})
	if err != nil {
		return "", refused("PutFunctionConcurrency", err)
	}

	return "reserved concurrency " + former, nil
}
