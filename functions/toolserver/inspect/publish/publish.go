// Package publish looks at what would leave the house: the files that a package, a module or
// an image ships, and what in them should stay at home.
package publish

import (
	"context"
	"fmt"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/tree"
	"governance.internal/shared/secretscan/filescan"
)

// Classes of findings.
const (
	Secret   = "hardcoded_secret"
	Personal = "personal_data"
	Path     = "hardcoded_path"
	Internal = "internal_naming"
)

// Finding is one place that should not be published.
type Finding struct {
	finding.Finding
	Class string `json:"class"`
}

// Report is what an audit found.
type Report struct {
	Basis    string // what says which files ship
	Files    int
	Findings []Finding
	Skipped  []finding.Skipped
}

// Run looks at the files that would ship, below a folder, or at one file.
func Run(ctx context.Context, t *tree.Tree, below, single string) (Report, error) {
	basis, files, err := shipped(ctx, t, below, single)
	if err != nil {
		return Report{}, err
	}

	r := &reader{
		config: t.Config.PrePublish,
		report: Report{
			Basis:    basis,
			Findings: []Finding{},
			Skipped:  []finding.Skipped{},
		},
	}
	for _, name := range files {
		if ctx.Err() != nil {
			return r.report, ctx.Err()
		}
		if name == workspace.FileName {
			continue // it names paths and hosts on purpose
		}
		text, err := t.Read(name)
		if err != nil {
			r.report.Skipped = append(r.report.Skipped, finding.Skipped{
				Check:  name,
				Reason: err.Error(),
			})
			continue
		}
		r.report.Files++
		r.file(name, text)
	}
	return r.complete(), nil
}

// reader looks through files.
type reader struct {
	config workspace.PrePublish
	report Report
}

// complete gives every finding its fingerprint.
func (r *reader) complete() Report {
	plain := make([]finding.Finding, len(r.report.Findings))
	classes := map[string]string{}
	for i, f := range r.report.Findings {
		plain[i] = f.Finding
		classes[f.Rule] = f.Class
	}
	r.report.Findings = r.report.Findings[:0]
	for _, f := range finding.Complete(plain) {
		r.report.Findings = append(r.report.Findings, Finding{f, classes[f.Rule]})
	}
	return r.report
}

func (r *reader) add(class, rule, severity, name string, line int, evidence, message, hint string) {
	if slices.ContainsFunc(r.config.Allow, func(allowed string) bool { return allowed != "" && strings.Contains(evidence, allowed) }) {
		return
	}
	shown := evidence
	if class == Secret || class == Personal {
		shown = mask.Secret(evidence)
	}
	r.report.Findings = append(r.report.Findings, Finding{
		Finding: finding.Finding{
			Check:    "publish",
			Rule:     rule,
			Severity: severity,
			Path:     name,
			Line:     line,
			Message:  message,
			Hint:     hint,
			Evidence: shown,
			Key:      shown,
		},
		Class: class,
	})
}

// isCode reports whether a path in a file is used, and not only told.
func isCode(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".mdx", ".rst", ".adoc", ".txt":
		return false
	}
	return true
}

// isLicence reports whether a file names its authors on purpose.
func isLicence(name string) bool {
	base := strings.ToUpper(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	return slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS", "CONTRIBUTORS", "MAINTAINERS", "CODEOWNERS"}, base)
}

func (r *reader) file(name string, text []byte) {
	found, sealed := filescan.Scan(name, text)
	for _, f := range found {
		severity := f.Severity
		r.add(Secret, f.Rule, severity, name, f.Line, string(text[f.Start:f.End]),
			"A credential would be published.", "Revoke it, and read the new one from the environment.")
	}
	if sealed != "" || isLicence(name) {
		return
	}

	for number, line := range strings.Split(string(text), "\n") {
		if len(line) > maxLine { // generated
			continue
		}
		r.paths(name, number+1, line)
		r.personal(name, number+1, line)
		r.internal(name, number+1, line)
	}
}

// maxLine bounds a line that people wrote, in bytes.
const maxLine = 2000

// homes are folders of one person on one machine.
var homes = regexp.MustCompile(`(?:^|[\s"'=:(,\x60\[])((?:/home/|/Users/)[A-Za-z0-9_][\w.-]*|/root/[\w.-]+|[A-Za-z]:\\{1,2}Users\\{1,2}[\w.-]+)`)

// commonHomes are names that examples and images have.
var commonHomes = []string{
	"/home/user", "/home/username", "/home/you", "/home/me", "/home/node", "/home/app", "/home/ubuntu", "/home/runner",
	"/home/vscode", "/home/coder", "/home/nonroot", "/Users/you", "/Users/me", "/Users/user", "/Users/username", "/Users/Shared",
	"/Users/yourname", "/home/yourname", "/home/name", "/Users/name", "/home/linuxbrew", "/home/jovyan", "/home/gitpod",
	"/home/alice", "/home/bob", "/Users/alice", "/Users/bob", "/home/jenkins", "/home/git", "/home/x", "/Users/x",
}

func (r *reader) paths(name string, number int, line string) {
	for _, found := range homes.FindAllStringSubmatch(line, -1) {
		folder := found[1]
		if slices.Contains(commonHomes, folder) || strings.HasSuffix(strings.ToLower(folder), `\username`) || strings.HasSuffix(strings.ToLower(folder), `\user`) {
			continue
		}
		severity := finding.Error
		if !isCode(name) {
			severity = finding.Warn
		}
		r.add(Path, "home-folder", severity, name, number, folder,
			"The path "+folder+" is of one machine.", "Use a path relative to the project, or a setting.")
	}
}

var (
	mail   = regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`)
	phone  = regexp.MustCompile(`(?:^|[\s"'(:,=>])(\+[1-9][0-9]{0,2}[ ./()-]{0,2}(?:[0-9][ ./()-]{0,2}){7,12}[0-9]|\(?[2-9][0-9]{2}\)?[ .-][2-9][0-9]{2}[ .-][0-9]{4})(?:$|[\s"'),;.<])`)
	iban   = regexp.MustCompile(`\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b`)
	street = regexp.MustCompile(`\b[A-ZÄÖÜ][\p{L}.-]*(?:straße|strasse|str\.|weg|gasse|platz|allee)\s+[0-9]{1,4}[a-z]?\b|\b[0-9]{1,5}\s+(?:[A-Z][a-z]+\s){1,3}(?:Street|Avenue|Road|Boulevard|Lane|Drive|Court)\b`)
	v4     = regexp.MustCompile(`(?:^|[^\w.-])([0-9]{1,3}(?:\.[0-9]{1,3}){3})(?:$|[^\w.-]|\.(?:$|\s))`)
)

// serviceMails are addresses that are meant to be published, or are no addresses.
var serviceMails = regexp.MustCompile(`(?i)^(noreply|no-reply|support|info|contact|hello|security|admin|sales|help|git|bot|abuse|privacy|legal|press|team|dev|user|you|me|name|someone|test|root|postmaster|webmaster|opensource|maintainers?)@|@(example\.|test\.|localhost|users\.noreply\.github\.com|[\w.-]*\.(example|test|invalid|local|internal)$|sentry\.io|ingest\.|email\.com$|domain\.|yourdomain|company\.com$|mail\.com$)|@[\w-]+\.(png|jpg|svg|js|css|iam|gserviceaccount)|\.(png|jpg|svg|js|ts|css)$|gserviceaccount\.com$`)

const leaveOut = "Leave personal data out of what is published."

// personal looks for what is about a person.
func (r *reader) personal(name string, number int, line string) {
	r.mails(name, number, line)
	for _, found := range phone.FindAllStringSubmatch(line, -1) {
		if !isPlayNumber(found[1]) {
			r.add(Personal, "phone", finding.Error, name, number, found[1], "A phone number would be published.", leaveOut)
		}
	}

	for _, found := range iban.FindAllString(line, -1) {
		if isIBAN(found) {
			r.add(Personal, "iban", finding.Error, name, number, found, "A bank account would be published.", leaveOut)
		}
	}
	for _, found := range street.FindAllString(line, -1) {
		r.add(Personal, "street-address", finding.Error, name, number, found, "A street address would be published.", leaveOut)
	}
	r.addresses(name, number, line)
}

// mails looks for the addresses of people. The login of a URL, and of git over SSH, has the
// same form.
func (r *reader) mails(name string, number int, line string) {
	if strings.Contains(line, "git@") {
		return
	}
	for _, address := range mail.FindAllString(line, -1) {
		isLogin := strings.Contains(line, "://") && strings.Contains(line, ":"+address)
		if isLogin || serviceMails.MatchString(address) {
			continue
		}
		r.add(Personal, "email", finding.Error, name, number, address, "The address of a person would be published.", leaveOut)
	}
}

// isPlayNumber reports whether a phone number is one of those for films and examples.
func isPlayNumber(number string) bool {
	digits := strings.Map(onlyDigits, number)
	return strings.Contains(digits, "555") || strings.Contains(digits, "1234567") || strings.Contains(digits, "0000000") || len(digits) > 15
}

func onlyDigits(r rune) rune {
	if r < '0' || r > '9' {
		return -1
	}
	return r
}

// isIBAN checks the two check digits (ISO 13616).
func isIBAN(text string) bool {
	text = strings.ReplaceAll(text, " ", "")
	if len(text) < 15 || len(text) > 34 {
		return false
	}
	remainder := 0
	for _, c := range text[4:] + text[:4] {
		switch {
		case c >= '0' && c <= '9':
			remainder = (remainder*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z':
			remainder = (remainder*100 + int(c-'A') + 10) % 97
		default:
			return false
		}
	}
	return remainder == 1
}

// documentation are networks for examples (RFC 5737), and names of resolvers that everybody
// knows.
var documentation = []string{"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "100.64.0.0/10", "198.18.0.0/15", "0.0.0.0/8", "240.0.0.0/4", "8.8.8.8/32", "8.8.4.4/32", "1.1.1.1/32", "1.0.0.1/32", "9.9.9.9/32"}

var versionWord = regexp.MustCompile(`(?i)version|\bv[0-9]|release|==|>=|~=|\^|oid|section|\bdns\b`)

func (r *reader) addresses(name string, number int, line string) {
	if versionWord.MatchString(line) {
		return
	}
	for _, found := range v4.FindAllStringSubmatch(line, -1) {
		address, err := netip.ParseAddr(found[1])
		if err != nil || !isPublic(address) {
			continue
		}
		r.add(Personal, "ip-address", finding.Error, name, number, found[1], "The public address of a machine would be published.", "Use a name, or a setting.")
	}
}

func isPublic(address netip.Addr) bool {
	if address.IsPrivate() || address.IsLoopback() || address.IsLinkLocalUnicast() || address.IsMulticast() || address.IsUnspecified() {
		return false
	}
	return !slices.ContainsFunc(documentation, func(text string) bool {
		return netip.MustParsePrefix(text).Contains(address)
	})
}

// internalHost is a name that only a network at home resolves.
var internalHost = regexp.MustCompile(`(?i)\b(?:[a-z0-9][a-z0-9-]*\.)+(?:internal|corp|lan|intranet)\b|\b[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.local\b`)

// knownInternal are names that programs have everywhere.
var knownInternal = []string{"host.docker.internal", "gateway.docker.internal", "metadata.google.internal", "kubernetes.docker.internal", "cluster.local", "svc.cluster.local", "example.internal", "example.local", "foo.local", "settings.local", "compute.internal", "ec2.internal"}

func (r *reader) internal(name string, number int, line string) {
	for _, found := range internalHost.FindAllStringIndex(line, -1) {
		host := strings.ToLower(line[found[0]:found[1]])
		known := slices.ContainsFunc(knownInternal, func(each string) bool { return strings.HasSuffix(host, each) })
		if known || !isHost(line, found[0], found[1]) {
			continue
		}
		r.add(Internal, "internal-host", finding.Warn, name, number, host, "The name "+host+" is of a network at home.", "Use a setting, or a name that others have, too.")
	}
	for _, term := range r.config.DenyTerms {
		if term != "" && strings.Contains(strings.ToLower(line), strings.ToLower(term)) {
			r.add(Internal, "denied-term", finding.Warn, name, number, term, fmt.Sprintf("The term %q is not to be published.", term), "Use another word.")
		}
	}
}

// isHost reports whether a name stands where hosts stand: after a scheme or an at sign, in
// quotes alone, or before a port. In code, a.internal is a member of a, and in a path it is a
// folder.
func isHost(line string, start, end int) bool {
	before, after := line[:start], line[end:]
	afterScheme := strings.HasSuffix(before, "://") || strings.HasSuffix(before, "@")
	if afterScheme || regexpPort.MatchString(after) {
		return true
	}
	if regexpQuoteEnd.MatchString(before) && regexpQuoteBegin.MatchString(after) {
		return true
	}
	return regexpAssigned.MatchString(before) && regexpEnd.MatchString(after)
}

var (
	regexpQuoteEnd   = regexp.MustCompile("[\"'`]$")
	regexpQuoteBegin = regexp.MustCompile("^[\"'`]")
	regexpEnd        = regexp.MustCompile(`^(?:$|[ \t\r,;/:])`)

	regexpPort     = regexp.MustCompile(`^:[0-9]{2,5}\b`)
	regexpAssigned = regexp.MustCompile(`(?i)(?:host|server|domain|url|endpoint|address|upstream|proxy_pass)[\w-]*["']?\s*[:=]?\s*$`)
)
