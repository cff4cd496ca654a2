package command

import "strings"

func setOf(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// readers are programs that do not change their arguments' files, except with certain
// options. The effect of any other program on a file is unknown.
var readers = setOf(`cat head tail less more nl wc file stat du df ls dir tree realpath readlink basename dirname pwd cd
	sha1sum sha224sum sha256sum sha384sum sha512sum md5sum md5 shasum b2sum cksum sum od hexdump strings cut paste tr fold fmt pr column
	join comm diff diff3 sdiff colordiff cmp rev tac expand unexpand grep egrep fgrep zgrep zcat bzcat xzcat zless rg ag ack locate
	echo true false : test [ which type whereis id whoami date uname hostname printenv sleep seq yes cal bc expr factor nproc arch
	tty logname groups users who w last uptime free top htop ps pgrep pkill kill killall jobs wait fg bg disown lsof netstat ss ip ping dig
	nslookup host nc ncat traceroute vmstat iostat dmesg journalctl systemctl service set shopt ulimit umask times return exit break
	continue shift local let exec export readonly declare typeset compgen help bat cloc tokei scc jq dot
	pytest mypy flake8 pylint bandit tsc eslint stylelint jest vitest mocha ava rspec phpunit phpstan ruff prettier black isort biome
	golangci-lint staticcheck govulncheck gosec shellcheck yamllint hadolint markdownlint jsonlint tflint tfsec checkov trivy semgrep
	terraform tofu terragrunt kubectl helm kustomize glab docker podman make gmake ninja cmake cargo rustc mvn gradle dotnet java javac
	npm yarn pnpm npx pip pip3 poetry uv bundle composer apt apt-get brew dnf yum apk go gofmt goimports code open xdg-open`)

// writingOptions begin options that make a reader write.
var writingOptions = []string{"--out", "-out", "--write", "--fix", "--in-place", "--inplace", "--junit", "--report", "--log-file", "--save", "--dump", "--dest", "--export", "--pre=", "--pager", "+"}

// writers are words that make a reader write what it is given.
var writers = map[string][]string{
	"terraform": {"init", "import", "state", "-out", "-state"}, "tofu": {"init", "import", "state", "-out", "-state"}, "helm": {"create", "pull", "package", "dependency"}, "glab": {"clone", "download", "checkout"},
	"npm": {"pack", "config", "init"}, "pip": {"download", "wheel", "install"}, "cargo": {"init", "new", "generate", "package"}, "dotnet": {"new", "publish"}, "java": {"-jar"}, "composer": {"create-project"},
}

// reads reports whether a program only reads what it is given.
func (c call) reads() bool {
	if !readers[c.program] {
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
