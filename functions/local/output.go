package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Forms in which a command prints its report.
const (
	formTable = "table"
	formJSON  = "json"
	formSARIF = "sarif"
)

// form is the flag --format, -o for short: the format of a report. The default is a table.
type form struct {
	name  string
	known []string
}

// addForm gives a command the flag; a report has a table and JSON, and perhaps more.
func addForm(c *cobra.Command, more ...string) *form {
	f := &form{
		name:  formTable,
		known: append([]string{formTable, formJSON}, more...),
	}
	c.Flags().VarP(f, "format", "o", "`form` of the report: "+f.names())

	complete := cobra.FixedCompletions(f.known, cobra.ShellCompDirectiveNoFileComp)
	_ = c.RegisterFlagCompletionFunc("format", complete) // fails only for an unknown flag
	return f
}

// Set implements pflag.Value.
func (f *form) Set(name string) error {
	if !slices.Contains(f.known, name) {
		return fmt.Errorf("the form is %s", f.names())
	}
	f.name = name
	return nil
}

func (f *form) String() string { return f.name }

// Type implements pflag.Value.
func (f *form) Type() string { return "form" }

func (f *form) names() string {
	last := len(f.known) - 1
	return strings.Join(f.known[:last], ", ") + " or " + f.known[last]
}

func (f *form) isJSON() bool { return f.name == formJSON }

// printJSON prints a report for programs.
func printJSON(t terminal, report any) error {
	encoder := json.NewEncoder(t.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

// verdict is the report of a verification.
type verdict struct {
	File  string `json:"file,omitempty"`
	Valid bool   `json:"valid"`
	Why   string `json:"why,omitempty"`   // it is not valid
	Facts any    `json:"facts,omitempty"` // that were verified
}

// refuted prints that a file is not valid, and ends with status 1.
func (f *form) refuted(t terminal, file string, why error) error {
	if !f.isJSON() {
		fmt.Fprintf(t.out, "%s: INVALID: %v\n", file, why)
		return exit{1, nil}
	}

	report := verdict{
		File: file,
		Why:  why.Error(),
	}
	if err := printJSON(t, report); err != nil {
		return err
	}
	return exit{1, nil}
}
