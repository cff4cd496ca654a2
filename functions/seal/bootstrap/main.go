// Command bootstrap is the Lambda entry of seal.
package main

import (
	"log"

	"governance.internal/functions/seal"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	auditor, err := wiring.AuditorFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Run("seal", seal.New(auditor))
}
