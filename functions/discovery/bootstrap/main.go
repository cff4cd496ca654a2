// Command bootstrap is the Lambda entry of discovery.
package main

import (
	"log"

	discovery "governance.internal/functions/discovery"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	site, err := wiring.SiteFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("discovery", discovery.New(site))
}
