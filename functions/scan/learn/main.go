// The learn command learns, from labelled sentences, which sentence of a description speaks of
// which dimension and what level follows from it.
//
//	go run ./functions/scan/learn -labels shared/scan/testdata/learn -out shared/scan/learned.txt
//
// The same labels give the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	folder := flag.String("labels", "shared/scan/testdata/learn", "`folder` of the labelled sentences")
	out := flag.String("out", "shared/scan/learned.txt", "`file` for the model")
	flag.Parse()

	if err := run(*folder, *out); err != nil {
		fmt.Fprintln(os.Stderr, "learn:", err)
		os.Exit(1)
	}
}

func run(folder, out string) error {
	descriptions, err := readLabels(folder)
	if err != nil {
		return err
	}

	measure(descriptions).print()

	model := learn(descriptions)
	text := model.encode()
	fmt.Printf("%d descriptions, %d features, %d bytes\n", len(descriptions), len(model.features), len(text))

	return os.WriteFile(out, text, 0o644)
}
