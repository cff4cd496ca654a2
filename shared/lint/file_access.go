package lint

import (
	"path"
	"strings"
)

// fileAccess is MCP005: a server that may read far more of the machine than its task needs. Paths are
// judged in arguments and as the host side of a container's mounts.
func fileAccess(s *server, r *report) {
	for _, c := range s.run.calls {
		for _, m := range c.box.mounts() {
			judgePath(r, m.source, m.readOnly, true, m.at)
		}

		if c.inside || engines[c.program] || silent[c.program] {
			continue
		}
		judgePathArguments(r, c.options())
	}
}

func judgePathArguments(r *report, args []word) {
	flag := ""
	for _, a := range args {
		judgePathArgument(r, a, flag)

		flag = ""
		if strings.HasPrefix(a.text, "-") {
			flag = a.text
		}
	}
}

// silent are programs whose paths grant no access: directories to change to, or flags that begin with
// a slash.
var silent = setOf("cd", "pushd", "cmd", "env", "runas", "echo", "mkdir", "test", "[", "export", "ls", "which", "taskkill", "start", "ssh", "scp", "sudo")

func judgePathArgument(r *report, a word, flag string) {
	t := a.text
	if strings.HasPrefix(t, "-") {
		name, value, ok := strings.Cut(t, "=")
		if !ok {
			return
		}
		flag = name
		t = value
	}

	if t == "/" && webPathFlag(flag) {
		return
	}
	for part := range strings.FieldsFuncSeq(t, func(r rune) bool { return r == ',' || r == ';' }) {
		judgePath(r, strings.TrimSpace(part), false, false, a.at)
	}
}

// webPathFlag recognises flags whose "/" is the root of a web site or a separator, not of a disk.
func webPathFlag(flag string) bool {
	lower := strings.ToLower(flag)
	return lower == "--path" || hasAny(lower, webPathWords)
}

var webPathWords = []string{
	"url", "uri", "endpoint", "route", "prefix", "separator", "delimiter", "health",
	"base-path", "basepath", "mount-path", "context-path", "api-path", "mcp-path",
	"http-path", "sse-path", "ssepath", "message-path", "messagepath",
}

// home stands for the home directory in cleaned paths.
const home = "/home/~"

// judgePath judges one path. Mounted distinguishes a container's mount, where a socket's file name counts
// and a bare "/c" is a Windows drive, from an argument.
func judgePath(r *report, raw string, readOnly, mounted bool, at *place) {
	if !strings.ContainsAny(raw, "/\\~$%:{_") {
		return
	}
	if engineSocket(raw) {
		r.add(
			ruleEngineSocket,
			Error,
			at,
			say("the server gets the socket of the container engine, and with it the whole machine: a process that can start containers can mount any folder"),
			say("leave the socket out, or put a filtering proxy in between that allows only the calls needed"),
		)
		return
	}

	p, ok := cleanPath(raw, mounted)
	if !ok {
		return
	}

	hint := say("hand over only the project folder, for a container as ./project:/project:ro")
	switch {
	case p == "/" || drive(p):
		r.add(ruleWholeDisk, Error, at, say("the server gets the whole disk"), hint)
	case homeRoot(p):
		r.add(
			ruleHomeDirectory,
			Error,
			at,
			say("the server gets a whole home directory, with every key, mail and browser profile in it"),
			hint,
		)
	case credentialFolder(p) != "":
		r.add(
			ruleCredentialDirectory,
			grave(readOnly),
			at,
			say("the server gets a folder that holds credentials ("+credentialFolder(p)+")"),
			say("leave it out and give the server its own key of limited rights; if it must stay, mount it read-only (:ro)"),
		)
	case systemFolder(p):
		r.add(
			ruleSystemDirectory,
			grave(readOnly),
			at,
			say("the server gets a system folder (", shown(p), ")"),
			hint,
		)
	case personalFolder(p):
		r.add(
			rulePersonalFolder,
			Info,
			at,
			say("the server gets a whole folder of personal documents"),
			say("hand over the one folder below it that the task needs"),
		)
	}
}

func grave(readOnly bool) Severity {
	if readOnly {
		return Warn
	}
	return Error
}

// cleanPath writes a path of any system in one form: slashes, no "..", the home directory as
// /home/~, a drive as /X:. It reports false for anything that is not an absolute path.
func cleanPath(raw string, mounted bool) (string, bool) {
	s := strings.ReplaceAll(strings.Trim(raw, "\"' "), `\`, "/")
	s = strings.TrimPrefix(s, "file://")
	s = strings.TrimPrefix(s, "//?/")
	if s == "" {
		return "", false
	}

	if p, ok := homePath(strings.ToLower(s)); ok {
		return p, true
	}
	if p, ok := windowsDrive(s); ok {
		return p, true
	}
	if !strings.HasPrefix(s, "/") {
		return "", false
	}

	s = path.Clean("/" + strings.TrimLeft(s, "/"))
	for _, prefix := range driveMounts {
		if rest, ok := strings.CutPrefix(s, prefix); ok && startsWithDrive(rest) {
			return driveOf(rest), true
		}
	}

	if gitBashDrive(s, mounted) {
		return driveOf(s[1:]), true
	}
	return strings.TrimPrefix(s, "/private"), true
}

// driveMounts are the folders below which WSL and Docker Desktop show the drives of Windows.
var driveMounts = []string{"/mnt/", "/host_mnt/", "/run/desktop/mnt/host/"}

// homePath returns the clean form of a lower-case path that begins with a name of the home
// directory.
func homePath(lower string) (string, bool) {
	for _, name := range homeNames {
		if name[0] != lower[0] {
			continue
		}
		rest, ok := strings.CutPrefix(lower, name)
		if ok && (rest == "" || rest[0] == '/') {
			return path.Clean(home + rest), true
		}
	}
	return "", false
}

// windowsDrive returns the clean form of C: and C:/folder.
func windowsDrive(s string) (string, bool) {
	if len(s) < 2 || !isLetter(s[0]) || s[1] != ':' {
		return "", false
	}
	if len(s) > 2 && s[2] != '/' {
		return "", false
	}

	lower := strings.ToLower(s)
	return path.Clean("/" + lower[:2] + "/" + lower[2:]), true
}

// gitBashDrive recognises a drive as Git Bash writes it: /c/Users, and for a mount /c alone.
func gitBashDrive(s string, mounted bool) bool {
	if len(s) < 2 || !isLetter(s[1]) {
		return false
	}
	if len(s) == 2 {
		return mounted
	}
	return strings.HasPrefix(strings.ToLower(s[2:]), "/users")
}

// startsWithDrive reports whether the first element of a path is one letter.
func startsWithDrive(s string) bool {
	if s == "" || !isLetter(s[0]) {
		return false
	}
	return len(s) == 1 || s[1] == '/'
}

// driveOf writes c/folder as /c:/folder, in lower case.
func driveOf(s string) string {
	lower := strings.ToLower(s)
	return "/" + lower[:1] + ":" + lower[1:]
}

var homeNames = []string{"~", "$home", "${home}", "${userhome}", "${env:home}", "$env:home", "%userprofile%", "${userprofile}", "${env:userprofile}",
	"$env:userprofile", "%homedrive%%homepath%", "%homepath%", "%home%", "$(echo ~)", "{{home}}", "{{homedir}}", "${homedir}", "${user_home}", "${env:userhome}", "${localenv:home}", "${localenv:home}${localenv:userprofile}", "$userprofile", "__home__"}

func drive(p string) bool {
	return len(p) == 3 && p[2] == ':' && isLetter(p[1])
}

// homeRoot reports whether a path is a home directory or the folder of all of them.
func homeRoot(p string) bool {
	if len(p) > 3 && p[2] == ':' {
		p = p[3:]
	}

	switch lower := strings.ToLower(p); {
	case homeRoots[lower]:
		return true
	case strings.HasPrefix(lower, "/home/") || strings.HasPrefix(lower, "/users/"):
		return strings.Count(lower, "/") == 2
	}

	return false
}

var homeRoots = setOf("/home", "/users", "/root", "/var/root", "/documents and settings")

// credentialFolder returns the name of the folder of credentials that a path is or lies in.
func credentialFolder(p string) string {
	lower := strings.ToLower(p)
	isPublic := strings.HasSuffix(lower, ".pub") || strings.HasSuffix(lower, "/known_hosts")
	if isPublic || hasAny(lower, dockerPrograms) {
		return ""
	}

	for _, name := range [...]string{".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".config/gcloud"} {
		if strings.Contains(lower+"/", "/"+name+"/") {
			return name
		}
	}

	return ""
}

// dockerPrograms are the folders below .docker that hold programs, not credentials.
var dockerPrograms = []string{"/.docker/mcp", "/.docker/cli-plugins", "/.docker/bin"}

// systemFolder recognises the folders of the system and the files below them that hold secrets. An
// ordinary file such as /etc/app/config.json does not count.
func systemFolder(p string) bool {
	switch p {
	case "/etc", "/var", "/proc", "/sys", "/dev", "/var/run", "/var/lib", "/var/lib/docker",
		"/etc/passwd", "/etc/shadow", "/etc/sudoers", "/etc/ssh", "/etc/kubernetes", "/etc/ssl/private", "/dev/mem", "/dev/kmem":
		return true
	}
	return false
}

func personalFolder(p string) bool {
	if len(p) > 3 && p[2] == ':' {
		p = p[3:]
	}

	lower := strings.ToLower(p)
	if !strings.HasPrefix(lower, "/home/") && !strings.HasPrefix(lower, "/users/") ||
		strings.Count(lower, "/") != 3 {
		return false
	}

	switch lower[strings.LastIndexByte(lower, '/')+1:] {
	case "documents", "desktop", "downloads", "my documents":
		return true
	}

	return false
}

// engineSocket recognises the sockets of container engines, in paths, URLs and Windows pipes.
func engineSocket(raw string) bool {
	lower := strings.ToLower(strings.ReplaceAll(raw, `\`, "/"))
	if strings.Contains(lower, "pipe/docker_engine") {
		return true
	}
	switch lower[strings.LastIndexByte(lower, '/')+1:] {
	case "docker.sock", "docker.raw.sock", "podman.sock", "containerd.sock", "crio.sock", "cri-dockerd.sock", "buildkitd.sock":
		return strings.Contains(lower, "/")
	}
	return false
}
