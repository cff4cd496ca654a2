package ecs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/managed/cloud"
	"governance.internal/functions/toolserver/work/managed/ecs"
)

// double speaks the protocol of ECS (JSON 1.1) for one service.
type double struct {
	mu       sync.Mutex
	desired  int
	tasks    []string          // that should run
	stopping map[string]int    // looks until a task has ended
	slow     int               // such looks for every task
	page     int               // tasks on a page
	fail     map[string]answer // by operation, for the first so many
	cut      string            // an operation that gets no answer after its failures,
	over     func()            // and the end of the time meanwhile
	calls    map[string]int
	unsigned int
}

type answer struct {
	code  string // "" loses the answer after the work was done
	times int
}

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	operation, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "AmazonEC2ContainerServiceV20141113.")
	if !ok || r.Header.Get("Content-Type") != "application/x-amz-json-1.1" || r.Method != http.MethodPost {
		http.Error(w, "no such operation", http.StatusNotFound)
		return
	}
	if a := r.Header.Get("Authorization"); !strings.HasPrefix(a, "AWS4-HMAC-SHA256 Credential=EXAMPLEID/") || !strings.Contains(a, "/eu-central-1/ecs/aws4_request") {
		d.unsigned++
	}
	d.calls[operation]++
	var in struct {
		Cluster, Service, ServiceName, Task, NextToken string
		Services, Tasks                                []string
		DesiredCount                                   *int
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.Cluster != "jobs" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	failure, fails := d.fail[operation]
	if fails && failure.times > 0 {
		d.fail[operation] = answer{failure.code, failure.times - 1}
		if failure.code != "" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"__type":%q,"message":"arn:aws:ecs:private"}`, failure.code)
			return
		}
	} else {
		fails = false
	}
	if !fails && operation == d.cut {
		d.over()
		panic(http.ErrAbortHandler)
	}
	out := d.work(operation, in.Task, in.NextToken, in.Tasks, in.DesiredCount)
	if fails { // done, and its answer is lost
		panic(http.ErrAbortHandler)
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (d *double) work(operation, task, token string, tasks []string, desired *int) any {
	switch operation {
	case "DescribeServices":
		return map[string]any{"services": []any{map[string]any{"status": "ACTIVE", "desiredCount": d.desired, "runningCount": len(d.tasks), "deployments": []any{map[string]any{"failedTasks": 1}}}}}
	case "UpdateService":
		d.desired = *desired
		return map[string]any{"service": map[string]any{}}
	case "ListTasks":
		from := 0
		_, _ = fmt.Sscanf(token, "from%d", &from)
		to := min(from+d.page, len(d.tasks))
		out := map[string]any{"taskArns": d.tasks[min(from, to):to]}
		if to < len(d.tasks) {
			out["nextToken"] = fmt.Sprintf("from%d", to)
		}
		return out
	case "StopTask":
		if at := slices.Index(d.tasks, task); at >= 0 {
			d.tasks, d.stopping[task] = slices.Delete(slices.Clone(d.tasks), at, at+1), d.slow
		}
		return map[string]any{"task": map[string]any{}}
	case "DescribeTasks":
		var list []any
		for _, each := range tasks {
			status := "RUNNING"
			if looks, ok := d.stopping[each]; ok {
				if status = "STOPPING"; looks <= 0 {
					status = "STOPPED"
				}
				d.stopping[each] = looks - 1
			}
			list = append(list, map[string]any{"taskArn": each, "lastStatus": status})
		}
		return map[string]any{"tasks": list}
	}
	return map[string]any{}
}

var queue = managed.Process{Name: "queue", Provider: "ecs", Target: "jobs/queue"}

func open(t *testing.T, tasks int) (*double, *ecs.Provider, *managed.Former) {
	t.Helper()
	d := &double{desired: tasks, page: 3, stopping: map[string]int{}, fail: map[string]answer{}, calls: map[string]int{}}
	for i := range tasks {
		d.tasks = append(d.tasks, fmt.Sprintf("arn:aws:ecs:eu-central-1:000000000000:task/jobs/t%02d", i))
	}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	former := &managed.Former{Path: filepath.Join(t.TempDir(), "former")}
	return d, ecs.New(cloud.Account{Region: "eu-central-1", Endpoint: server.URL, Credentials: credentials.NewStaticCredentialsProvider("EXAMPLEID", "secret", "")}, former), former
}

// patient is a halt's time on a slow machine.
func patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// limited is a halt's time where not everything ends: it is waited for, and a slow machine
// needs much of it for what can be done.
const limited = 8 * time.Second

// The service wants no task any more, and every task of every page is stopped; the lift
// brings back as many as there were, also after a second halt.
func TestAServiceIsStoppedAndComesBack(t *testing.T) {
	d, provider, former := open(t, 7)
	d.slow = 2
	if s := provider.States(t.Context(), []managed.Process{queue})[0]; s.State != managed.Running {
		t.Errorf("%+v", s)
	}
	out := provider.Stop(patient(t), []managed.Process{queue})[0]
	if !out.OK || len(out.Survivors) != 0 || d.desired != 0 || len(d.tasks) != 0 || d.calls["StopTask"] != 7 || !slices.Contains(out.Did, "desired count 7 to 0") {
		t.Errorf("%+v, %+v", out, d)
	}
	if out := provider.Stop(patient(t), []managed.Process{queue})[0]; !out.OK {
		t.Errorf("a second halt: %+v", out)
	}
	was := former.All()
	if len(was) != 1 || was[0].Value != "7" {
		t.Fatalf("%+v", was)
	}
	if s := provider.States(t.Context(), []managed.Process{queue})[0]; s.State != managed.Stopped {
		t.Errorf("%+v", s)
	}
	if did, err := provider.Start(t.Context(), queue, was[0].Value); err != nil || d.desired != 7 {
		t.Errorf("%q %v, %d", did, err, d.desired)
	}
	if d.unsigned != 0 || d.calls["DescribeServices"] == 0 || d.calls["ListTasks"] < 3 || d.calls["DescribeTasks"] == 0 {
		t.Errorf("%d without a signature, %v", d.unsigned, d.calls)
	}
}

// Too many requests and lost answers are asked again: the effect is there once.
func TestThrottlingAndLostAnswersAreNoFailure(t *testing.T) {
	for _, operation := range []string{"DescribeServices", "UpdateService", "ListTasks", "StopTask", "DescribeTasks"} {
		for _, failure := range []answer{{"ThrottlingException", 2}, {"", 2}} {
			d, provider, former := open(t, 4)
			d.fail[operation] = failure
			out := provider.Stop(patient(t), []managed.Process{queue})[0]
			if !out.OK || d.desired != 0 || len(d.tasks) != 0 || len(former.All()) != 1 {
				t.Errorf("%s %+v: %+v", operation, failure, out)
			}
		}
	}
}

// A denied permission is reported for each surviving task, without the account ID.
func TestAccessDeniedIsReportedAsASurvivor(t *testing.T) {
	t.Parallel()
	for operation, alive := range map[string]int{"StopTask": 2, "UpdateService": 0, "ListTasks": 0, "DescribeTasks": 2} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			d, provider, _ := open(t, 2)
			d.fail[operation] = answer{"AccessDeniedException", 1 << 20}
			ctx, cancel := context.WithTimeout(t.Context(), limited)
			defer cancel()
			out := provider.Stop(ctx, []managed.Process{queue})[0]
			if out.OK || len(out.Survivors) != max(alive, 1) || !strings.Contains(out.Error, operation+": AccessDeniedException") || strings.Contains(fmt.Sprint(out), "arn:") {
				t.Errorf("%+v", out)
			}
		})
	}
	d, provider, _ := open(t, 1)
	d.fail["DescribeServices"] = answer{"AccessDeniedException", 1 << 20}
	if s := provider.States(t.Context(), []managed.Process{queue})[0]; s.State != managed.Unavailable || s.Why == "" {
		t.Errorf("%+v", s)
	}
}

// The reason that ECS gave is reported even if the time limit of the halt ends during a
// retry.
func TestARefusalIsReportedAtTheTimeLimit(t *testing.T) {
	for operation, refusals := range map[string]int{"StopTask": 2, "ListTasks": 2, "DescribeTasks": 1} {
		t.Run(operation, func(t *testing.T) {
			d, provider, _ := open(t, 2)
			ctx, cancel := context.WithCancel(t.Context())
			d.fail[operation], d.cut, d.over = answer{"AccessDeniedException", refusals}, operation, cancel
			out := provider.Stop(ctx, []managed.Process{queue})[0]
			if out.OK || !strings.Contains(out.Error, operation+": AccessDeniedException") || ctx.Err() == nil {
				t.Errorf("%+v", out)
			}
		})
	}
}

// A task that takes its time to end is alive until it has ended.
func TestATaskThatHasNotEndedIsASurvivor(t *testing.T) {
	t.Parallel()
	d, provider, _ := open(t, 3)
	d.slow = 1 << 20
	ctx, cancel := context.WithTimeout(t.Context(), limited)
	defer cancel()
	out := provider.Stop(ctx, []managed.Process{queue})[0]
	if out.OK || len(out.Survivors) != 3 || d.desired != 0 || out.Survivors[0].Command != "task t00" || !strings.Contains(out.Survivors[0].Why, "the task is") {
		t.Errorf("%+v", out)
	}
}

func TestAnUnreachableECSIsUnavailableAndSurvives(t *testing.T) {
	former := &managed.Former{Path: filepath.Join(t.TempDir(), "former")}
	provider := ecs.New(cloud.Account{Region: "eu-central-1", Endpoint: "http://127.0.0.1:1", Credentials: credentials.NewStaticCredentialsProvider("id", "secret", "")}, former)
	if s := provider.States(t.Context(), []managed.Process{queue})[0]; s.State != managed.Unavailable {
		t.Errorf("%+v", s)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if out := provider.Stop(ctx, []managed.Process{queue, {Name: "odd", Provider: "ecs", Target: "queue"}}); out[0].OK || out[1].OK || !strings.Contains(out[1].Error, "CLUSTER/SERVICE") {
		t.Errorf("%+v", out)
	}
}
