package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

func thanksCommand(t terminal) *cobra.Command {
	var signer string
	var f *form
	c := command("thanks FILE", "Verify the signed thank-you that a tip bought",
		examples("governance verify thanks thanks.json", "the answer of /x402/tip, in a file"),
		func(_ context.Context, files []string) error { return verifyThanks(t, signer, files, f) })
	c.Flags().StringVar(&signer, "signer", "", "`address` that must have signed, as published in /.well-known/x402")
	f = addForm(c)
	return c
}

// verifyThanks checks the signed thank-you that a tip bought.
func verifyThanks(t terminal, signer string, files []string, f *form) error {
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
		return exit{3, fmt.Errorf("%s is not a thank-you: %w", files[0], err)}
	}

	signedBy, err := evm.RecoverTyped(thanks.Payload.Typed(), thanks.Signature)
	if want := orElse(signer, thanks.Signer); err != nil || !strings.EqualFold(signedBy, want) {
		return f.refuted(t, files[0], fmt.Errorf("not signed by %s", want))
	}

	if f.isJSON() {
		facts := map[string]any{"thanks": thanks.Payload, "signed_by": signedBy, "signer_checked": signer != ""}
		return printJSON(t, verdict{File: files[0], Valid: true, Facts: facts})
	}

	fmt.Fprintf(t.out, "%s: valid\n  %s\n  payer %s, payment %s\n  signed by %s\n",
		files[0], thanks.Payload.Message, thanks.Payload.Payer, thanks.Payload.Nonce, signedBy)
	if signer == "" {
		fmt.Fprintln(t.out, uncheckedSigner)
	}

	return nil
}
