// Command bootstrap is the Lambda entry of payment-sweeper.
package main

import (
	"log"

	"github.com/aws/aws-lambda-go/lambda"

	sweeper "governance.internal/functions/payment-sweeper"
	"governance.internal/shared/wiring"
)

func main() {
	paid, err := wiring.PaidFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(sweeper.New(paid.Gate.Machine))
}
