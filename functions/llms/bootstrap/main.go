// Command bootstrap is the Lambda entry of llms.
package main

import (
	"log"

	llms "governance.internal/functions/llms"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	site, err := wiring.SiteFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("llms", llms.New(site))
}
