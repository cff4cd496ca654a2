// The train command makes what the program knows of conflicts from labels, and measures it.
//
//	go run ./functions/agent-therapy/train -rarity conflict/rarity.txt
//	go run ./functions/agent-therapy/train -sentences sentences.jsonl
//	go run ./functions/agent-therapy/train -vectors FOLDER -out conflict/forest.txt
//	go run ./functions/agent-therapy/train -vectors FOLDER -pairs pairs.jsonl
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

// options are what a call asks for. One file is written; without any, figures are printed.
type options struct {
	labels, clean, vectors string // folders

	rarity, sentences, pairs, out string // files
}

func main() {
	var o options
	flag.StringVar(&o.labels, "labels", "functions/agent-therapy/conflict/testdata", "`folder` of the labels")
	flag.StringVar(&o.clean, "clean", "", "`folder` with text without conflicts; the module cache without it")
	flag.StringVar(&o.vectors, "vectors", "", "`folder` of odd.vec and even.vec; the table in the program without it")
	flag.StringVar(&o.rarity, "rarity", "", "`file` for the weights of words")
	flag.StringVar(&o.sentences, "sentences", "", "`file` for the sentences of all texts")
	flag.StringVar(&o.pairs, "pairs", "", "`file` for the pairs that the trees judge")
	flag.StringVar(&o.out, "out", "", "`file` for the trees")
	flag.Parse()

	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func (o *options) run() error {
	if o.clean == "" {
		cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
		if err != nil {
			return fmt.Errorf("ask for the module cache: %w", err)
		}
		o.clean = strings.TrimSpace(string(cache))
	}
	texts, err := readAll(o.labels, o.clean)
	if err != nil {
		return err
	}

	switch {
	case o.rarity != "":
		return writeRarity(o.rarity, texts)
	case o.sentences != "":
		return writeSentences(o.sentences, texts)
	}

	tables, err := readTables(o.vectors)
	if err != nil {
		return err
	}
	all := examplesOf(texts, tables)
	fmt.Printf("%d texts, %d pairs of sentences, %d of them conflicts\n", len(texts), len(all), conflictsAmong(all))

	switch {
	case o.pairs != "":
		return writePairs(o.pairs, texts, all)
	case o.out != "":
		return writeTrees(o.out, toLearn(texts, all))
	}
	measure(texts, all)
	return nil
}

// writeTrees writes the trees that grow from examples.
func writeTrees(name string, examples []example) error {
	grown := grow(examples)
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return grown.Write(file)
}
