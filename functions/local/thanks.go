package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// verifyThanks checks the signed thank-you that a tip bought.
func verifyThanks(t terminal, args []string) error {
	set := flags(t, "verify thanks", "verify thanks FILE [-signer ADDRESS]")
	signer := set.String("signer", "", "`address` that must have signed, as published in /.well-known/x402")
	files, err := parse(set, args)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return usage("verify thanks needs the file with the answer of /x402/tip")
	}

	data, err := os.ReadFile(files[0])
	if err != nil {
		return exit{3, err}
	}

	var thanks struct {
		x402.Signed[x402.ThankYou]
		Signer string `json:"signer"`
	}
	if err := json.Unmarshal(data, &thanks); err != nil {
		return exit{3, fmt.Errorf("%s is no thank-you: %w", files[0], err)}
	}

	signedBy, err := evm.RecoverTyped(thanks.Payload.Typed(), thanks.Signature)
	if want := orElse(*signer, thanks.Signer); err != nil || !strings.EqualFold(signedBy, want) {
		return refuted(t, files[0], fmt.Errorf("not signed by %s", want))
	}

	fmt.Fprintf(t.out, "%s: valid\n  %s\n  payer %s, payment %s\n  signed by %s\n",
		files[0], thanks.Payload.Message, thanks.Payload.Payer, thanks.Payload.Nonce, signedBy)
	if *signer == "" {
		fmt.Fprintln(t.out, uncheckedSigner)
	}

	return nil
}
