// Command bootstrap is the Lambda entry of agent-therapy.
package main

import (
	"log"

	agenttherapy "governance.internal/functions/agent-therapy"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	paid, err := wiring.PaidFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("agent-therapy", agenttherapy.New(paid.Gate))
}
