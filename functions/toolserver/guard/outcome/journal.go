package outcome

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/audit"
)

// Folder of the journal. Its segments are 000001.jsonl and so on; each continues the one
// before.
const folder = workspace.StateDir + "/journal"

const (
	lockName   = folder + "/lock"
	extension  = ".jsonl"
	maxSegment = 8 << 20  // bytes; then a new segment begins
	maxLine    = 64 << 10 // bytes
)

// Journal appends records and reads them. It is safe for concurrent use, also by several
// processes.
type Journal struct {
	Workspace *workspace.Workspace
	Now       func() time.Time
	Random    io.Reader
}

// position is where the journal ends.
type position struct {
	segment string // "" before the first
	size    int64
	torn    bool // the last line has no end: its writer did not finish it
	seq     uint64
	digest  string // of the last complete line
}

// Append writes a record and returns it with its place. With durable it is on the disk when
// Append returns; otherwise it survives the end of every process, but perhaps not a loss of
// power.
func (j Journal) Append(r Record, durable bool) (Record, error) {
	r, f, err := j.place(r)
	if err != nil {
		return Record{}, err
	}

	if durable { // the others need not wait for the disk
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return Record{}, fmt.Errorf("journal: %w", err)
	}
	return r, nil
}

// place gives a record the next place and writes it. The caller closes the file.
func (j Journal) place(r Record) (Record, *os.File, error) {
	unlock, err := j.lock()
	if err != nil {
		return Record{}, nil, err
	}
	defer unlock()

	at, err := j.end()
	if err != nil {
		return Record{}, nil, err
	}

	r.Seq, r.Prev, r.At = at.seq+1, at.digest, j.Now().UTC()
	if r.ID, err = audit.NewID(r.At, j.Random); err != nil {
		return Record{}, nil, err
	}

	line, err := json.Marshal(r)
	if err != nil {
		return Record{}, nil, err
	}
	if len(line) >= maxLine {
		return Record{}, nil, fmt.Errorf("journal: a record of %d bytes is too large", len(line))
	}

	f, err := j.write(at, line)
	return r, f, err
}

// Empty reports whether nothing was ever written.
func (j Journal) Empty() bool {
	names, err := j.segments()
	return err == nil && len(names) == 0
}

// write appends a line with one call of the kernel.
func (j Journal) write(at position, line []byte) (*os.File, error) {
	name := at.segment
	if name == "" {
		j.ignoreInGit()
	}
	if name == "" || at.size > maxSegment {
		name = following(at.segment)
	} else if at.torn {
		line = append([]byte("\n"), line...)
	}

	f, err := j.Workspace.OpenState(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return nil, errors.Join(fmt.Errorf("journal: %w", err), f.Close())
	}
	return f, nil
}

// ignoreInGit keeps the journal out of commits. Without it the journal is complete all the same.
func (j Journal) ignoreInGit() {
	f, err := j.Workspace.OpenState(folder+"/.gitignore", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil { // it may be there
		return
	}
	_, err = f.WriteString("*\n")
	if err = errors.Join(err, f.Close()); err != nil {
		slog.Warn("the journal is not ignored by git", "error", err.Error())
	}
}

// following is the name of the segment after another one.
func following(segment string) string {
	n := 0
	_, _ = fmt.Sscanf(path.Base(segment), "%d", &n) // 0 for the first
	return fmt.Sprintf("%s/%06d%s", folder, n+1, extension)
}

// segments are the names of all segments, in their order.
func (j Journal) segments() ([]string, error) {
	list, err := fs.ReadDir(j.Workspace.Files(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, errors.New("journal: the folder cannot be read")
	}

	var names []string
	for _, entry := range list {
		if strings.HasSuffix(entry.Name(), extension) {
			names = append(names, folder+"/"+entry.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// end finds the last complete line.
func (j Journal) end() (position, error) {
	names, err := j.segments()
	if err != nil {
		return position{}, err
	}

	for i := len(names) - 1; i >= 0; i-- {
		at, err := j.endOf(names[i])
		if err != nil {
			return position{}, err
		}
		if i < len(names)-1 { // the last segment has no complete line yet
			last := names[len(names)-1]
			at.segment, at.size, at.torn = last, 0, true
		}
		if at.seq > 0 || i == 0 {
			return at, nil
		}
	}
	return position{}, nil
}

// endOf finds the last complete line of a segment. A line that is no record is passed over:
// the next record follows the last one that is.
func (j Journal) endOf(name string) (position, error) {
	f, err := j.Workspace.OpenState(name, os.O_RDONLY, 0)
	if err != nil {
		return position{}, fmt.Errorf("journal: %w", err)
	}
	defer f.Close()

	info, err := f.Stat()
	if err != nil {
		return position{}, errors.New("journal: a segment cannot be read")
	}

	at := position{segment: name, size: info.Size()}
	for length := int64(maxLine); ; length *= 4 {
		from := max(at.size-length, 0)
		tail := make([]byte, at.size-from)
		if _, err := f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
			return position{}, errors.New("journal: a segment cannot be read")
		}

		at.torn = len(tail) > 0 && tail[len(tail)-1] != '\n'
		if from > 0 { // the first line may be cut
			_, tail, _ = bytes.Cut(tail, []byte("\n"))
		}
		if at.lastOf(tail) || from == 0 {
			return at, nil
		}
	}
}

// lastOf takes the last record of some lines.
func (at *position) lastOf(text []byte) bool {
	lines := bytes.Split(text, []byte("\n")) // the last one may have no end, and be whole all the same
	for _, line := range slices.Backward(lines) {
		if r, err := ParseRecord(line); err == nil {
			at.seq, at.digest = r.Seq, digest(line)
			return true
		}
	}
	return false
}

func digest(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}
