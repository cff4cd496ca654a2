package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"governance.internal/shared/audit"
	auditfile "governance.internal/shared/audit/file"
	"governance.internal/shared/wiring"
)

func exportCommand(t terminal) *cobra.Command {
	var o audit.ExportOptions
	c := command("export [FILE|URL]", "Write an audit trail to the standard output",
		examples(
			"governance export > trail.jsonl", "the stored bytes, which can be verified",
			"governance export --format csv --from 100", "a table, from entry 100 on",
			"governance export https://shop.example/audit/export", "the trail of a service",
		),
		func(ctx context.Context, sources []string) error { return exportChain(ctx, t, o, sources) })
	c.Flags().StringVarP(
		(*string)(&o.Format),
		"format",
		"o",
		string(audit.JSONL),
		"`form`: jsonl (the stored bytes, which can be verified), csv, or aat (draft-sharif-agent-audit-trail)",
	)
	c.Flags().Uint64Var(&o.From, "from", 0, "first `entry`; default: the first of the trail")
	c.Flags().Uint64Var(&o.To, "to", 0, "last `entry`; default: the last of the trail")
	return c
}

// exportChain writes a chain to the standard output, in the form asked for.
func exportChain(ctx context.Context, t terminal, o audit.ExportOptions, sources []string) error {
	source, err := oneSource("export", sources)
	if err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return exit{2, err}
	}

	chain, torn, err := openChain(ctx, source)
	if err != nil {
		return exit{3, err}
	}
	defer chain.Close()

	n, err := audit.ExportReader(&progress{Reader: chain, t: t}, t.out, o)
	if err != nil {
		return exportFailed(t, n, err)
	}
	if torn > 0 {
		fmt.Fprintf(t.err, "the last %d bytes are not a complete entry and are left out\n", torn)
	}

	fmt.Fprintf(t.err, "%s exported from %s\n", entries(n), source)
	if n == 0 && (o.From > 0 || o.To > 0) {
		return exit{1, errors.New("the range holds no entry")}
	}

	return nil
}

// exportFailed exits with status 1 for a damaged chain, and 3 for one that cannot be read
// or written.
func exportFailed(t terminal, n uint64, err error) error {
	fmt.Fprintf(t.err, "stopped after %s; the output is incomplete\n", entries(n))
	if _, damaged := errors.AsType[audit.Damaged](err); damaged {
		return exit{1, err}
	}
	return exit{3, err}
}

// oneSource is the file or address among the arguments, by default the local chain.
func oneSource(command string, sources []string) (string, error) {
	switch len(sources) {
	case 0:
		return auditfile.Path(defaultData, wiring.ChainName), nil
	case 1:
		return sources[0], nil
	}
	return "", usage("%s takes one file or address", command)
}

func entries(n uint64) string {
	if n == 1 {
		return "1 entry"
	}
	return strconv.FormatUint(n, 10) + " entries"
}

// progress shows a person at a terminal how much of a long chain was read.
type progress struct {
	io.Reader
	t    terminal
	read int64
}

func (p *progress) Read(b []byte) (int, error) {
	const step = 256 << 20
	n, err := p.Reader.Read(b)
	if before := p.read / step; p.t.person && (p.read+int64(n))/step > before {
		fmt.Fprintf(p.t.err, "%d MB read\n", (p.read+int64(n))>>20)
	}
	p.read += int64(n)
	return n, err
}
