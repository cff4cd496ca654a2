package command

import "strings"

func setOf(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// pureReaders change no file, whatever their options are, except with those of writingOptions.
var pureReaders = setOf(`cat head tail more nl wc file stat du df ls dir realpath readlink basename dirname pwd cd
	sha1sum sha224sum sha256sum sha384sum sha512sum md5sum md5 shasum b2sum cksum sum od hexdump strings cut paste tr fold fmt pr column
	join comm diff diff3 colordiff cmp rev tac expand unexpand grep egrep fgrep zgrep zcat bzcat xzcat zless rg ag ack locate
	echo true false : test [ which type whereis id whoami date uname hostname printenv sleep seq yes cal bc expr factor nproc arch
	tty logname groups users who w last uptime free top htop ps pgrep pkill kill killall jobs wait fg bg disown lsof netstat ss ip ping dig
	nslookup host traceroute vmstat iostat dmesg journalctl systemctl service ulimit umask times return exit break
	continue let local export readonly declare typeset compgen help history bat cloc tokei scc jq shopt`)

// builtReaders do not change their operands, but some of their options name files that they write.
var builtReaders = setOf(`sdiff less dot nc ncat pytest mypy flake8 pylint bandit tsc eslint stylelint jest vitest mocha ava rspec phpunit phpstan ruff prettier black isort biome
	golangci-lint staticcheck govulncheck gosec shellcheck yamllint hadolint markdownlint jsonlint tflint tfsec checkov trivy semgrep
	terraform tofu terragrunt kubectl helm kustomize glab docker podman make gmake ninja cmake cargo rustc mvn gradle dotnet java javac
	npm yarn pnpm npx pip pip3 poetry uv bundle composer apt apt-get brew dnf yum apk go gofmt goimports code open xdg-open tree exec objdump nm readelf size ldd`)

// writingOptions begin options that make a reader write.
var writingOptions = []string{"--out", "-out", "--write", "--fix", "--in-place", "--inplace", "--junit", "--report", "--log-file", "--save", "--dump", "--dest", "--export", "--pre=", "--pager", "+"}

// writers are words that make a reader write what it is given.
var writers = map[string][]string{
	"terraform": {"init", "import", "state", "-out", "-state"}, "tofu": {"init", "import", "state", "-out", "-state"}, "helm": {"create", "pull", "package", "dependency"}, "glab": {"clone", "download", "checkout"},
	"cmake": {"-E", "-B", "--install", "-D", "--graphviz", "--trace-redirect"}, "javac": {"-d", "-s", "-h"},
	"npm": {"pack", "config", "init"}, "pip": {"download", "wheel", "install"}, "cargo": {"init", "new", "generate", "package"}, "dotnet": {"new", "publish"}, "java": {"-jar"}, "composer": {"create-project"},
}

// reads reports whether a program only reads what it is given.
func (c call) reads() bool {
	if !pureReaders[c.program] && !builtReaders[c.program] {
		return false
	}
	for _, a := range c.args {
		for _, begin := range writingOptions {
			if strings.HasPrefix(a.text, begin) {
				return false
			}
		}
	}
	return !c.has("--pre")
}
