package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/work/killswitch"
	auditfile "governance.internal/shared/audit/file"
	"governance.internal/shared/wiring"
)

const (
	killLimit  = time.Minute // for an answer
	mostAnswer = 4 << 20     // bytes of it
)

// killOrder is a parsed kill command.
type killOrder struct {
	url, data, secretFile string
	reason, scope         string
	resume, restore       bool
}

func killCommand(t terminal) *cobra.Command {
	o := killOrder{}
	c := command("kill", "Halt all work, or lift the halt with --resume",
		examples(
			`governance kill --reason "agent deletes files"`, "halt everything",
			`governance kill --reason "reviewed" --resume`, "lift the halt",
		),
		func(ctx context.Context, args []string) error {
			if err := o.check(args); err != nil {
				return err
			}
			return o.run(ctx, t)
		})
	set := c.Flags()
	set.StringVar(&o.reason, "reason", "", "`text` of 3 to 500 characters for the audit trail")
	set.StringVar(&o.scope, "scope", "all", "`part` to end: "+strings.Join(killswitch.Scopes, ", "))
	set.BoolVar(&o.resume, "resume", false, "lift the halt instead")
	set.BoolVar(&o.restore, "restore", false, "with --resume: start again what was stopped at other providers")
	set.StringVar(&o.url, "url", defaultBase(), "`address` of the service")
	set.StringVar(&o.data, "data", defaultData, "`directory` of the service on this machine")
	set.StringVar(
		&o.secretFile,
		"secret",
		"",
		"`file` with the kill secret; by default KILL_SECRET, or the secret in the data directory",
	)

	scopes := cobra.FixedCompletions(killswitch.Scopes, cobra.ShellCompDirectiveNoFileComp)
	_ = c.RegisterFlagCompletionFunc("scope", scopes) // fails only for an unknown flag
	return c
}

// run halts everything, or with --resume lifts the halt: at a running service, or in the
// data directory if no service answers on this machine. A service that starts there
// honours the halt.
func (o killOrder) run(ctx context.Context, t terminal) error {
	secret, err := o.secret()
	if err != nil {
		return exit{2, err}
	}

	answer, status, err := o.send(ctx, secret)
	if errors.Is(err, syscall.ECONNREFUSED) && allLoopback([]string{o.url}) {
		return o.direct(ctx, t)
	}
	if err != nil {
		return exit{1, fmt.Errorf("the service does not answer: %w", err)}
	}

	return o.tell(t, answer, status)
}

func (o killOrder) check(rest []string) error {
	if err := noArguments("kill", rest); err != nil {
		return err
	}

	length := utf8.RuneCountInString(o.reason)
	if length < 3 || length > 500 {
		return usage("kill needs --reason with 3 to 500 characters")
	}

	if !slices.Contains(killswitch.Scopes, o.scope) {
		return usage("--scope is one of %s", strings.Join(killswitch.Scopes, ", "))
	}
	if o.restore && !o.resume {
		return usage("--restore goes with --resume")
	}

	u, err := url.Parse(o.url)
	if err != nil || u.Host == "" {
		return usage("--url %q is not an address", o.url)
	}
	return checkScheme(u)
}

// secret reads the secret. It is never an argument, because other users can see those.
func (o killOrder) secret() (string, error) {
	file := o.secretFile
	if secret := os.Getenv("KILL_SECRET"); secret != "" && file == "" {
		return secret, nil
	}
	if file == "" {
		file = killSecretFile(o.data)
	}

	text, err := os.ReadFile(file)
	if err != nil {
		return "", errors.New("there is no kill secret: set KILL_SECRET, or name its file with --secret, or the data directory with --data")
	}
	return strings.TrimSpace(string(text)), nil
}

// send asks POST /kill.
func (o killOrder) send(ctx context.Context, secret string) (answer []byte, status int, err error) {
	members := map[string]any{"reason": o.reason}
	if o.resume {
		members["resume"] = true
		if o.restore {
			members["restore"] = true
		}
	} else {
		members["scope"] = o.scope
	}

	body, err := json.Marshal(members)
	if err != nil {
		return nil, 0, err
	}

	ctx, cancel := context.WithTimeout(ctx, killLimit)
	defer cancel()

	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(o.url, "/")+"/kill",
		bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}

	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+secret)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	response, err := client.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()

	answer, err = io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	return answer, response.StatusCode, err
}

// tell prints the answer. The exit status is 0 only if the order was carried out completely.
func (o killOrder) tell(t terminal, answer []byte, status int) error {
	var said struct {
		Complete, Resumed bool
		Survivors         []killswitch.Survivor
		Restored          []struct{ OK bool }
		Error             struct{ Message, Hint string }
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return exit{1, fmt.Errorf("the address answers with status %d, which is not the answer of a kill switch", status)}
	}
	if status != http.StatusOK {
		return exit{1, errors.New(printable(strings.TrimSpace(said.Error.Message + " " + said.Error.Hint)))}
	}

	var pretty bytes.Buffer
	if err := json.Indent(&pretty, answer, "", "  "); err != nil {
		return err
	}

	fmt.Fprintln(t.out, strings.TrimSpace(pretty.String()))
	switch {
	case o.resume && !said.Resumed && !o.restore:
		fmt.Fprintln(t.err, "nothing was halted")
	case o.resume &&
		slices.ContainsFunc(said.Restored, func(r struct{ OK bool }) bool {
			return !r.OK
		}):
		return exit{1, errors.New("the halt is lifted, but some processes did not start again")}
	case !o.resume && !said.Complete:
		return exit{1, fmt.Errorf("everything is halted, but %d processes survive, or it is unknown whether they ended", len(said.Survivors))}
	}

	return nil
}

// direct halts, or lifts the halt, in the data directory, because no service answers.
func (o killOrder) direct(ctx context.Context, t terminal) error {
	if info, err := os.Stat(o.data); err != nil || !info.IsDir() {
		return exit{1, fmt.Errorf("no service answers at %s, and %s is not a data directory: name the service with --url or its directory with --data",
			o.url, o.data)}
	}
	if o.resume && !t.person {
		return exit{2, fmt.Errorf("no service answers at %s; without a service only a person at a terminal can lift a halt", o.url)}
	}

	trail, err := auditfile.Open(o.data, wiring.ChainName, auditfile.Options{})
	if err != nil {
		return err
	}

	flag := killswitch.Open(o.data, nil, trail, time.Now, rand.Reader, killswitch.Stops{})
	if o.resume {
		err = o.lift(ctx, t, flag)
	} else {
		err = o.halt(ctx, t, flag)
	}
	return errors.Join(err, trail.Close())
}

// lift lifts the halt of a data directory.
func (o killOrder) lift(ctx context.Context, t terminal, flag *killswitch.Switch) error {
	lifted, err := flag.Lift(ctx, o.reason, "command line")
	if err != nil {
		return err
	}

	if lifted.Resumed {
		fmt.Fprintln(t.err, "the halt is lifted; no service answers at", o.url)
	} else {
		fmt.Fprintln(t.err, "nothing was halted")
	}
	return nil
}

// halt writes the halt into a data directory. A service that works there reads it within
// seconds.
func (o killOrder) halt(ctx context.Context, t terminal, flag *killswitch.Switch) error {
	halt := flag.Activate(ctx, killswitch.Order{
		Reason: o.reason,
		Scope:  o.scope,
		Source: "command line",
	})
	if !halt.Kept {
		return exit{1, fmt.Errorf("no service answers at %s, and the halt cannot be written into %s: nothing is halted",
			o.url, o.data)}
	}

	fmt.Fprintf(t.err, "no service answers at %s; the halt is written into %s. A service that uses this directory ends its work within seconds, and one that starts there starts no work\n",
		o.url, o.data)
	return nil
}
