package references

import (
	"regexp"
	"strings"
)

// programs are those whose arguments are understood.
var programs map[string]func(*session, command)

// init fills the table here, since what is in it looks into it.
func init() {
	programs = map[string]func(*session, command){
		"cd":               (*session).cd,
		"pushd":            (*session).pushd,
		"popd":             (*session).popd,
		"git":              (*session).git,
		"gh":               (*session).git,
		"mkdir":            (*session).makeAll,
		"touch":            (*session).makeAll,
		"tee":              (*session).makeAll,
		"virtualenv":       (*session).makeAll,
		"cp":               (*session).copy,
		"mv":               (*session).copy,
		"ln":               (*session).copy,
		"scp":              (*session).copy,
		"install":          (*session).copy,
		"rsync":            (*session).copy,
		"curl":             (*session).fetch,
		"wget":             (*session).fetch,
		"unzip":            (*session).fetch,
		"tar":              (*session).fetch,
		"echo":             (*session).nothing,
		"printf":           (*session).nothing,
		"rm":               (*session).nothing,
		"export":           (*session).nothing,
		"ssh":              (*session).nothing,
		"brew":             (*session).nothing,
		"apt":              (*session).nothing,
		"apt-get":          (*session).nothing,
		"cargo":            (*session).nothing,
		"grep":             (*session).nothing,
		"rg":               (*session).nothing,
		"npm":              (*session).npm,
		"yarn":             (*session).yarn,
		"pnpm":             (*session).pnpm,
		"bun":              (*session).bun,
		"make":             (*session).makefile,
		"gmake":            (*session).makefile,
		"just":             (*session).justfile,
		"task":             (*session).taskfile,
		"go-task":          (*session).taskfile,
		"go":               (*session).golang,
		"python":           (*session).python,
		"python3":          (*session).python,
		"py":               (*session).python,
		"pytest":           (*session).readAll,
		"cat":              (*session).readAll,
		"less":             (*session).readAll,
		"more":             (*session).readAll,
		"head":             (*session).readAll,
		"chmod":            (*session).readAll,
		"ls":               (*session).readAll,
		"ansible-playbook": (*session).readAll,
		"uvicorn":          (*session).pythonApp,
		"gunicorn":         (*session).pythonApp,
		"hypercorn":        (*session).pythonApp,
		"pip":              (*session).pip,
		"pip3":             (*session).pip,
		"uv":               (*session).pip,
		"node":             (*session).interpreter,
		"tsx":              (*session).interpreter,
		"ts-node":          (*session).interpreter,
		"ruby":             (*session).interpreter,
		"perl":             (*session).interpreter,
		"php":              (*session).interpreter,
		"deno":             (*session).interpreter,
		"bash":             (*session).interpreter,
		"sh":               (*session).interpreter,
		"zsh":              (*session).interpreter,
		"source":           (*session).interpreter,
		".":                (*session).interpreter,
		"docker":           (*session).docker,
		"podman":           (*session).docker,
		"docker-compose":   (*session).docker,
		"kubectl":          (*session).flagged,
		"helm":             (*session).flagged,
		"terraform":        (*session).flagged,
		"psql":             (*session).flagged,
	}
}

// run checks a command, and notes what it makes.
func (s *session) run(cmd command) {
	s.outputs(cmd)
	if check := programs[cmd.name]; check != nil {
		check(s, cmd)
		return
	}

	if strings.Contains(cmd.name, "/") {
		s.executable(cmd)
	}
	s.other(cmd)
}

// nothing is done for programs whose arguments mean nothing here.
func (s *session) nothing(command) {}

// outputFlags are options whose value is written.
var outputFlags = regexp.MustCompile(`^--?(?:o|O|out\w*|output\w*(?:-\w+)*|out-?(?:dir|file)|dest\w*|target-dir|coverprofile|cpuprofile|memprofile|trace|report\w*|save\w*|log-?file|data-?dir|write-out|prefix-dir)$`)

// outputs notes the files that the options of a command name to be written.
func (s *session) outputs(cmd command) {
	for i, arg := range cmd.args {
		flag, value, joined := strings.Cut(arg.text, "=")
		if !outputFlags.MatchString(flag) {
			continue
		}
		switch {
		case joined:
			s.make(word{value, arg.known})
		case i+1 < len(cmd.args):
			s.make(cmd.args[i+1])
		}
	}
}
