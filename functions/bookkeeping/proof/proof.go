// Package proof makes a ledger verifiable with sha256sum alone: every row has a canonical line, each
// line is chained to the one before, and the last link is the root of the ledger.
package proof

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"governance.internal/functions/bookkeeping/ledger"
)

// Domain begins the chain, so that its hashes are of no other use.
const Domain = "bookkeeping-v1"

// Fields is how many fields a canonical line has.
const Fields = 17

// Canonical is the line of an entry: its fields in a fixed order with a tab between, in Unicode normal
// form C, without line breaks.
func Canonical(e *ledger.Entry) string {
	schedule := ""
	if e.ScheduleC != nil {
		schedule = *e.ScheduleC
	}

	fields := []string{
		e.ID,
		e.Date,
		e.Account,
		e.File,
		strconv.Itoa(e.Line),
		strconv.FormatInt(e.Minor, 10),
		e.Currency,
		string(e.Category),
		string(e.Kind),
		strconv.FormatFloat(e.Confidence, 'f', -1, 64),
		schedule,
		e.Plaid,
		strings.Join(e.Links, ","),
		e.RowSHA256,
		e.Merchant,
		e.Reason,
		e.Description,
	}
	for i, field := range fields {
		fields[i] = ledger.OneLine(field)
	}
	return strings.Join(fields, "\t")
}

// Start is the hash before the first entry.
func Start(inputSHA256 string) string { return digest(Domain + "\n" + inputSHA256) }

// Next is the hash after a line.
func Next(before, line string) string { return digest(before + "\n" + line + "\n") }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Seal sets the canonical line and the link of each entry and returns the root.
func Seal(inputSHA256 string, entries []*ledger.Entry) string {
	link := Start(inputSHA256)
	for _, e := range entries {
		e.Canonical = Canonical(e)
		link = Next(link, e.Canonical)
		e.Chain = link
	}
	return link
}

// Input is a file by its name and digest.
type Input struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// DigestOf is the digest of a file.
func DigestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// InputDigest is what sha256sum says of one file, and of the lines that sha256sum prints for several.
func InputDigest(inputs []Input) string {
	if len(inputs) == 1 {
		return inputs[0].SHA256
	}
	return digest(Manifest(inputs))
}

// Manifest writes digests as sha256sum does.
func Manifest(inputs []Input) string {
	var b strings.Builder
	for _, input := range inputs {
		name := input.Name
		if strings.ContainsAny(name, "\\\n\r") {
			name = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
			b.WriteByte('\\')
		}
		fmt.Fprintf(&b, "%s  %s\n", input.SHA256, name)
	}
	return b.String()
}

// Recipe checks an answer with jq and sha256sum. It prints the root of the ledger, and then the row
// whose link differs, if any does.
func Recipe(inputs []Input) []string {
	input := "sha256sum FILE | cut -c1-64   # is input_sha256"
	if len(inputs) > 1 {
		input = "sha256sum FILES | sha256sum | cut -c1-64   # in the order of input.files; is input_sha256"
	}
	return []string{
		input,
		`link=$(printf '` + Domain + `\n%s' "$(jq -r .verification.input_sha256 answer.json)" | sha256sum | cut -c1-64)`,
		`jq -r '.ledger[].canonical' answer.json | (while IFS= read -r line; do`,
		`  link=$(printf '%s\n%s\n' "$link" "$line" | sha256sum | cut -c1-64)`,
		`done; echo "$link")   # is ledger_root`,
		`# It proves that the rows are those of this answer, and not that their categories are right.`,
	}
}
