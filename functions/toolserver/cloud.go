package toolserver

import (
	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/managed/ecs"
	"governance.internal/functions/toolserver/work/managed/lambda"
	"governance.internal/shared/wiring/environment"
)

// Cloud makes the providers of processes that run elsewhere, by name.
type Cloud func(*managed.Former) map[string]managed.Provider

// aws are the services of the account that this process has keys of. Without any it is
// told as the reason when the workspace file names something there.
func aws(former *managed.Former) map[string]managed.Provider {
	a, err := environment.OpenAccount("")
	if err != nil {
		absent := managed.Absent{Why: "there is no AWS account here: set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"}
		return map[string]managed.Provider{"ecs": absent, "lambda": absent}
	}

	return map[string]managed.Provider{
		"ecs": ecs.New(ecs.Account{
			Region:      a.Region,
			Credentials: a.Credentials,
		}, former),
		"lambda": lambda.New(lambda.Account{
			Region:      a.Region,
			Credentials: a.Credentials,
		}, former),
	}
}
