// Command bootstrap is the Lambda entry of playbook.
package main

import (
	"log"

	playbook "governance.internal/functions/playbook"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	paid, err := wiring.PaidFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("playbook", playbook.New(paid.Gate))
}
