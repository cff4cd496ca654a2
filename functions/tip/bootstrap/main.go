// Command bootstrap is the Lambda entry of tip.
package main

import (
	"log"

	tip "governance.internal/functions/tip"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	paid, err := wiring.PaidFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("tip", tip.New(paid.Gate))
}
