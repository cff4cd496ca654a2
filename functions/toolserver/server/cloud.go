package server

import (
	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/managed/cloud"
	"governance.internal/functions/toolserver/work/managed/ecs"
	"governance.internal/functions/toolserver/work/managed/lambda"
	"governance.internal/shared/wiring/environment"
)

// Cloud makes the providers of processes that run elsewhere, by name.
type Cloud func(*managed.Former) map[string]managed.Provider

// aws makes the providers of the AWS account of this process. Without credentials, each
// provider reports what to set.
func aws(former *managed.Former) map[string]managed.Provider {
	a, err := environment.OpenAccount("")
	if err != nil {
		absent := managed.Absent{Why: "there is no AWS account here: set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"}
		return map[string]managed.Provider{"ecs": absent, "lambda": absent}
	}

	account := cloud.Account{
		Region:      a.Region,
		Credentials: a.Credentials,
	}
	return map[string]managed.Provider{
		"ecs":    ecs.New(account, former),
		"lambda": lambda.New(account, former),
	}
}
