// The train command grows the trees that judge pairs of instructions, and measures them.
//
//	go run ./functions/agent-therapy/train -rarity conflict/rarity.txt
//	go run ./functions/agent-therapy/train -out conflict/forest.txt
//
// The labels stand in conflict/testdata. Text without conflicts comes from the Markdown files of a folder, by
// default the module cache of Go: what is there differs from machine to machine, and the trees with it.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	labels := flag.String("labels", "functions/agent-therapy/conflict/testdata", "`folder` of the labels")
	clean := flag.String("clean", "", "`folder` with text without conflicts; the module cache without it")
	rarity := flag.String("rarity", "", "`file` for the weights of words; nothing else is done then")
	sentences := flag.String("sentences", "", "`file` for the sentences of all texts; nothing else is done then")
	vectors := flag.String("vectors", "", "`folder` of odd.vec and even.vec; the table in the program without it")
	out := flag.String("out", "", "`file` for the trees; without it the figures are printed only")
	flag.Parse()

	if err := run(*labels, *clean, *rarity, *sentences, *vectors, *out); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(labels, clean, rarity, sentences, vectors, out string) error {
	if clean == "" {
		cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
		if err != nil {
			return fmt.Errorf("ask for the module cache: %w", err)
		}
		clean = strings.TrimSpace(string(cache))
	}

	texts, err := readAll(labels, clean)
	if err != nil {
		return err
	}
	if rarity != "" {
		return writeRarity(rarity, texts)
	}
	if sentences != "" {
		return writeSentences(sentences, texts)
	}

	tables, err := readTables(vectors)
	if err != nil {
		return err
	}
	all := examplesOf(texts, tables)
	fmt.Printf("%d texts, %d pairs of sentences, %d of them conflicts\n", len(texts), len(all), conflictsAmong(all))
	if out == "" {
		measure(texts, all)
		return nil
	}

	grown := grow(toLearn(texts, all))
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer file.Close()
	return grown.Write(file)
}
