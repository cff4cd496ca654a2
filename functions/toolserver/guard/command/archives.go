package command

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"io"
	"path"
	"slices"
	"strings"
)

// tarRuns are options through which tar runs a program or removes what it packs.
var tarRuns = []string{"--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--remove-files", "--new-volume-script", "--info-script", "--transform", "--xform", "--absolute-names"}

var tarGrammar = grammar{valued: "fCTXIFgbHKLNV", long: map[string]bool{
	"file": true, "directory": true, "extract": false, "get": false, "list": false, "create": false, "strip-components": true, "exclude": true, "files-from": true, "to-stdout": false,
	"append": false, "update": false, "compare": false, "diff": false,
}}

func tarTool(r *reader, c call) {
	options, operands := call{c.program, tarBundle(c.args)}.parse(tarGrammar)
	extracts := given(options, "x", "extract", "get")
	if runsByTar(c) || extracts && given(options, "I", "F", "P", "T", "files-from") {
		r.hide(c.all())
		return
	}

	file, _ := find(options, "f", "file")
	isWritten := file.value.word != nil && file.value.text != "-"
	switch {
	case given(options, "t", "list", "d", "compare", "diff", "O", "to-stdout"):
	case extracts:
		r.unpack(c, file.value, folderOf(options, "C", "directory"), operands, given(options, "strip-components"))
	case isWritten:
		r.word(file.value.word, c.program, false)
	}
}

// runsByTar reports whether an option makes tar run a program, or write other names.
func runsByTar(c call) bool {
	return slices.ContainsFunc(c.args, func(a argument) bool {
		return slices.ContainsFunc(tarRuns, func(begin string) bool { return strings.HasPrefix(a.text, begin) })
	})
}

// tarBundle writes the first word of the old form out: its letters are options, and the values of those
// that have one follow in their order.
func tarBundle(args []argument) []argument {
	isOldForm := len(args) > 0 && args[0].ok && !strings.HasPrefix(args[0].text, "-") // tar xf
	if !isOldForm {
		return args
	}
	values := args[1:]
	var all []argument
	for _, letter := range args[0].text {
		option := argument{literal("-" + string(letter)), "-" + string(letter), true}
		all = append(all, option)
		if strings.ContainsRune(tarGrammar.valued, letter) && len(values) > 0 {
			all = append(all, values[0])
			values = values[1:]
		}
	}
	return append(all, values...)
}

// folderOf is the value of an option for a folder, the current one by default.
func folderOf(options []option, names ...string) argument {
	if o, ok := find(options, names...); ok && o.value.word != nil {
		return o.value
	}
	return argument{literal("."), ".", true}
}

// unpack notes what an archive holds, as files in a folder. Of an archive that cannot be read any
// file in the folder may be written.
func (r *reader) unpack(c call, archive, folder argument, only []argument, stripped bool) {
	files, ok := r.packed(archive)
	if len(only) > 0 && !slices.ContainsFunc(only, func(a argument) bool { return !a.ok || hasPattern(a.text) }) {
		files, ok = []string{}, true
		for _, a := range only {
			files = append(files, a.text)
		}
	}

	folders := r.each(folder)
	if len(folders) == 0 {
		r.hide(c.all())
		return
	}
	for _, into := range folders {
		if !ok || stripped {
			r.anywhereBelow(into, c.program)
			continue
		}
		for _, file := range files {
			r.write(path.Join(into.text, file), c.program, len(only) > 0, !into.pattern)
		}
	}
}

// anywhereBelow notes that files of unknown names are written below a folder.
func (r *reader) anywhereBelow(folder name, how string) {
	if r.lost && !path.IsAbs(folder.text) || folder.pattern {
		r.unresolved(how+" "+folder.text, folder.text)
		return
	}
	r.write(folder.text, how, false, true)
	r.result.Below = append(r.result.Below, r.places(folder.text, how)...)
}

// mostPacked is how many files of an archive are looked at.
const mostPacked = 300

// packed are the names in an archive. ok is false if it cannot be read, or has a link, through which a
// file of another name may be written.
func (r *reader) packed(archive argument) (files []string, ok bool) {
	text, ok := r.scriptText(archive)
	if !ok {
		return nil, false
	}
	content := []byte(text)
	if zipped, err := zip.NewReader(bytes.NewReader(content), int64(len(content))); err == nil {
		return namesOfZip(zipped)
	}

	plain := io.Reader(bytes.NewReader(content))
	if unzipped, err := gzip.NewReader(bytes.NewReader(content)); err == nil {
		plain = unzipped
	} else if strings.HasPrefix(text, "BZh") {
		plain = bzip2.NewReader(bytes.NewReader(content))
	}
	return namesOfTar(tar.NewReader(io.LimitReader(plain, 1<<26)))
}

func namesOfZip(archive *zip.Reader) (files []string, ok bool) {
	if len(archive.File) > mostPacked {
		return nil, false
	}
	for _, file := range archive.File {
		if !file.Mode().IsRegular() && !file.Mode().IsDir() {
			return nil, false
		}
		files = append(files, file.Name)
	}
	return files, true
}

func namesOfTar(archive *tar.Reader) (files []string, ok bool) {
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return files, true
		}
		isLink := err == nil && (header.Typeflag == tar.TypeLink || header.Typeflag == tar.TypeSymlink)
		if err != nil || isLink || len(files) == mostPacked {
			return nil, false
		}
		files = append(files, header.Name)
	}
}

// unzip extracts into the current folder, or the one of -d.
func unzip(r *reader, c call) {
	if c.program != "unzip" {
		lists := len(c.args) > 0 && slices.Contains([]string{"l", "t", "v", "lb", "lt"}, c.args[0].text)
		r.hideIf(c, !lists)
		return
	}

	options, operands := c.parse(grammar{valued: "dxP"})
	if given(options, "l", "t", "v", "Z", "p", "z") || len(operands) == 0 {
		return
	}
	r.unpack(c, operands[0], folderOf(options, "d"), operands[1:], false)
}
