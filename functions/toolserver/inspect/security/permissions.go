package security

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/inspect/finding"
)

// secretLike are files that usually hold secrets.
var secretLike = []string{
	"**/.env", "**/.env.*", "**/*.pem", "**/*.key", "**/id_rsa", "**/id_ed25519", "**/id_ecdsa", "**/*.p12", "**/*.pfx",
	"**/.netrc", "**/.pgpass", "**/credentials.json", "**/.aws/credentials", "**/*.kdbx", "**/.npmrc",
}

// permissions looks for files that others of the machine can read or change.
func (a *audit) permissions(ctx context.Context, _ []string) error {
	modes, err := a.wantedModes()
	if err != nil {
		return err
	}
	secret, err := policy.CompileAll(secretLike)
	if err != nil {
		return err
	}

	for _, name := range a.files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		info, err := fs.Stat(a.tree.Workspace.Files(), name)
		if err != nil {
			continue // it vanished
		}
		a.report.Checked[Permissions]++
		mode := info.Mode().Perm()

		switch wanted, set := modes.of(name); {
		case set && mode != wanted:
			a.add(permission(name, "mode-not-as-set", finding.Error, mode, fmt.Sprintf("The workspace file wants %04o.", wanted)))
		case set:
		case mode&0o002 != 0:
			a.add(permission(name, "world-writable", finding.Error, mode, "Everybody on the machine can change it: remove the permission."))
		case mode&0o077 != 0 && secret.Match(name) && a.holdsSecret(name):
			a.add(permission(name, "secret-readable", finding.Warn, mode, "Others of the machine can read it: set 0600."))
		}
	}
	return nil
}

func permission(name, rule, severity string, mode fs.FileMode, hint string) finding.Finding {
	return finding.Finding{
		Check:    Permissions,
		Rule:     rule,
		Severity: severity,
		Path:     name,
		Message:  fmt.Sprintf("The permissions are %04o.", mode),
		Hint:     hint,
	}
}

// holdsSecret reports whether a file is more than an example or a certificate.
func (a *audit) holdsSecret(name string) bool {
	base := path.Base(name)
	for _, ending := range []string{".example", ".sample", ".template", ".dist", ".pub"} {
		if strings.HasSuffix(base, ending) {
			return false
		}
	}
	if path.Ext(name) != ".pem" && base != ".npmrc" {
		return true
	}
	text, err := a.tree.Read(name)
	if err != nil {
		return true
	}
	return bytes.Contains(text, []byte("PRIVATE KEY")) || bytes.Contains(text, []byte("_auth"))
}

// modeRule is a row of security.modes.
type modeRule struct {
	pattern policy.Pattern
	mode    fs.FileMode
}

type modeRules []modeRule

// of is the mode that a file must have.
func (r modeRules) of(name string) (fs.FileMode, bool) {
	for _, each := range r {
		if each.pattern.Match(name) {
			return each.mode, true
		}
	}
	return 0, false
}

func (a *audit) wantedModes() (modeRules, error) {
	var rules modeRules
	for _, glob := range slices.Sorted(maps.Keys(a.config.Security.Modes)) {
		text := a.config.Security.Modes[glob]
		mode, err := strconv.ParseUint(text, 8, 9)
		if err != nil {
			return nil, fmt.Errorf("security.modes: %q is no permission such as 0600", text)
		}
		pattern, err := policy.Compile(glob, false)
		if err != nil {
			return nil, fmt.Errorf("security.modes: %q: %w", glob, err)
		}
		rules = append(rules, modeRule{pattern, fs.FileMode(mode)})
	}
	return rules, nil
}
