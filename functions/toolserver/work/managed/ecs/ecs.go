// Package ecs is the provider of managed processes that run as services of Amazon ECS.
// The target of a process is CLUSTER/SERVICE.
//
// A halt sets the desired count to 0, so that nothing new starts, and stops every task of
// the service. ECS gives a task its stop timeout to end, 30 s unless its definition says
// otherwise: a task that has not ended when the halt answers is reported as a survivor. A scaling
// policy whose minimum is above 0 may start tasks again.
//
// The role of the tool server needs, on these services, their clusters and tasks alone:
//
//	ecs:DescribeServices, ecs:UpdateService   on the service
//	ecs:ListTasks                             on everything, with the condition ecs:cluster
//	ecs:DescribeTasks, ecs:StopTask           on the tasks of the cluster
package ecs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/managed/cloud"
)

const (
	page         = 100 // the most that ECS lists or describes at once
	atOnce       = 8   // requests to stop a task
	lookInterval = 250 * time.Millisecond
	crashes      = 5 // failed tasks of a deployment that are no accident
)

// Provider implements managed.Provider.
type Provider struct {
	client *ecs.Client
	former *managed.Former
}

// New prepares the client; it sends nothing.
func New(a cloud.Account, former *managed.Former) *Provider {
	client := ecs.New(ecs.Options{
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
	return cloud.Refused("ECS", operation, err)
}

// split parts CLUSTER/SERVICE.
func split(p managed.Process) (cluster, service *string, err error) {
	c, s, ok := strings.Cut(p.Target, "/")
	if !ok || c == "" || s == "" || strings.Contains(s, "/") {
		return nil, nil, errors.New("target must be CLUSTER/SERVICE")
	}
	return aws.String(c), aws.String(s), nil
}

func (e *Provider) describe(ctx context.Context, p managed.Process) (types.Service, error) {
	cluster, service, err := split(p)
	if err != nil {
		return types.Service{}, err
	}

	out, err := e.client.DescribeServices(ctx, &ecs.DescribeServicesInput{
		Cluster:  cluster,
		Services: []string{*service},
	})
	if err != nil {
		return types.Service{}, refused("DescribeServices", err)
	}
	if len(out.Services) != 1 || aws.ToString(out.Services[0].Status) == "INACTIVE" {
		return types.Service{}, errors.New("ECS has no such service")
	}

	return out.Services[0], nil
}

// States implements managed.Provider.
func (e *Provider) States(ctx context.Context, list []managed.Process) (states []managed.Status) {
	for _, p := range list {
		is, err := e.describe(ctx, p)
		if err != nil {
			states = append(states, managed.Unknown(p, err.Error()))
			continue
		}

		s := managed.StatusOf(p, managed.Running)
		for _, d := range is.Deployments {
			s.Restarts += int(d.FailedTasks)
		}

		switch {
		case is.DesiredCount == 0 && is.RunningCount == 0:
			s.State = managed.Stopped
		case is.RunningCount == 0 && s.Restarts >= crashes:
			s.State = managed.CrashLoop
		case is.RunningCount == 0:
			s.State = managed.BackingOff
		}

		if is.RunningCount != is.DesiredCount {
			s.Why = fmt.Sprintf("%d of %d tasks run", is.RunningCount, is.DesiredCount)
		}

		states = append(states, s)
	}

	return states
}

// Stop implements managed.Provider.
func (e *Provider) Stop(ctx context.Context, list []managed.Process) []managed.Outcome {
	return managed.Each(list, func(p managed.Process) managed.Outcome {
		return e.stop(ctx, p)
	})
}

func (e *Provider) stop(ctx context.Context, p managed.Process) managed.Outcome {
	cluster, service, err := split(p)
	if err != nil {
		return managed.Fail(p, nil, err.Error())
	}

	var did, failed []string
	tasks := &tasks{
		provider: e,
		cluster:  cluster,
		service:  service,
		known:    map[string]string{},
		told:     map[string]string{},
	}

	before := make(chan bool)
	go func() { defer close(before); tasks.note(ctx) }()
	was, err := e.describe(ctx, p)
	<-before

	switch {
	case err != nil: // the tasks are stopped all the same
		failed = append(failed, err.Error())
	case was.DesiredCount > 0:
		did = managed.Keep(e.former, p, strconv.Itoa(int(was.DesiredCount)))
		did = append(did, fmt.Sprintf("desired count %d to 0", was.DesiredCount))
	}

	if _, err := e.client.UpdateService(ctx, &ecs.UpdateServiceInput{
		Cluster:      cluster,
		Service:      service,
		DesiredCount: aws.Int32(0),
	}); err != nil {
		failed = append(failed, refused("UpdateService", err).Error())
		did = nil
	}

	tasks.end(ctx)
	if len(tasks.known) > 0 {
		did = append(did, fmt.Sprintf("%d tasks told to stop", len(tasks.known)))
	}
	if failed = append(failed, tasks.failed...); len(failed) > 0 {
		return tasks.survivors(managed.Fail(p, did, strings.Join(failed, "; ")))
	}
	if len(tasks.alive()) > 0 {
		return tasks.survivors(managed.Fail(p, did, "ECS accepted the stop, and it has not ended yet"))
	}

	return managed.Done(p, did...)
}

// Start implements managed.Provider. Former is the desired count.
func (e *Provider) Start(ctx context.Context, p managed.Process, former string) (string, error) {
	cluster, service, err := split(p)
	if err != nil {
		return "", err
	}

	count, err := strconv.ParseInt(former, 10, 32)
	if err != nil {
		return "", errors.New("its desired count was not kept")
	}

	if _, err := e.client.UpdateService(ctx, &ecs.UpdateServiceInput{
		Cluster:      cluster,
		Service:      service,
		DesiredCount: aws.Int32(int32(count)),
	}); err != nil {
		return "", refused("UpdateService", err)
	}

	return "desired count 0 to " + former, nil
}

// ends reports whether there is time for another look.
func ends(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	case <-time.After(lookInterval):
		return false
	}
}

// pool runs work for each text, a few at once.
func pool(list []string, work func(string)) {
	var wait sync.WaitGroup
	room := make(chan struct{}, atOnce)
	for _, each := range list {
		room <- struct{}{}
		wait.Go(func() { defer func() { <-room }(); work(each) })
	}

	wait.Wait()
}
