// Command bootstrap is the Lambda entry of payment-sweeper.
package main

import (
	"log"
	"os"
	"time"

	sweeper "governance.internal/functions/payment-sweeper"
	"governance.internal/shared/lambdahttp"
	"governance.internal/shared/wiring"
)

func main() {
	paid, err := wiring.PaidFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}

	var gas *sweeper.Gas
	if paid.GasWallet != "" {
		gas = &sweeper.Gas{
			Coins:  paid.Chain.Coins,
			Wasted: paid.Payments.WastedGas,
			Wallet: paid.GasWallet,
			Out:    os.Stdout,
			Now:    time.Now,
		}
	}

	lambdahttp.Run("payment-sweeper", sweeper.New(paid.Gate.Machine, gas))
}
