package facts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"governance.internal/functions/toolserver/guard/workspace"
)

// maxFile is the size of a sink and of the file of a day, in bytes.
const maxFile = 16 << 20

// maxSlug is the length of a slug.
const maxSlug = 80

// ErrTemplate says that the workspace file names a sink that cannot be filled in.
var ErrTemplate = errors.New("session.sinks: besides {slug} and {date} a name has no braces")

// sinkOf is the file for people to which a fact is added, "" for none.
func sinkOf(sinks workspace.Sinks, f Fact) (string, error) {
	template := templateOf(sinks, f.Category)
	if template == workspace.NoSink {
		return "", nil
	}

	name := strings.NewReplacer(
		"{slug}", slug(f.Title),
		"{date}", f.Timestamp.Format(time.DateOnly),
	).Replace(template)
	if strings.ContainsAny(name, "{}") {
		return "", ErrTemplate
	}
	return path.Clean(name), nil
}

func templateOf(sinks workspace.Sinks, category string) string {
	switch category {
	case Research:
		return sinks.Research
	case Decision:
		return sinks.Decision
	case Confirmation:
		return sinks.Confirmation
	case Credential:
		return sinks.Credential
	case Contact:
		return sinks.Contact
	case Deadline:
		return sinks.Deadline
	case Partner:
		return sinks.Partner
	case APIResult:
		return sinks.APIResult
	}
	return workspace.NoSink
}

// noSlug is what a slug has a hyphen for.
var noSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slug makes a name of a file from a title: small letters, digits and hyphens. A title that
// has none of them gets a name by its digest.
func slug(title string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) { // the accent of the letter before it
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToLower(title)))

	name := noSlug.ReplaceAllString(letters, "-")
	name = strings.Trim(name, "-")
	name = strings.TrimRight(name[:min(len(name), maxSlug)], "-")
	if name != "" {
		return name
	}

	sum := sha256.Sum256([]byte(title))
	return "fact-" + hex.EncodeToString(sum[:6])
}

// paragraph is a fact as it stands in its sink. What the fact says is quoted, so that it is
// no part of the file's own text; the last line says which fact it is.
func (f Fact) paragraph() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", harmless(f.Title))

	fmt.Fprintf(&b, "%s UTC", f.Timestamp.Format("2006-01-02 15:04"))
	if f.Source != "" {
		fmt.Fprintf(&b, ", from %s", harmless(f.Source))
	}
	if len(f.Tags) > 0 {
		fmt.Fprintf(&b, "; tags: %s", harmless(strings.Join(f.Tags, ", ")))
	}
	b.WriteString("\n\n")

	for line := range strings.SplitSeq(strings.TrimSpace(f.Content), "\n") {
		quoted := "> " + harmless(line)
		b.WriteString(strings.TrimRight(quoted, " \t") + "\n")
	}
	fmt.Fprintf(&b, "\n%s\n", f.mark())
	return b.String()
}

// mark is the line by which a fact is found in its sink.
func (f Fact) mark() string {
	return "<!-- fact " + f.ID + " -->"
}

// harmless keeps a text from opening a comment of Markdown, with which tools mark the parts
// of a file that are theirs.
func harmless(text string) string {
	return strings.ReplaceAll(text, "<!--", "&lt;!--")
}

// addToSink adds a fact to its sink, unless it is there.
func (s *Store) addToSink(name string, f Fact) error {
	before, err := s.readForAppend(name)
	if err != nil {
		return err
	}
	if holds(before, f.mark()) {
		return nil
	}

	text := f.paragraph()
	switch {
	case len(before) == 0:
	case before[len(before)-1] == '\n':
		text = "\n" + text
	default:
		text = "\n\n" + text
	}
	if bytes.Contains(before, []byte("\r\n")) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return s.append(name, text, 0o644)
}

// readForAppend reads a file that grows, nothing if it does not exist.
func (s *Store) readForAppend(name string) ([]byte, error) {
	text, err := s.Workspace.ReadFile(name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}
