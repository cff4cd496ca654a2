// Command bootstrap is the Lambda entry of agent-card.
package main

import (
	"log"

	agentcard "governance.internal/functions/agent-card"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	site, err := wiring.SiteFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("agent-card", agentcard.New(site))
}
