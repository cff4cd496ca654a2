package outcome

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// Reading is the journal as it was read.
type Reading struct {
	Records []Record
	Damages []Damage // in the order of the journal
	Head    Head     // after the last record
}

// Head is where the journal ends.
type Head struct {
	Seq    uint64 `json:"seq"`
	Digest string `json:"digest"` // SHA-256 of the last line
}

// Damage is a place where the journal is not as it was written.
type Damage struct {
	Segment string `json:"segment"`
	Line    int    `json:"line"`
	Why     string `json:"why"`
}

// maxRead is how much of the journal is read, in bytes.
const maxRead = 1 << 30

// Read reads the whole journal. A damaged line is reported and passed over. Records are
// missing at the end without a trace if somebody cut them off; the audit chain knows better.
func (j Journal) Read() (Reading, error) {
	names, err := j.segments()
	if err != nil {
		return Reading{}, err
	}

	var all Reading
	total := int64(0)
	for i, name := range names {
		text, err := j.text(name, maxRead-total)
		if err != nil {
			return Reading{}, err
		}
		total += int64(len(text))

		wanted := fmt.Sprintf("%06d%s", i+1, extension)
		if path.Base(name) != wanted {
			all.damage(name, 0, "the segment before it is missing")
		}
		all.add(name, text)
	}
	return all, nil
}

// recentSegments are so many that they hold more than the longest session.
const recentSegments = 2

// Recent are the records of the last segments, at least 8 MiB of them if there are so many.
// They are not checked.
func (j Journal) Recent() ([]Record, error) {
	names, err := j.segments()
	if err != nil {
		return nil, err
	}

	var last Reading
	for _, name := range names[max(len(names)-recentSegments, 0):] {
		text, err := j.text(name, maxRead)
		if err != nil {
			return nil, err
		}
		last.add(name, text)
	}
	return last.Records, nil
}

func (j Journal) text(name string, limit int64) ([]byte, error) {
	f, err := j.Workspace.OpenState(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	defer f.Close()

	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, errors.New("journal: a segment cannot be read")
	}
	if int64(len(text)) > limit {
		return nil, errors.New("journal: it is too large to be read; move old segments away after a server took them into the chain")
	}
	return text, nil
}

// add takes the lines of a segment.
func (all *Reading) add(name string, text []byte) {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		content, ended := bytes.CutSuffix(line, []byte("\n"))
		if len(bytes.TrimSpace(content)) == 0 {
			continue
		}

		record, err := ParseRecord(content)
		switch {
		case err != nil && !ended:
			all.damage(name, number, "the line has no end: its writer did not finish it")
			continue
		case err != nil:
			all.damage(name, number, err.Error())
			continue
		case record.Seq != all.Head.Seq+1:
			all.damage(name, number, fmt.Sprintf("record %d follows record %d", record.Seq, all.Head.Seq))
		case record.Prev != all.Head.Digest:
			all.damage(name, number, fmt.Sprintf("the record before record %d was changed", record.Seq))
		}

		all.Records = append(all.Records, record)
		all.Head = Head{
			Seq:    record.Seq,
			Digest: digest(content),
		}
	}
}

func (all *Reading) damage(segment string, line int, why string) {
	all.Damages = append(all.Damages, Damage{
		Segment: path.Base(segment),
		Line:    line,
		Why:     why,
	})
}
