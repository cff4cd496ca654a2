// Command bootstrap is the Lambda entry of products.
package main

import (
	"log"

	products "governance.internal/functions/products"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	site, err := wiring.SiteFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	lambdahttp.Start("products", products.New(site))
}
