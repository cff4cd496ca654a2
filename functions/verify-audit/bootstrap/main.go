// Command bootstrap is the Lambda entry of verify-audit.
package main

import (
	"log"

	verifyaudit "governance.internal/functions/verify-audit"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	paid, err := wiring.VerifyingFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("verify-audit", verifyaudit.New(verifyaudit.Deps{
		Gate:    paid.Gate,
		Auditor: paid.Auditor,
	}))
}
