package lambda_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/managed/cloud"
	"governance.internal/functions/toolserver/work/managed/lambda"
)

// double speaks the protocol of Lambda (REST with JSON) for the function "mailer".
type double struct {
	mu       sync.Mutex
	reserved *int
	fail     map[string]answer // by method and path
	calls    []string
	unsigned int
}

type answer struct {
	status int
	code   string // "" loses the answer after the work was done
	times  int
}

const (
	get       = "GET /2019-09-30/functions/mailer/concurrency"
	put       = "PUT /2017-10-31/functions/mailer/concurrency"
	drop      = "DELETE /2017-10-31/functions/mailer/concurrency"
	configure = "GET /2015-03-31/functions/mailer/configuration"
)

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	call := r.Method + " " + r.URL.Path
	d.calls = append(d.calls, call)
	if a := r.Header.Get("Authorization"); !strings.Contains(a, "Credential=EXAMPLEID/") || !strings.Contains(a, "/eu-central-1/lambda/aws4_request") {
		d.unsigned++
	}
	failure := d.fail[call]
	if failure.times > 0 {
		d.fail[call] = answer{failure.status, failure.code, failure.times - 1}
		if failure.code != "" {
			w.Header().Set("X-Amzn-ErrorType", failure.code)
			w.WriteHeader(failure.status)
			fmt.Fprint(w, `{"Message":"arn:aws:lambda:private"}`)
			return
		}
	}
	switch call {
	case put:
		var in struct{ ReservedConcurrentExecutions *int }
		if json.NewDecoder(r.Body).Decode(&in) != nil || in.ReservedConcurrentExecutions == nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		d.reserved = in.ReservedConcurrentExecutions
	case drop:
		d.reserved = nil
		if failure.times == 0 {
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	if failure.times > 0 {
		panic(http.ErrAbortHandler)
	}
	out := map[string]any{}
	if d.reserved != nil {
		out["ReservedConcurrentExecutions"] = *d.reserved
	}
	if call == configure {
		out = map[string]any{"Timeout": 30}
	}
	_ = json.NewEncoder(w).Encode(out)
}

var mailer = managed.Process{Name: "mails", Provider: "lambda", Target: "mailer"}

func open(t *testing.T, reserved *int) (*double, *lambda.Provider, *managed.Former) {
	t.Helper()
	d := &double{reserved: reserved, fail: map[string]answer{}}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	former := &managed.Former{Path: filepath.Join(t.TempDir(), "former")}
	return d, lambda.New(cloud.Account{Region: "eu-central-1", Endpoint: server.URL, Credentials: credentials.NewStaticCredentialsProvider("EXAMPLEID", "secret", "")}, former), former
}

func stop(t *testing.T, provider *lambda.Provider) managed.Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return provider.Stop(ctx, []managed.Process{mailer})[0]
}

// No new invocation starts, running ones are reported, and the lift restores the reserved
// concurrency, or its absence.
func TestAFunctionIsStoppedAndComesBack(t *testing.T) {
	five := 5
	for want, reserved := range map[string]*int{"none": nil, "5": &five} {
		d, provider, former := open(t, reserved)
		if s := provider.States(t.Context(), []managed.Process{mailer})[0]; s.State != managed.Running {
			t.Errorf("%+v", s)
		}
		out := stop(t, provider)
		if d.reserved == nil || *d.reserved != 0 || out.OK || len(out.Survivors) != 1 || !strings.Contains(out.Error, "within 30 s") {
			t.Errorf("%+v", out)
		}
		if again := stop(t, provider); again.OK || len(again.Did) != 0 || !strings.Contains(again.Error, "within 30 s") {
			t.Errorf("a run may be under way: %+v", again)
		}
		if s := provider.States(t.Context(), []managed.Process{mailer})[0]; s.State != managed.Stopped {
			t.Errorf("%+v", s)
		}
		was := former.All()
		if len(was) != 1 || was[0].Value != want {
			t.Fatalf("%+v", was)
		}
		_, err := provider.Start(t.Context(), mailer, want)
		if err != nil || (d.reserved == nil) != (reserved == nil) || d.reserved != nil && *d.reserved != 5 {
			t.Errorf("%v, %v", err, d.reserved)
		}
		if d.unsigned != 0 {
			t.Errorf("%d without a signature", d.unsigned)
		}
	}
}

func TestThrottlingAndLostAnswersAreNoFailure(t *testing.T) {
	for _, failure := range []answer{{429, "TooManyRequestsException", 2}, {500, "ServiceException", 2}, {0, "", 2}} {
		for _, call := range []string{get, put, configure} {
			d, provider, former := open(t, nil)
			d.fail[call] = failure
			if out := stop(t, provider); d.reserved == nil || *d.reserved != 0 || len(former.All()) != 1 || !strings.Contains(out.Error, "within 30 s") {
				t.Errorf("%s %+v: %+v, %v", call, failure, out, d.calls)
			}
		}
	}
}

// A denied permission is reported without the account ID. An unknown former value does not
// delay the halt.
func TestAccessDeniedIsReportedAsASurvivor(t *testing.T) {
	d, provider, _ := open(t, nil)
	d.fail[put] = answer{403, "AccessDeniedException", 1 << 20}
	if out := stop(t, provider); out.OK || len(out.Survivors) != 1 || !strings.Contains(out.Error, "PutFunctionConcurrency: AccessDeniedException") || strings.Contains(fmt.Sprint(out), "arn:") {
		t.Errorf("%+v", out)
	}
	d, provider, former := open(t, nil)
	d.fail[get] = answer{403, "AccessDeniedException", 1 << 20}
	if out := stop(t, provider); d.reserved == nil || *d.reserved != 0 || len(former.All()) != 0 || !strings.Contains(strings.Join(out.Did, " "), "cannot be kept") {
		t.Errorf("%+v", out)
	}
	if s := provider.States(t.Context(), []managed.Process{mailer})[0]; s.State != managed.Unavailable || !strings.Contains(s.Why, "AccessDenied") {
		t.Errorf("%+v", s)
	}
	d.fail[drop] = answer{403, "AccessDeniedException", 1 << 20}
	if _, err := provider.Start(t.Context(), mailer, "none"); err == nil || strings.Contains(err.Error(), "arn:") {
		t.Error(err)
	}
}
