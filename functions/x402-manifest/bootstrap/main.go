// Command bootstrap is the Lambda entry of x402-manifest.
package main

import (
	"log"

	x402manifest "governance.internal/functions/x402-manifest"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	site, err := wiring.SiteFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("x402-manifest", x402manifest.New(site))
}
