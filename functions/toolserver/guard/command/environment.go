package command

import (
	"slices"
	"strings"
)

// programSettings are variables that make other programs run something, or obey other files.
var programSettings = setOf(`BASH_ENV ENV PROMPT_COMMAND PS0 PS1 PS2 PS4 LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH
	PERL5OPT PERL5DB PERL5LIB PERLLIB RUBYOPT RUBYLIB PYTHONSTARTUP PYTHONINSPECT PYTHONHOME PYTHONBREAKPOINT PYTHONUSERBASE LUA_INIT LUA_PATH LUA_CPATH
	GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS GIT_PROXY_COMMAND GIT_EXEC_PATH
	GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_TEMPLATE_DIR GIT_DIR GIT_COMMON_DIR GIT_WORK_TREE GIT_ATTR_SOURCE
	EDITOR VISUAL FCEDIT PAGER MANPAGER LESSOPEN LESSCLOSE BROWSER SHELL MAKEFLAGS MFLAGS GNUMAKEFLAGS HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS TAR_OPTIONS RSYNC_RSH
	JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CDPATH SHELLOPTS BASHOPTS EXINIT VIMINIT GVIMINIT ZDOTDIR CC CXX LD AR RUSTC_WRAPPER RUSTC GOFLAGS GOENV
	NODE_PATH NPM_CONFIG_SCRIPT_SHELL npm_config_script_shell DOTNET_STARTUP_HOOKS CORECLR_PROFILER MAKEFILES CMAKE_TOOLCHAIN_FILE GCONV_PATH TERMINFO`)

// harmlessPrograms are values of such variables that change nothing.
var harmlessPrograms = setOf(`cat true false less more head : gcc cc clang g++ clang++ rustc vim nano vi code /bin/cat /bin/true /usr/bin/true /usr/bin/cat /bin/sh /bin/bash /usr/bin/bash`)

// quietSettings are harmless unless their value names a program or a file: flags of the go command,
// and options of node.
var quietSettings = map[string][]string{
	"GOFLAGS":      {"-exec", "-toolexec", "-o", "-modfile", "-overlay", "-vettool", "profile", "-outputdir", "-pkgdir"},
	"NODE_OPTIONS": {"require", "import", "-r", "loader", "-e", "eval", "report", "prof", "trace-event-file", "redirect-warnings", "openssl-config", "env-file"},
	"MAKEFLAGS":    {"eval", "f", "I", "SHELL", "="},
	"GREP_OPTIONS": {"-f"},
}

// sets notes an assignment before a command, as env takes it.
func (r *reader) sets(a argument) {
	variable, value, _ := strings.Cut(a.text, "=")
	values := []name{{value, a.ok, false}}
	r.steer(variable, values)
	r.suspectOutput(variable, values)
	if r.prefix == nil {
		r.prefix = map[string][]name{}
	}
	r.prefix[variable] = values
}

// steer notes that a variable gets one of some values, if other programs obey it.
func (r *reader) steer(variable string, values []name) {
	if variable == "IFS" {
		r.splits = true
	}

	for _, value := range values {
		switch {
		case variable == "PATH":
			r.steerPath(value)
		case runsThrough(variable, value.text, value.known):
			r.unresolved(variable+"=…", value.text)
		case strings.HasPrefix(variable, "GIT_TRACE"), strings.HasSuffix(variable, "_INDEX_FILE"),
			strings.HasSuffix(variable, "_LOG_FILE"), variable == "GIT_OBJECT_DIRECTORY", variable == "GCOV_PREFIX":
			r.writtenBy(variable, value)
		}
	}
}

// outputWords are parts of the names of variables that say where a program writes.
var outputWords = []string{"OUT", "DEST", "TARGET", "DIR", "BIN", "LOG", "CACHE", "PREFIX", "TMP"}

// suspectOutput notes a variable whose name says that a program writes there.
func (r *reader) suspectOutput(variable string, values []name) {
	upper := strings.ToUpper(variable)
	if !slices.ContainsFunc(outputWords, func(word string) bool { return strings.Contains(upper, word) }) {
		return
	}
	for _, value := range values {
		if value.known {
			r.suspect(value.text)
		}
	}
}

// writtenBy notes a variable whose value names a file that a program writes.
func (r *reader) writtenBy(variable string, value name) {
	switch {
	case !value.known:
		r.unresolved(variable+"=…", value.text)
	case strings.Trim(value.text, "0123456789") != "" && value.text != "true" && value.text != "false":
		r.write(value.text, variable, true, !value.pattern)
	}
}

// steerPath notes a search path that begins with a folder of the project in which the command writes
// programs itself, or that is not known.
func (r *reader) steerPath(value name) {
	r.setsPath = true
	if !value.known {
		return // it is usually the old one with another folder
	}
	for folder := range strings.SplitSeq(value.text, ":") {
		if folder == "" || folder == "." {
			r.unresolved("PATH=…", value.text)
		}
	}
}

// runsThrough reports whether a variable makes other programs run something.
func runsThrough(variable, value string, known bool) bool {
	if options, is := quietSettings[variable]; is {
		return !known || slices.ContainsFunc(options, func(option string) bool { return strings.Contains(value, option) })
	}
	if strings.HasPrefix(variable, "GIT_CONFIG_KEY_") || strings.HasPrefix(variable, "BASH_FUNC_") {
		return true
	}
	if !programSettings[variable] {
		return false
	}
	isHarmless := value == "" || harmlessPrograms[value]
	return !known || !isHarmless
}
