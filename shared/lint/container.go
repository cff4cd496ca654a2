package lint

import "strings"

// engines run containers with the command line of docker.
var engines = setOf("docker", "podman", "nerdctl", "finch", "docker-compose")

// container is what docker run says about a container.
type container struct {
	flags []option // long names without dashes; short ones as one letter
	image word
}

const engineGlobal = "-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey -n --namespace --connection --url --identity --root --runroot"

// soloFlags are the flags of run, create and exec that take no value. Every other long flag takes
// one, so an option of a later release costs one misread word at most.
var soloFlags = setOf("interactive", "tty", "rm", "detach", "init", "privileged", "publish-all", "read-only", "no-healthcheck",
	"oom-kill-disable", "sig-proxy", "disable-content-trust", "quiet", "help", "tls", "replace", "rmi", "env-host", "http-proxy",
	"no-hosts", "no-hostname", "passwd", "systemd", "tls-verify", "unsetenv-all", "use-api-socket", "rmi-force", "it")

// soloLetters are the short flags that take no value.
const soloLetters = "itdPq"

// engine opens docker and compatible programs.
func (c *commandLine) engine(cl *call, depth int) {
	_, at := options(cl.args, engineGlobal)
	if at < len(cl.args) && (cl.args[at].text == "container" || cl.args[at].text == "image") {
		at++
	}
	if at >= len(cl.args) {
		return
	}

	switch verb := cl.args[at].text; verb {
	case "run", "create", "exec":
		flags, operand := readFlags(cl.args[at+1:])
		cl.box = &container{flags: flags}
		operand += at + 1
		cl.own = min(operand, len(cl.args))
		c.exported(cl)
		if operand >= len(cl.args) {
			return
		}

		if verb != "exec" {
			cl.box.image = cl.args[operand]
			cl.pkgs = append(cl.pkgs, imageOf(cl.box.image))
		}

		c.boxed(cl, operand+1, depth)
	}
}

// boxed opens the command inside the container. Without a program the container's own entry point
// gets the arguments; it is named after the image so that bridges are recognised.
func (c *commandLine) boxed(cl *call, from, depth int) {
	cl.own = from - 1
	rest := cl.args[from:]
	program := programName(strings.SplitN(cl.args[from-1].text, ":", 2)[0])

	for _, f := range cl.box.flags {
		if f.name == "entrypoint" && f.hasValue {
			rest = append([]word{f.value}, rest...)
		}
	}

	if len(rest) > 0 && knownProgram(programName(rest[0].text)) {
		c.add(rest, depth+1, true)
		return
	}

	next := &call{
		program: program,
		args:    rest,
		own:     len(rest),
		at:      cl.args[from-1].at,
		inside:  true,
	}
	c.calls = append(c.calls, next)
	c.tails(next, depth+1)
}

// exported adds the variables of -e NAME=value.
func (c *commandLine) exported(cl *call) {
	for _, f := range cl.box.flags {
		if f.name != "e" && f.name != "env" {
			continue
		}
		if name, value, ok := strings.Cut(f.value.text, "="); ok {
			c.assigned = append(c.assigned, assignment{setting{name, value, f.value.at}, true})
		}
	}
}

// readFlags reads the flags of docker run and returns the index of the first operand.
func readFlags(args []word) (flags []option, operand int) {
	i := 0
	for ; i < len(args); i++ {
		t := args[i].text
		if t == "--" {
			return flags, i + 1
		}
		if len(t) < 2 || t[0] != '-' {
			break
		}

		if t[1] != '-' {
			i += shortFlags(args, i, &flags)
			continue
		}

		name, value, ok := strings.Cut(t[2:], "=")
		switch {
		case ok:
			flags = append(flags, option{name, word{value, args[i].at}, true})
		case soloFlags[name] || i+1 >= len(args):
			flags = append(flags, option{name: name, value: word{"", args[i].at}})
		default:
			i++
			flags = append(flags, option{name, args[i], true})
		}
	}

	return flags, i
}

// shortFlags reads a cluster such as -it, -itv /a:/b or -v/a:/b and returns how many further words
// it took.
func shortFlags(args []word, i int, flags *[]option) int {
	t := args[i].text
	for at := 1; at < len(t); at++ {
		name := t[at : at+1]
		if strings.Contains(soloLetters, name) {
			*flags = append(*flags, option{name: name, value: word{"", args[i].at}})
			continue
		}

		if glued := strings.TrimPrefix(t[at+1:], "="); glued != "" {
			*flags = append(*flags, option{name, word{glued, args[i].at}, true})
			return 0
		}

		if i+1 < len(args) {
			*flags = append(*flags, option{name, args[i+1], true})
			return 1
		}
	}

	return 0
}

// mount is a host path that a container gets.
type mount struct {
	source   string
	readOnly bool
	at       *place
}

// mounts returns the bind mounts of a container, from -v, --volume and --mount.
func (b *container) mounts() []mount {
	var out []mount
	if b == nil {
		return nil
	}

	for _, f := range b.flags {
		switch f.name {
		case "v", "volume":
			source, mode := splitVolume(f.value.text)
			if source != "" {
				out = append(out, mount{source, mode, f.value.at})
			}
		case "mount":
			out = append(out, mountOf(f.value)...)
		}
	}

	return out
}

// splitVolume splits SOURCE:TARGET[:OPTIONS]. A drive letter's colon does not separate.
func splitVolume(s string) (source string, readOnly bool) {
	skip := 0
	switch {
	case windowsPath(s):
		skip = 2
	case strings.HasPrefix(s, "${"):
		skip = max(0, strings.IndexByte(s, '}'))
	}

	colon := strings.IndexByte(s[skip:], ':')
	if colon < 0 {
		return "", false // an anonymous volume
	}

	source = s[:skip+colon]
	last := s[strings.LastIndexByte(s, ':')+1:]
	for _, o := range strings.Split(last, ",") {
		if o == "ro" || o == "readonly" {
			readOnly = true
		}
	}

	return source, readOnly
}

func mountOf(w word) []mount {
	m := mount{at: w.at}
	for _, field := range strings.Split(w.text, ",") {
		key, value, ok := strings.Cut(field, "=")
		switch key {
		case "source", "src":
			m.source = value
		case "readonly", "ro":
			m.readOnly = !ok || value == "true" || value == "1"
		}
	}

	if m.source == "" {
		return nil
	}
	return []mount{m}
}
