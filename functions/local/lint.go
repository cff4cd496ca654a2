package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"text/tabwriter"

	"governance.internal/shared/lint"
)

// lintFiles lints configuration files. Exit status 1 when there is an error
// finding, 2 when a file cannot be read or linted.
func lintFiles(_ context.Context, t terminal, args []string) error {
	set := flags(t, "lint", "lint [-format table|json|sarif] FILE...")
	format := set.String("format", "table", "`form` of the output: table, json or sarif")
	files, err := parse(set, args)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return usage("lint needs a file, for example: lint ~/.config/mcp.json")
	}
	print, ok := map[string]func(terminal, []lint.FileResult) error{"table": printTable, "json": printJSON, "sarif": printSARIF}[*format]
	if !ok {
		return usage("-format is table, json or sarif, not %q", *format)
	}
	results, unreadable := lintAll(t, files)
	if err := print(t, results); err != nil {
		return err
	}
	if unreadable {
		return exit{2, nil}
	}
	for _, r := range results {
		if r.Result.Summary.Errors > 0 {
			return exit{1, nil}
		}
	}
	return nil
}

func lintAll(t terminal, files []string) (results []lint.FileResult, unreadable bool) {
	for _, file := range files {
		document, err := readInput(t, file)
		var result lint.Result
		if err == nil {
			result, err = lint.Lint(document)
		}
		if err != nil {
			fmt.Fprintf(t.err, "%s: %v\n", file, err)
			unreadable = true
			continue
		}
		results = append(results, lint.FileResult{URI: file, Result: result})
	}
	return results, unreadable
}

func printTable(t terminal, results []lint.FileResult) error {
	for _, r := range results {
		s := r.Result.Summary
		fmt.Fprintf(t.out, "%s: score %d, %d servers, %d errors, %d warnings, %d infos\n", r.URI, r.Result.Score, s.Servers, s.Errors, s.Warns, s.Infos)
		table := tabwriter.NewWriter(t.out, 0, 4, 2, ' ', 0)
		for _, f := range r.Result.Findings {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n\t\t\t-> %s\n", f.Severity, f.Code, strconv.QuoteToASCII(f.Server), f.Message, f.Hint)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// printJSON gives one file the answer of the endpoint, several a list.
func printJSON(t terminal, results []lint.FileResult) error {
	encoder := json.NewEncoder(t.out)
	encoder.SetIndent("", "  ")
	if len(results) == 1 {
		return encoder.Encode(results[0].Result)
	}
	type file struct {
		Path string `json:"path"`
		lint.Result
	}
	list := []file{}
	for _, r := range results {
		list = append(list, file{r.URI, r.Result})
	}
	return encoder.Encode(list)
}

func printSARIF(t terminal, results []lint.FileResult) error {
	log, err := lint.SARIF(results)
	if err != nil {
		return err
	}
	_, err = t.out.Write(log)
	return err
}
