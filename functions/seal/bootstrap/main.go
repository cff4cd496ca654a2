// Command bootstrap is the Lambda entry of seal.
package main

import (
	"log"

	"github.com/aws/aws-lambda-go/lambda"

	"governance.internal/functions/seal"
	"governance.internal/shared/wiring"
)

func main() {
	auditor, err := wiring.AuditorFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(seal.New(auditor))
}
