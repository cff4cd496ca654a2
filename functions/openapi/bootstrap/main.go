// Command bootstrap is the Lambda entry of openapi.
package main

import (
	"log"

	openapi "governance.internal/functions/openapi"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	site, err := wiring.SiteFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("openapi", openapi.New(site))
}
