// Command bootstrap is the Lambda entry of audit-mcp.
package main

import (
	"log"

	auditmcp "governance.internal/functions/audit-mcp"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	paid, err := wiring.PaidFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("audit-mcp", auditmcp.New(paid.Gate))
}
