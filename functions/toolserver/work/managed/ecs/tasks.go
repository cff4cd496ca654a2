package ecs

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/processes"
)

// stopped is the last status of a task.
const stopped = "STOPPED"

// tasks are the tasks of a service that must end.
type tasks struct {
	provider         *Provider
	cluster, service *string

	known  map[string]string // ARN and last status
	failed []string          // why not all is known to have ended

	mu   sync.Mutex
	told map[string]string // ARN and what ECS said, "" for yes
}

// note records the tasks before the service begins to end them, because ECS then no longer
// lists them. Tasks that cannot be listed now are listed later.
func (t *tasks) note(ctx context.Context) {
	arns, _ := t.list(ctx)
	for _, arn := range arns {
		t.known[arn] = "RUNNING"
	}
}

// end stops every task, including new ones, until all have ended or ctx ends. An answer
// that the end of ctx cut off does not replace a reason that ECS gave.
func (t *tasks) end(ctx context.Context) {
	for {
		listed, why := t.list(ctx)
		t.tell(ctx, append(listed, t.alive()...))
		if why == "" {
			why = t.look(ctx)
		}

		if why == "" {
			t.failed = nil
		} else if ctx.Err() == nil || len(t.failed) == 0 {
			t.failed = []string{why}
		}

		if why == "" && len(t.alive()) == 0 || ends(ctx) {
			t.refusals()
			return
		}
	}
}

// list lists the tasks whose desired status is running, page by page.
func (t *tasks) list(ctx context.Context) (arns []string, why string) {
	pages := ecs.NewListTasksPaginator(t.provider.client, &ecs.ListTasksInput{
		Cluster:       t.cluster,
		ServiceName:   t.service,
		DesiredStatus: types.DesiredStatusRunning,
		MaxResults:    aws.Int32(page),
	})
	for pages.HasMorePages() {
		out, err := pages.NextPage(ctx)
		if err != nil {
			return arns, refused("ListTasks", err).Error()
		}
		arns = append(arns, out.TaskArns...)
	}
	return arns, ""
}

// tell requests the stop of tasks without an accepted request.
func (t *tasks) tell(ctx context.Context, arns []string) {
	for _, arn := range arns {
		if t.known[arn] == "" {
			t.known[arn] = "RUNNING"
		}
	}

	slices.Sort(arns)
	pool(slices.Compact(arns), func(arn string) {
		before, ok := t.said(arn)
		if ok && before == "" {
			return
		}

		_, err := t.provider.client.StopTask(ctx, &ecs.StopTaskInput{
			Cluster: t.cluster,
			Task:    aws.String(arn),
			Reason:  aws.String("kill switch"),
		})

		said := ""
		if err != nil {
			said = refused("StopTask", err).Error()
		}
		if err != nil && ctx.Err() != nil && before != "" {
			return
		}

		t.mu.Lock()
		defer t.mu.Unlock()

		t.told[arn] = said
	})
}

func (t *tasks) said(arn string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	said, ok := t.told[arn]
	return said, ok
}

// look reads the state of the tasks. A task that ECS no longer knows has ended.
func (t *tasks) look(ctx context.Context) (why string) {
	for arns := range slices.Chunk(t.alive(), page) {
		out, err := t.provider.client.DescribeTasks(ctx, &ecs.DescribeTasksInput{
			Cluster: t.cluster,
			Tasks:   arns,
		})
		if err != nil {
			return refused("DescribeTasks", err).Error()
		}

		for _, each := range out.Tasks {
			t.known[aws.ToString(each.TaskArn)] = aws.ToString(each.LastStatus)
		}

		for _, each := range out.Failures {
			if aws.ToString(each.Reason) == "MISSING" {
				t.known[aws.ToString(each.Arn)] = stopped
			}
		}
	}

	return ""
}

// alive are the tasks that have not ended.
func (t *tasks) alive() (arns []string) {
	for _, arn := range slices.Sorted(maps.Keys(t.known)) {
		if t.known[arn] != stopped {
			arns = append(arns, arn)
		}
	}
	return arns
}

// refusals records the refused requests for live tasks.
func (t *tasks) refusals() {
	for _, arn := range t.alive() {
		if said, _ := t.said(arn); said != "" && !slices.Contains(t.failed, said) {
			t.failed = append(t.failed, said)
		}
	}
}

// survivors names every task that has not ended, and why.
func (t *tasks) survivors(o managed.Outcome) managed.Outcome {
	var list []processes.Survivor
	for _, arn := range t.alive() {
		why, _ := t.said(arn)
		if why == "" {
			why = "ECS accepted the stop; the task is " + t.known[arn]
		}
		list = append(list, processes.Survivor{
			Name:    o.Name,
			Command: "task " + arn[strings.LastIndexByte(arn, '/')+1:],
			Why:     why,
		})
	}

	if len(list) > 0 {
		o.Survivors = list
	}

	return o
}
