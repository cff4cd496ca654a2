// Command bootstrap is the Lambda entry of bookkeeping.
package main

import (
	"log"

	"governance.internal/functions/bookkeeping"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	paid, err := wiring.PaidFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("bookkeeping", bookkeeping.New(paid.Gate, bookkeeping.LambdaAnswer))
}
