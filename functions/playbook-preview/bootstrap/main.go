// Command bootstrap is the Lambda entry of playbook-preview.
package main

import (
	"log"

	playbookpreview "governance.internal/functions/playbook-preview"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	site, err := wiring.SiteFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("playbook-preview", playbookpreview.New(site))
}
