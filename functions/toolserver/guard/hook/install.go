package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
)

// maxSettings is the size of a settings file, in bytes.
const maxSettings = 1 << 20

// Change is what an installation does to the settings of an agent.
type Change struct {
	File          string
	Before, After string // equal if the hook is installed already
	Backup        string // copy of Before, "" if there was no file
}

// Plan works out the settings with the hook in them. All that is there stays, in its
// order. The command starts the hook.
func Plan(w *workspace.Workspace, name, command string) (Change, error) {
	agent, ok := Agents[name]
	if !ok {
		return Change{}, fmt.Errorf("there is no agent %q; there are %s", name, strings.Join(Names(), ", "))
	}

	c := Change{File: agent.Settings}
	text, err := w.ReadFile(c.File, maxSettings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("%s: %w", c.File, err)
	}

	c.Before, c.After = string(text), string(text)
	settings, err := members(first(c.Before, "{}"))
	if err != nil {
		return c, fmt.Errorf("%s is not a JSON object; repair it first: %w", c.File, err)
	}
	if agent.Version && settings.get("version") == nil {
		settings.set("version", 1)
	}

	hooks, err := members(first(string(settings.get("hooks")), "{}"))
	if err != nil {
		return c, fmt.Errorf("%s: hooks is not an object: %w", c.File, err)
	}

	changed := false
	for _, event := range slices.Sorted(maps.Keys(agent.Events)) {
		put, err := putEntry(hooks, event, agent.entry(agent.Events[event], command), command)
		if err != nil {
			return c, fmt.Errorf("%s: %w", c.File, err)
		}
		changed = changed || put
	}

	for _, event := range slices.Sorted(maps.Keys(agent.Reports)) {
		told := reporting(command, event)
		put, err := putEntry(hooks, event, agent.tell(told), told)
		if err != nil {
			return c, fmt.Errorf("%s: %w", c.File, err)
		}
		changed = changed || put
	}

	if !changed {
		return c, nil
	}
	settings.set("hooks", hooks)
	c.After, err = settings.text()
	return c, err
}

// putEntry puts an entry into the list of an event, in the place of an older one that starts
// the same command. It reports whether the list changed.
func putEntry(hooks *ordered, event string, value any, command string) (bool, error) {
	var list []json.RawMessage
	if raw := hooks.get(event); raw != nil && json.Unmarshal(raw, &list) != nil {
		return false, fmt.Errorf("hooks.%s is not a list", event)
	}

	entry, err := json.Marshal(value)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(list, func(old json.RawMessage) bool { return same(old, entry) }) {
		return false, nil
	}

	older := slices.IndexFunc(list, func(old json.RawMessage) bool {
		return starts(old, command)
	})
	if older >= 0 {
		list[older] = entry
	} else {
		list = append(list, entry)
	}

	hooks.set(event, list)
	return true, nil
}

// Apply writes the settings, after a copy of the old ones.
func Apply(w *workspace.Workspace, c *Change, now time.Time) error {
	if c.Before == c.After {
		return nil
	}
	if c.Before != "" {
		c.Backup = workspace.StateDir + "/backups/" + now.UTC().Format("20060102T150405.000Z") + "-" + strings.ReplaceAll(
			strings.TrimPrefix(c.File, "."),
			"/",
			"-",
		)
		if err := w.WriteFile(c.Backup, []byte(c.Before)); err != nil {
			return err
		}
	}
	return w.WriteFile(c.File, []byte(c.After))
}

// starts reports whether an entry starts just this command.
func starts(entry json.RawMessage, command string) bool {
	var found struct {
		Command, Bash string
		Hooks         []struct{ Command string }
	}
	if json.Unmarshal(entry, &found) != nil {
		return false
	}
	if len(found.Hooks) == 1 {
		return found.Hooks[0].Command == command
	}
	return found.Command == command || found.Bash == command
}

func same(a, b json.RawMessage) bool {
	var one, two bytes.Buffer
	return json.Compact(&one, a) == nil &&
		json.Compact(&two, b) == nil &&
		bytes.Equal(one.Bytes(), two.Bytes())
}

// ordered is a JSON object that keeps the order of its members.
type ordered struct {
	names  []string
	values map[string]json.RawMessage
}

func members(text string) (*ordered, error) {
	o := &ordered{values: map[string]json.RawMessage{}}
	if err := json.Unmarshal([]byte(text), &o.values); err != nil {
		return nil, err
	}

	d := json.NewDecoder(strings.NewReader(text))
	if _, err := d.Token(); err != nil { // the brace
		return nil, err
	}

	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		o.names = append(o.names, fmt.Sprint(name))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
	}

	return o, nil
}

func (o *ordered) get(name string) json.RawMessage {
	return o.values[name]
}

func (o *ordered) set(name string, value any) {
	if _, there := o.values[name]; !there {
		o.names = append(o.names, name)
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // made of values that were read
	}
	o.values[name] = text
}

// MarshalJSON implements json.Marshaler.
func (o *ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.names {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(o.values[name])
	}
	b.WriteByte('}')

	return b.Bytes(), nil
}

func (o *ordered) text() (string, error) {
	var b bytes.Buffer
	raw, err := o.MarshalJSON()
	if err != nil {
		return "", err
	}
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return "", err
	}
	return b.String() + "\n", nil
}

// ProgramIn finds the program of an installed hook in the settings of an agent, "" if there
// is none.
func ProgramIn(settings, agent string) string {
	installed := regexp.MustCompile(`'([^']+)'( ` + Name + `)? -agent ` + regexp.QuoteMeta(agent) + ` `)
	match := installed.FindStringSubmatch(settings)
	if match == nil {
		return ""
	}
	return match[1]
}

// Reports reports whether the settings of an agent register all its reports.
func Reports(settings, agent string) bool {
	for event := range Agents[agent].Reports {
		if !strings.Contains(settings, " -event "+event) {
			return false
		}
	}
	return true
}
