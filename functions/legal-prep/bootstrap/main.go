// Command bootstrap is the Lambda entry of legal-prep.
package main

import (
	"log"

	legalprep "governance.internal/functions/legal-prep"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	paid, err := wiring.PaidFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("legal-prep", legalprep.New(paid.Gate, paid.Certification))
}
