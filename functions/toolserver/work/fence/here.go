package fence

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/work/fence/egress"
)

// here is the project of the present folder, and what listens for the program behind the fence.
type here struct {
	dir    string // in which the program starts
	folder string // that is governed: this one, or one above
	files  *workspace.Workspace
	log    *violations.Log
	broker *broker.Broker
	since  time.Time
}

func openHere(o Options) (h here, err error) {
	h.since = time.Now()
	if h.dir, err = os.Getwd(); err != nil {
		return h, err
	}
	if h.folder, err = filepath.Abs(workspace.Governed()); err != nil {
		return h, err
	}
	data := filepath.Join(h.folder, workspace.DataDir)
	if h.files, err = workspace.Open(h.folder, data); err != nil {
		return h, err
	}
	h.log = &violations.Log{Workspace: h.files, Now: time.Now, Random: rand.Reader}

	if h.broker, err = broker.Serve(o.Outside(h.folder)); errors.Is(err, errors.ErrUnsupported) {
		return h, nil // no fence can stand here either
	}
	if err != nil {
		return h, errors.Join(err, h.files.Close())
	}
	return h, nil
}

func (h here) close() {
	_ = h.files.Close() // only read from
	if h.broker != nil {
		_ = h.broker.Close() // nobody asks any more
	}
}

func (h here) plan(program []string) (Plan, error) {
	home, _ := os.UserHomeDir() // without one nothing in it needs a fence
	wish := Wish{
		Folder:  h.folder,
		Dir:     h.dir,
		Home:    home,
		Program: program,
	}
	if h.broker != nil {
		wish.Broker = h.broker.Folder()
	}
	return PlanOf(h.files, wish)
}

// journal records what the proxy decides, and tells refusals.
func (h here) journal(ctx context.Context, stderr io.Writer) *egress.Journal {
	record := func(event string, detail map[string]any) {
		if event == egress.EventRefused {
			fmt.Fprintf(stderr, "governance run: %v:%v is not reached: %v\n", detail["host"], detail["port"], detail["why"])
		}
		if err := h.log.Note(ctx, "fence", event, detail); err != nil {
			fmt.Fprintf(stderr, "governance run: a decision about the network is not on the record: %v\n", err)
		}
	}
	return &egress.Journal{Record: record}
}

// tellNew tells and records which governed names were made, which no mount could hold.
func (h here) tellNew(ctx context.Context, p Plan, stderr io.Writer) {
	names, err := NewNames(h.files, p)
	if err != nil {
		fmt.Fprintf(stderr, "governance run: whether governed files were made is not known: %v\n", err)
	}

	approvals := &approval.Book{Workspace: h.files, Now: time.Now}
	for _, name := range names {
		if approvals.UsedSince(name, h.since) {
			continue
		}
		fmt.Fprintf(stderr, "governance run: a governed file was made: %s\n", name)
		_, err := h.log.Record(ctx, "fence", violations.GuardBypassed, map[string]any{
			"path":   name,
			"change": "created",
			"why":    "a fence holds no name that is not there when it is built",
		})
		if err != nil {
			fmt.Fprintf(stderr, "governance run: that is not on the record: %v\n", err)
		}
	}
}
