// Command bootstrap is the Lambda entry of payment-sweeper.
package main

import (
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	sweeper "governance.internal/functions/payment-sweeper"
	"governance.internal/shared/wiring"
)

func main() {
	paid, err := wiring.PaidFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	var gas *sweeper.Gas
	if paid.GasWallet != "" {
		gas = &sweeper.Gas{Coins: paid.Chain.Coins, Wallet: paid.GasWallet, Out: os.Stdout, Now: time.Now}
	}
	lambda.Start(sweeper.New(paid.Gate.Machine, gas))
}
