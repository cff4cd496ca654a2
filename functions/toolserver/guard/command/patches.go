package command

import (
	"strconv"
	"strings"
)

var applyGrammar = grammar{valued: "pC", long: map[string]bool{
	"directory": true, "check": false, "stat": false, "numstat": false, "summary": false, "dry-run": false, "exclude": true, "include": true, "build-fake-ancestor": true, "whitespace": true,
	"reject": false, "index": false, "cached": false, "apply": false, "unsafe-paths": false,
}}

// applyPatch is git apply.
func (r *reader) applyPatch(c, whole call) {
	options, operands := c.parse(applyGrammar)
	onlyShows := given(options, "check", "stat", "numstat", "summary") && !given(options, "apply")
	if onlyShows || given(options, "cached") {
		return
	}
	r.destructive(c.program)
	if given(options, "directory", "build-fake-ancestor") {
		r.hide(whole.all())
		return
	}

	strip := 1
	if o, ok := find(options, "p"); ok {
		strip = numberOf(o.value.text)
	}
	text, ok := r.patchText(operands)
	names, plain := namesOfPatch(text, strip)
	if !ok || !plain {
		r.hide(whole.all())
		return
	}
	for _, file := range names {
		r.write(file, c.program, false, true)
	}
}

var patchGrammar = grammar{valued: "pidorBDFYzVxg", long: map[string]bool{
	"strip": true, "input": true, "directory": true, "output": true, "reject-file": true, "dry-run": false, "backup": false,
}}

// patchTool is patch, which may run ed for a patch in its form.
func patchTool(r *reader, c call) {
	outside := r.place
	defer func() { r.place = outside }()

	options, operands := c.parse(patchGrammar)
	if c.has(asksOnly...) && len(c.args) == 1 {
		return
	}
	text, ok := r.patchOf(options, operands)
	if o, is := find(options, "d", "directory"); is && o.value.word != nil {
		r.within(o.value)
	}
	if given(options, "dry-run", "C") && ok {
		return
	}

	target, isNamed := find(options, "o", "output")
	if o, is := find(options, "r", "reject-file"); is && o.value.word != nil {
		r.word(o.value.word, c.program, false)
	}
	if isNamed && target.value.word != nil {
		r.word(target.value.word, c.program, false)
		return
	}
	if len(operands) > 0 {
		r.word(operands[0].word, c.program, false)
	}

	strip := -1
	if o, is := find(options, "p", "strip"); is {
		strip = numberOf(o.value.text)
	}
	names, plain := namesOfPatch(text, strip)
	if !ok || !plain {
		r.hide(c.all())
		return
	}
	if len(operands) == 0 {
		for _, file := range names {
			r.write(file, c.program, false, true)
		}
	}
}

// patchOf is the text that patch reads.
func (r *reader) patchOf(options []option, operands []argument) (string, bool) {
	if o, ok := find(options, "i", "input"); ok {
		return r.patchText([]argument{o.value})
	}
	if len(operands) > 1 {
		return r.patchText(operands[1:])
	}
	return r.patchText(nil)
}

// patchText is the text of patches in files, or of what the command reads.
func (r *reader) patchText(files []argument) (string, bool) {
	if len(files) == 0 || len(files) == 1 && files[0].text == "-" {
		if r.input != "" && r.input != unknownText {
			return r.input, true
		}
		lines := []string{}
		for _, line := range r.feed {
			if !line.known || line.pattern {
				return "", false
			}
			lines = append(lines, line.text)
		}
		return strings.Join(lines, "\n"), len(lines) > 0
	}

	all := ""
	for _, file := range files {
		text, ok := r.scriptText(file)
		if !ok {
			return "", false
		}
		all += text + "\n"
	}
	return all, true
}

func numberOf(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// namesOfPatch are the files that a patch in the unified form changes. strip is how many folders are
// taken off its names; -1 takes all. plain is false for other forms.
func namesOfPatch(text string, strip int) (names []string, plain bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		names = append(names, namesOfLine(line, strip)...)
		plain = plain || strings.HasPrefix(line, "@@ ") || strings.HasPrefix(line, "diff --git ")
	}
	isQuoted := strings.Contains(text, "+++ \"") || strings.Contains(text, "--- \"")
	return names, plain && !isQuoted
}

// patchHeads begin the lines of a patch that name a file.
var patchHeads = []string{"--- ", "+++ ", "Index: ", "rename to ", "rename from ", "copy to "}

// namesOfLine are the files that one line of a patch names.
func namesOfLine(line string, strip int) (names []string) {
	for _, begin := range patchHeads {
		if rest, is := strings.CutPrefix(line, begin); is {
			file, _, _ := strings.Cut(rest, "\t")
			names = append(names, stripped(file, strip, begin)...)
		}
	}
	if rest, is := strings.CutPrefix(line, "diff --git "); is {
		for file := range strings.FieldsSeq(rest) {
			names = append(names, stripped(file, max(strip, 1), "")...)
		}
	}
	return names
}

// stripped is a name of a patch as it is used; with all folders taken off both forms are possible.
func stripped(file string, strip int, begin string) []string {
	if file == "/dev/null" {
		return nil
	}
	parts := strings.Split(file, "/")
	switch {
	case strings.HasPrefix(begin, "rename") || strings.HasPrefix(begin, "copy"):
		return []string{file}
	case strip < 0:
		return []string{parts[len(parts)-1], file}
	case strip < len(parts):
		return []string{strings.Join(parts[strip:], "/")}
	}
	return []string{parts[len(parts)-1]}
}
