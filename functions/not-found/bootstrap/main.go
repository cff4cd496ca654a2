// Command bootstrap is the Lambda entry of not-found, the default route: it answers
// what no row of the catalogue names, in the shape of all our errors.
package main

import (
	"net/http"

	"governance.internal/shared/lambdahttp"
)

func main() {
	lambdahttp.Start("not-found", http.NotFoundHandler())
}
