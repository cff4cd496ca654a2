package lint

import (
	"path"
	"strings"
)

// fileAccess is MCP005: a server that may read far more of the machine than its task needs. Paths
// are judged where they are handed over: in arguments, and as the host side of a container's mounts.
func fileAccess(s *server, r *report) {
	for _, c := range s.run.calls {
		for _, m := range c.box.mounts() {
			judgePath(r, m.source, m.readOnly, true, m.at)
		}

		if c.inside || engines[c.program] || silent[c.program] {
			continue
		}
		args := c.options()
		for i, a := range args {
			flag := ""
			if i > 0 && strings.HasPrefix(args[i-1].text, "-") {
				flag = args[i-1].text
			}
			judgePathArgument(r, a, flag)
		}
	}
}

// silent are programs whose arguments are directories to go to, not to hand over, or flags that
// begin with a slash.
var silent = setOf("cd", "pushd", "cmd", "env", "runas", "echo", "mkdir", "test", "[", "export", "ls", "which", "taskkill", "start", "ssh", "scp", "sudo")

func judgePathArgument(r *report, a word, flag string) {
	t := a.text
	if strings.HasPrefix(t, "-") {
		name, value, ok := strings.Cut(t, "=")
		if !ok {
			return
		}
		flag, t = name, value
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
	for _, word := range [...]string{"url", "uri", "endpoint", "route", "prefix", "base-path", "basepath", "mount-path", "http-path", "sse-path", "message-path",
		"messagepath", "ssepath", "separator", "delimiter", "health", "context-path", "api-path", "mcp-path"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return lower == "--path"
}

// home stands for the home directory in cleaned paths.
const home = "/home/~"

// judgePath judges one path. Mounted tells a container's mount, where a socket's file name counts
// and a bare "/c" is a Windows drive, from an argument.
func judgePath(r *report, raw string, readOnly, mounted bool, at *place) {
	if !strings.ContainsAny(raw, "/\\~$%:{_") {
		return
	}
	if engineSocket(raw) {
		r.add(ruleEngineSocket, Error, at, say("the server gets the socket of the container engine, and with it the whole machine: whoever can start containers can mount any folder"),
			say("leave the socket out, or put a filtering proxy in between that allows only the calls needed"))
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
		r.add(ruleCredentialDirectory, grave(readOnly), at, say("the server gets a folder that holds credentials ("+credentialFolder(p)+")"),
			say("leave it out and give the server its own key of limited rights; if it must stay, mount it read-only (:ro)"))
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

// cleanPath brings a path of any system into one form: slashes, no "..", the home directory as
// /home/~, a drive as /X:. It reports false for anything that is not an absolute path.
func cleanPath(raw string, mounted bool) (string, bool) {
	s := strings.ReplaceAll(strings.Trim(raw, "\"' "), `\`, "/")
	s = strings.TrimPrefix(s, "file://")
	s = strings.TrimPrefix(s, "//?/")
	if s == "" {
		return "", false
	}

	lower := strings.ToLower(s)
	for _, name := range homeNames {
		if name[0] != lower[0] {
			continue
		}
		if rest, ok := strings.CutPrefix(lower, name); ok && (rest == "" || rest[0] == '/') {
			return path.Clean(home + rest), true
		}
	}

	switch {
	case len(s) >= 2 &&
		letter(s[0]) &&
		s[1] == ':' &&
		(len(s) == 2 || s[2] == '/'):
		return path.Clean("/" + lower[:2] + "/" + lower[2:]), true
	case strings.HasPrefix(s, "/"):
	default:
		return "", false
	}

	s = path.Clean("/" + strings.TrimLeft(s, "/"))
	for _, prefix := range [...]string{"/mnt/", "/host_mnt/", "/run/desktop/mnt/host/"} { // WSL and Docker Desktop
		if rest, ok := strings.CutPrefix(s, prefix); ok &&
			len(rest) > 0 &&
			letter(rest[0]) &&
			(len(rest) == 1 || rest[1] == '/') {
			return "/" + strings.ToLower(rest[:1]) + ":" + strings.ToLower(rest[1:]), true
		}
	}

	if len(s) >= 2 &&
		letter(s[1]) &&
		(len(s) == 2 && mounted || strings.HasPrefix(strings.ToLower(s[2:]), "/users")) { // Git Bash: /c/Users
		return "/" + strings.ToLower(s[1:2]) + ":" + strings.ToLower(s[2:]), true
	}

	return strings.TrimPrefix(s, "/private"), true
}

var homeNames = []string{"~", "$home", "${home}", "${userhome}", "${env:home}", "$env:home", "%userprofile%", "${userprofile}", "${env:userprofile}",
	"$env:userprofile", "%homedrive%%homepath%", "%homepath%", "%home%", "$(echo ~)", "{{home}}", "{{homedir}}", "${homedir}", "${user_home}", "${env:userhome}", "${localenv:home}", "${localenv:home}${localenv:userprofile}", "$userprofile", "__home__"}

func drive(p string) bool {
	return len(p) == 3 && p[2] == ':' && letter(p[1])
}

// homeRoot reports whether a path is a home directory or the folder of all of them.
func homeRoot(p string) bool {
	if len(p) > 3 && p[2] == ':' {
		p = p[3:]
	}

	switch lower := strings.ToLower(p); {
	case lower == "/home" ||
		lower == "/users" ||
		lower == "/root" ||
		lower == "/documents and settings" ||
		lower == "/var/root":
		return true
	case strings.HasPrefix(lower, "/home/") || strings.HasPrefix(lower, "/users/"):
		return strings.Count(lower, "/") == 2
	}

	return false
}

// credentialFolder returns the name of the folder of credentials that a path is or lies in.
func credentialFolder(p string) string {
	lower := strings.ToLower(p)
	if strings.HasSuffix(lower, ".pub") ||
		strings.HasSuffix(lower, "/known_hosts") ||
		strings.Contains(lower, "/.docker/mcp") ||
		strings.Contains(lower, "/.docker/cli-plugins") ||
		strings.Contains(lower, "/.docker/bin") {
		return ""
	}

	for _, name := range [...]string{".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".config/gcloud"} {
		if strings.Contains(lower+"/", "/"+name+"/") {
			return name
		}
	}

	return ""
}

// systemFolder knows the folders of the system, and the files below them that hold secrets. An
// ordinary file such as /etc/app/config.json is none.
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
