package command

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// outputTo notes the value of one short option, and of those that speak of output.
func outputTo(letter string) effect {
	g := grammar{valued: letter, long: map[string]bool{"output": true, "out": true}}
	return func(r *reader, c call) {
		if c.program == "ssh-keygen" && c.has("-l", "-y", "-F", "-lf") {
			return
		}
		options, _ := c.parse(g)
		for _, o := range options {
			if (o.name == letter || o.name == "output" || o.name == "out") && o.value.word != nil {
				r.word(o.value.word, c.program, false)
			}
		}
	}
}

// openssl has long options with one dash.
func openssl(r *reader, c call) {
	for i, a := range c.args[:max(len(c.args)-1, 0)] {
		if slices.Contains([]string{"-out", "-keyout", "-writerand", "-CAserial", "-certsout", "-sigfile"}, strings.Replace(a.text, "--", "-", 1)) {
			r.word(c.args[i+1].word, c.program, false)
		}
	}
}

var curlGrammar = grammar{valued: "oDcbdHXFuTKeAmwxErCtyYzPQ", long: map[string]bool{
	"output": true, "output-dir": true, "dump-header": true, "cookie-jar": true, "config": true, "remote-name": false, "remote-name-all": false, "trace": true, "trace-ascii": true, "stderr": true,
	"etag-save": true, "hsts": true, "libcurl": true, "remote-header-name": false,
}}

func curl(r *reader, c call) {
	options, _ := c.parse(curlGrammar)
	dir := ""
	if o, ok := find(options, "output-dir"); ok && o.value.word != nil {
		if !o.value.ok {
			r.hide(c.all())
			return
		}
		dir = o.value.text + "/"
	}

	for _, o := range options {
		switch o.name {
		case "o", "output", "D", "dump-header", "c", "cookie-jar", "trace", "trace-ascii", "stderr", "etag-save", "hsts", "libcurl":
			switch {
			case o.value.word == nil:
				r.hide(c.all())
			case dir == "" && o.value.text != "-":
				r.word(o.value.word, c.program, false)
			case dir != "":
				r.write(dir+o.value.text, c.program, false, o.value.ok)
			}
		case "O", "J", "remote-name", "remote-name-all", "remote-header-name", "K", "config":
			r.hide(c.all())
		}
	}
}

var wgetGrammar = grammar{valued: "OPioaUeBtTwQ", long: map[string]bool{"output-document": true, "directory-prefix": true, "input-file": true, "output-file": true, "append-output": true, "recursive": false, "mirror": false, "spider": false, "execute": true, "use-askpass": true}}

// wget writes what it gets into a file that is named as the address ends, unless an option names another.
func wget(r *reader, c call) {
	options, addresses := c.parse(wgetGrammar)
	if given(options, "i", "input-file", "r", "recursive", "m", "mirror", "e", "execute", "use-askpass") {
		r.hide(c.all())
		return
	}

	if o, ok := find(options, "o", "output-file", "a", "append-output"); ok && o.value.word != nil {
		r.word(o.value.word, c.program, false)
	}

	if o, ok := find(options, "O", "output-document"); ok && o.value.word != nil {
		if o.value.text != "-" {
			r.word(o.value.word, c.program, false)
		}
		return
	}

	folder := "."
	if o, ok := find(options, "P", "directory-prefix"); ok && o.value.word != nil {
		folder = o.value.text
		r.word(o.value.word, c.program, false)
	}

	for _, a := range addresses {
		if given(options, "spider") {
			break
		}
		address, err := url.Parse(a.text)
		if !a.ok || err != nil {
			r.hide(c.all())
			continue
		}

		r.write(folder+"/"+path.Base("/"+address.Path), c.program, false, true)
	}
}

// transfer copies between this machine and others: the last operand is written, if it is here.
func transfer(r *reader, c call) {
	operands := c.files()
	copies := slices.IndexFunc(operands, func(a argument) bool {
		return slices.Contains([]string{"cp", "sync", "mv", "copy", "copyto", "move", "moveto", "rsync", "bisync"}, a.text)
	})
	if copies < 0 || copies+2 >= len(operands) {
		return
	}

	target := operands[len(operands)-1]
	if before, _, remote := strings.Cut(target.text, ":"); remote &&
		!strings.Contains(before, "/") {
		return
	}

	r.word(target.word, c.program, operands[copies].text != "cp")
	for _, a := range operands[copies+1 : len(operands)-1] {
		r.intoFolder(c.program, a, target, false)
	}
}

// container runs programs that see files of this machine, if folders are given to them.
func container(r *reader, c call) {
	operands := c.files()
	if len(operands) == 0 {
		return
	}

	if startsContainer(operands) && slices.ContainsFunc(c.args, seesMachine) {
		r.hide(c.all())
		return
	}
	switch operands[0].text {
	case "cp":
		if len(operands) > 2 {
			r.word(operands[len(operands)-1].word, c.program, false)
		}
	case "build", "buildx":
		outputTo("o")(r, c)
	}
}

// startsContainer recognises run and create, also behind a word such as container or compose.
func startsContainer(operands []argument) bool {
	verbs := operands[:min(2, len(operands))]
	return slices.ContainsFunc(verbs, func(a argument) bool { return a.text == "run" || a.text == "create" })
}

// seesMachine reports whether an option of a container engine gives the container a folder
// or a device of this machine.
func seesMachine(a argument) bool {
	if !strings.HasPrefix(a.text, "--") {
		return cluster(a.text, "v")
	}
	if a.text == "--privileged" {
		return true
	}
	begins := func(option string) bool { return strings.HasPrefix(a.text, option) }
	return slices.ContainsFunc([]string{"--volume", "--mount", "--device"}, begins)
}
