package operator

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"governance.internal/functions/agent-therapy/transcript"
)

// limiting matches what a person says to keep changes to named files: "only touch a.py", "do not
// change anything but a.py".
var limiting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:only|just|nothing (?:but|except)|anything (?:but|except|other than)|nothing else than)\b(?: (?:ever|please|to|in|the|file|files|touch|change|edit|modify|update|work|on|fix))*((?:[ ,]+(?:and |or )?` + "`?" + filePattern + "`?" + `)+)`)
})

var fileName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(filePattern) })

// filePattern is a file by its name with an ending, with or without folders.
const filePattern = `[\w./-]*\w\.[A-Za-z][A-Za-z0-9]{0,7}\b`

// changing are words in the names of tools that change files.
var changing = []string{"edit", "write", "patch", "replace", "create", "update", "delete", "remove", "move", "apply"}

// limits finds tools that change other files than those to which a person has limited the work. A
// later limit takes the place of an earlier one.
func (f *finder) limits() {
	var allowed []string
	for i := range f.t.Turns {
		turn := f.turn(i)
		if turn.Role == transcript.User {
			if found := limiting().FindStringSubmatch(turn.Text); found != nil {
				allowed = fileName().FindAllString(found[1], -1)
			}
			continue
		}
		for _, call := range turn.Calls {
			if other := changedBeyond(call, allowed); other != "" {
				f.add(ScopeCreep, turn, other)
			}
		}
	}
}

// changedBeyond returns the first file that a call changes and that is not allowed, "" for none.
func changedBeyond(call transcript.Call, allowed []string) string {
	name := strings.ToLower(call.Name)
	isChange := slices.ContainsFunc(changing, func(word string) bool { return strings.Contains(name, word) })
	if len(allowed) == 0 || !isChange {
		return ""
	}

	target := argumentOf(call)
	if target == "" {
		return ""
	}
	isAllowed := slices.ContainsFunc(allowed, func(file string) bool {
		return target == file || path.Base(target) == path.Base(file)
	})
	if isAllowed {
		return ""
	}
	return target
}

// pathArgument matches the argument that names the file of a call.
var pathArgument = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:file_path|path|filename|file|target_file|absolute_path)"\s*:\s*"([^"\\]+)"`)
})

func argumentOf(call transcript.Call) string {
	found := pathArgument().FindStringSubmatch(call.Arguments)
	if found == nil {
		return ""
	}
	return found[1]
}
