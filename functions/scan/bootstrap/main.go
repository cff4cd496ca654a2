// Command bootstrap is the Lambda entry of scan.
package main

import (
	"time"

	"governance.internal/functions/scan"
	"governance.internal/shared/lambdahttp"
)

func main() {
	lambdahttp.Start("scan", scan.New(time.Now))
}
