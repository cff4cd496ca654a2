// Command bootstrap is the Lambda entry of payment-state.
package main

import (
	"log"

	paymentstate "governance.internal/functions/payment-state"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	store, err := wiring.PaymentsFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("payment-state", paymentstate.New(store))
}
