package outcome

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"

	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/shared/audit"
)

// Types of entries of the audit chain that are made of records, by kind.
var entryTypes = map[string]string{
	Intent:          "TOOL_INTENT",
	Outcome:         "TOOL_OUTCOME",
	SessionStarted:  "SESSION_STARTED",
	SessionEnded:    "SESSION_ENDED",
	SubagentStarted: "SUBAGENT_STARTED",
	SubagentStopped: "SUBAGENT_STOPPED",
	Stopped:         "AGENT_STOPPED",
}

// EventCounted is the entry that follows the entries of the journal and counts them. The
// signed checkpoints of the chain cover it.
const EventCounted = "HOOKS_COUNTED"

// writer is the actor of entries made of records: all that is known of them is that they
// were in the journal. The payload says who acted.
const writer = "journal"

const (
	takenName = folder + "/taken.json"
	maxTaken  = 1 << 20 // bytes
	maxBatch  = 500     // records that are appended at once
)

// Count counts the records of a boundary.
type Count struct {
	Intents  uint64 `json:"intents"`
	Outcomes uint64 `json:"outcomes"`
	Others   uint64 `json:"others"`
}

// Taken is how far the audit chain has the journal.
type Taken struct {
	Head    Head             `json:"head"`
	Segment string           `json:"segment"` // name without folder, "" at the beginning
	Offset  int64            `json:"offset"`  // bytes of the segment
	Tail    string           `json:"tail"`    // SHA-256 of the line that ends there
	Counts  map[string]Count `json:"counts"`  // by boundary
}

// Drain takes the journal into the audit chain.
type Drain struct {
	Journal Journal
	Log     *violations.Log
}

// Flush appends the new records to the chain, each once, and then their counts. A journal that
// is not what it was is recorded as a violation, and its further records are taken all the
// same.
func (d Drain) Flush(ctx context.Context) error {
	taken, err := d.Taken()
	if err != nil {
		return err
	}

	for {
		fresh, at, err := d.Journal.after(taken)
		if err != nil || len(fresh.Records)+len(fresh.Damages) == 0 {
			return err
		}
		if taken, err = d.take(ctx, fresh, at); err != nil {
			return err
		}
	}
}

// Pairs are the newest calls of agents, at most so many, oldest first.
func (d Drain) Pairs(limit int) ([]Pair, error) {
	records, err := d.Journal.Recent()
	if err != nil {
		return nil, err
	}
	pairs := Join(records, d.Journal.Now())
	return pairs[max(len(pairs)-limit, 0):], nil
}

// take appends records and writes down how far the chain has them.
func (d Drain) take(ctx context.Context, fresh Reading, at Taken) (Taken, error) {
	for _, damage := range fresh.Damages {
		if _, err := d.Log.Record(ctx, writer, violations.ForgedRecord, map[string]any{
			"id":   fmt.Sprintf("%s:%d", damage.Segment, damage.Line),
			"type": "journal",
			"why":  damage.Why,
		}); err != nil {
			return at, err
		}
	}

	counts := map[string]Count{}
	maps.Copy(counts, at.Counts)
	var events []audit.Event
	for _, r := range fresh.Records {
		events = append(events, eventOf(r))
		counts[r.Boundary] = counts[r.Boundary].Plus(r.Kind)
	}
	if err := d.append(ctx, events); err != nil {
		return at, err
	}

	at.Counts = counts
	if err := d.Log.Note(ctx, writer, EventCounted, map[string]any{
		"records":     at.Head.Seq,
		"last_sha256": at.Head.Digest,
		"boundaries":  counts,
		"damages":     len(fresh.Damages),
	}); err != nil {
		return at, err
	}
	return at, d.save(at)
}

// Plus counts one more record.
func (c Count) Plus(kind string) Count {
	switch kind {
	case Intent:
		c.Intents++
	case Outcome:
		c.Outcomes++
	default:
		c.Others++
	}
	return c
}

// eventOf is a record as the chain takes it.
func eventOf(r Record) audit.Event {
	kind, known := entryTypes[r.Kind]
	if !known { // of a later version, or made up
		kind = "HOOK_RECORD"
	}
	return audit.Event{
		ID:      r.ID,
		Actor:   writer,
		Type:    kind,
		Payload: r,
	}
}

// append appends events, and each for itself if the chain refuses one of them.
func (d Drain) append(ctx context.Context, events []audit.Event) error {
	if len(events) == 0 {
		return nil
	}
	_, err := d.Log.Trail.Append(ctx, events...)
	if err == nil || !refused(err) {
		return err
	}

	for _, event := range events {
		_, err := d.Log.Trail.Append(ctx, event)
		if err != nil && !refused(err) {
			return err
		}
		if err == nil {
			continue
		}
		if _, err := d.Log.Record(ctx, writer, violations.ForgedRecord, map[string]any{
			"id":   event.ID,
			"type": event.Type,
			"why":  "the chain does not take it",
		}); err != nil {
			return err
		}
	}
	return nil
}

// refused reports whether the chain refuses an event for good.
func refused(err error) bool {
	return errors.Is(err, audit.ErrIDReused) ||
		errors.Is(err, audit.ErrTooLarge) ||
		errors.Is(err, audit.ErrProfile)
}

// Taken is how far the chain has the journal, as the server wrote down last.
func (d Drain) Taken() (Taken, error) {
	text, err := d.Journal.Workspace.ReadFile(takenName, maxTaken)
	if errors.Is(err, fs.ErrNotExist) {
		return Taken{}, nil
	} else if err != nil {
		return Taken{}, fmt.Errorf("journal: %w", err)
	}

	var taken Taken
	if json.Unmarshal(text, &taken) != nil || taken.Offset < 0 { // begin again: no entry is appended twice
		return Taken{}, nil
	}
	return taken, nil
}

func (d Drain) save(taken Taken) error {
	text, err := json.Marshal(taken)
	if err != nil {
		return err
	}
	return d.Journal.Workspace.WriteFile(takenName, append(text, '\n'))
}

// after reads the complete lines behind a place, at most a batch of them, and says which
// place follows.
func (j Journal) after(taken Taken) (Reading, Taken, error) {
	names, err := j.segments()
	if err != nil {
		return Reading{}, Taken{}, err
	}

	fresh := Reading{Head: taken.Head}
	at := taken
	if at.Segment != "" && !j.endsWith(at) {
		fresh.damage(at.Segment, 0, fmt.Sprintf("the journal was cut or rewritten before record %d", at.Head.Seq+1))
		fresh.Head, at = Head{}, Taken{} // what the chain has already it does not take again
	}

	for _, name := range names {
		base := path.Base(name)
		if base < at.Segment || len(fresh.Records) >= maxBatch {
			continue
		}
		if base > at.Segment {
			at.Segment, at.Offset = base, 0
		}

		text, err := j.from(name, at.Offset)
		if err != nil {
			return Reading{}, Taken{}, err
		}
		text = text[:bytes.LastIndexByte(text, '\n')+1]
		text = firstLines(text, maxBatch-len(fresh.Records))

		if len(text) > 0 {
			fresh.add(name, text)
			at.Offset += int64(len(text))
			at.Tail = digest(lastLine(text))
		}
	}

	at.Head = fresh.Head
	return fresh, at, nil
}

func firstLines(text []byte, n int) []byte {
	end := 0
	for line := range bytes.Lines(text) {
		if n == 0 {
			break
		}
		n--
		end += len(line)
	}
	return text[:end]
}

// from reads a segment from an offset on.
func (j Journal) from(name string, offset int64) ([]byte, error) {
	f, err := j.Workspace.OpenState(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	defer f.Close()

	text, err := io.ReadAll(io.NewSectionReader(f, offset, maxSegment+maxLine))
	if err != nil {
		return nil, errors.New("journal: a segment cannot be read")
	}
	return text, nil
}

// endsWith reports whether the line that ends at a place is still the one that was taken.
func (j Journal) endsWith(at Taken) bool {
	f, err := j.Workspace.OpenState(folder+"/"+at.Segment, os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close()

	tail := make([]byte, min(at.Offset, maxLine))
	if _, err := f.ReadAt(tail, at.Offset-int64(len(tail))); err != nil {
		return false
	}
	return digest(lastLine(tail)) == at.Tail
}

// lastLine is the last line of a text, without its newline.
func lastLine(text []byte) []byte {
	line := bytes.TrimSuffix(text, []byte("\n"))
	return line[bytes.LastIndexByte(line, '\n')+1:]
}
