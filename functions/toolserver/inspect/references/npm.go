package references

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// manifest is a package.json.
type manifest struct {
	Name         string            `json:"name"`
	Scripts      map[string]string `json:"scripts"`
	Dependencies map[string]any    `json:"dependencies"`
	Development  map[string]any    `json:"devDependencies"`

	folder string
}

// manifestIn is the package.json of a folder; nil if there is none that can be read.
func (p *project) manifestIn(at string) *manifest {
	if known, ok := p.manifests[at]; ok {
		return known
	}

	var read *manifest
	name := path.Join(at, "package.json")
	if p.isFile(name) {
		text, err := p.text(name)
		m := &manifest{folder: at}
		if err == nil && json.Unmarshal(text, m) == nil {
			read = m
		}
	}

	p.manifests[at] = read
	return read
}

// manifestAbove is the package.json that npm uses in a folder.
func (p *project) manifestAbove(at string) *manifest {
	for _, each := range above(at) {
		if m := p.manifestIn(each); m != nil {
			return m
		}
	}
	return nil
}

// workspace are the packages that a name or a folder means.
func (p *project) workspace(name, from string) (list []*manifest) {
	folder := path.Join(from, name)
	for _, m := range p.everyManifest() {
		isBelow := strings.HasPrefix(m.folder, folder+"/")
		if m.Name == name || m.folder == folder || isBelow {
			list = append(list, m)
		}
	}

	return list
}

// everyManifest are all packages of the project.
func (p *project) everyManifest() (list []*manifest) {
	for _, file := range p.named["package.json"] {
		if m := p.manifestIn(path.Dir(file)); m != nil {
			list = append(list, m)
		}
	}
	return list
}

// bins are programs of packages that have another name.
var bins = words(`tsc tsserver ng nest cap sls eas sb attw changeset svelte-kit vue-cli-service vue-tsc node npm npx
	webpack postcss tailwindcss wdio ncu lhci sentry-cli graphql-codegen swagger openapi ttsc tap`)

// hasBin reports whether a package may bring a program of this name.
func (m *manifest) hasBin(name string) bool {
	if bins[name] {
		return true
	}
	for _, list := range []map[string]any{m.Dependencies, m.Development} {
		for each := range list {
			if each == name || path.Base(each) == name || strings.HasPrefix(each, "@"+name+"/") {
				return true
			}
		}
	}

	return false
}

// bringBin reports whether one of some packages, or the one in the root, may bring a program.
func (p *project) bringBin(list []*manifest, name string) bool {
	root := p.manifestIn(".")
	if root != nil && root.hasBin(name) {
		return true
	}

	return slices.ContainsFunc(list, func(m *manifest) bool {
		return m.hasBin(name)
	})
}

// packages are those that a command is about.
type packages struct {
	list  []*manifest
	known bool // it is certain which packages are meant
}

// workspaceFlags are the options by which a package manager chooses packages.
type workspaceFlags struct {
	folder []string // with the folder of one
	name   []string // with the name or folder of one
	all    []string
}

var (
	npmFlags  = workspaceFlags{[]string{"--prefix", "-C"}, []string{"--workspace", "-w"}, []string{"--workspaces", "-ws"}}
	yarnFlags = workspaceFlags{[]string{"--cwd"}, nil, nil}
	pnpmFlags = workspaceFlags{[]string{"-C", "--dir", "--prefix"}, []string{"--filter", "-F"}, []string{"-r", "--recursive"}}
	bunFlags  = workspaceFlags{[]string{"--cwd"}, []string{"--filter", "-F"}, nil}
)

// packagesFor finds out which packages a command is about.
func (s *session) packagesFor(cmd command, flags workspaceFlags) packages {
	for _, flag := range flags.all {
		if has(cmd.args, flag) {
			return packages{s.project.everyManifest(), true}
		}
	}

	if named := values(cmd.args, flags.name...); len(named) > 0 {
		return s.packagesNamed(named)
	}

	var found packages
	for _, dir := range s.dirsFor(cmd, flags.folder...) {
		if m := s.project.manifestAbove(dir); m != nil {
			found.list = append(found.list, m)
			found.known = true
		}
	}

	return found
}

// packagesNamed are those of some names or folders. A pattern may mean any.
func (s *session) packagesNamed(names []word) packages {
	found := packages{known: true}
	for _, name := range names {
		list := s.project.workspace(name.text, ".")
		found.list = append(found.list, list...)

		isPattern := strings.ContainsAny(name.text, "!^*{}[]") || strings.Contains(name.text, "...")
		if !name.known || isPattern || len(list) == 0 {
			found.known = false
		}
	}

	return found
}

var scriptName = regexp.MustCompile(`^\w[\w:./@-]*$`)

// script checks a script of packages. With bins, it may be a program that a package brings.
func (s *session) script(at place, name word, in packages, withBins bool) {
	if !name.known || !in.known || !scriptName.MatchString(name.text) {
		return
	}
	if in.has(name.text) {
		s.report(at, NPMScript, name.text, "")
		return
	}

	isBin := withBins && s.project.bringBin(in.list, name.text)
	if isBin || s.isExcused(name.text, in) {
		return
	}
	file := path.Join(in.list[0].folder, "package.json")
	s.report(at, NPMScript, name.text, file+" has no script of this name")
}

func (p packages) has(script string) bool {
	return slices.ContainsFunc(p.list, func(m *manifest) bool {
		_, ok := m.Scripts[script]
		return ok
	})
}

func (p packages) haveScripts() bool {
	return slices.ContainsFunc(p.list, func(m *manifest) bool {
		return len(m.Scripts) > 0
	})
}

// isServer reports whether a script is start, which npm has for a server.js.
func (s *session) isServer(in packages, script string) bool {
	if script != "start" {
		return false
	}
	return slices.ContainsFunc(in.list, func(m *manifest) bool {
		return s.project.isFile(path.Join(m.folder, "server.js"))
	})
}

// isExcused reports whether a script need not be there: the page defines it, it stands for
// several, or the packages have none at all.
func (s *session) isExcused(script string, in packages) bool {
	isStart := strings.HasSuffix(script, ":")
	if isStart || hasPlaceholder(script) {
		return true
	}
	if s.page.defines(script) || s.isServer(in, script) {
		return true
	}

	return !in.haveScripts()
}

var npmValued = words("-w --workspace --prefix -C --loglevel --registry --tag --filter -F --cwd --dir --access --otp")

// lifecycle are scripts that npm runs without the word run.
var lifecycle = map[string]string{"test": "test", "t": "test", "tst": "test", "start": "start", "stop": "stop"}

func (s *session) npm(cmd command) {
	list := operands(beforeDashes(cmd.args), npmValued)
	if len(list) == 0 || has(cmd.args, "--if-present") {
		return
	}

	in := s.packagesFor(cmd, npmFlags)
	first := list[0].text
	switch {
	case npmRun[first]:
		s.runScript(cmd.at, list[1:], in, false)
	case lifecycle[first] != "":
		s.script(cmd.at, word{lifecycle[first], true}, in, false)
	case first == "create", first == "init":
		s.other(cmd)
	}
}

var npmRun = words("run run-script rum urn")

// runScript checks the script after the word run. That of the name env is built in.
func (s *session) runScript(at place, list []word, in packages, withBins bool) {
	if len(list) == 0 || list[0].text == "env" {
		return
	}
	s.script(at, list[0], in, withBins)
}

var yarnOwn = words(`add install remove upgrade up init create global link unlink pack publish version versions cache audit outdated import info list
	login logout owner team tag why config node exec dlx npm set plugin workspaces workspace run patch patch-commit rebuild stage unplug
	constraints dedupe explain search bin help policies check autoclean generate-lock-entry licenses upgrade-interactive self-update`)

func (s *session) yarn(cmd command) {
	list := operands(beforeDashes(cmd.args), npmValued)
	if len(list) == 0 {
		return
	}

	in := s.packagesFor(cmd, yarnFlags)
	if list[0].text == "workspace" && len(list) > 2 {
		in = s.packagesNamed(list[1:2])
		list = list[2:]
	}

	first := list[0].text
	switch {
	case first == "create", first == "init":
		s.other(cmd)
	case first == "run":
		s.runScript(cmd.at, list[1:], in, true)
	case !yarnOwn[first]:
		s.script(cmd.at, list[0], in, true)
	}
}

var pnpmOwn = words(`add i install update up upgrade remove rm uninstall link unlink import rebuild rb prune fetch install-test it patch patch-commit patch-remove
	audit list ls la ll outdated why licenses run exec dlx create init publish pack store setup config c get set env server deploy approve-builds
	cat-file cat-index find-hash bin root doctor self-update cache help restart completion ignored-builds dedupe recursive version login logout whoami ping search view`)

func (s *session) pnpm(cmd command) {
	list := operands(beforeDashes(cmd.args), npmValued)
	if len(list) == 0 || has(cmd.args, "--if-present") {
		return
	}

	in := s.packagesFor(cmd, pnpmFlags)
	first := list[0].text
	switch {
	case first == "run":
		s.runScript(cmd.at, list[1:], in, false)
	case lifecycle[first] != "":
		s.script(cmd.at, word{lifecycle[first], true}, in, false)
	case first == "create", first == "init":
		s.other(cmd)
	case !pnpmOwn[first]:
		s.script(cmd.at, list[0], in, true)
	}
}

var bunOwn = words("add install i remove rm update test init create link unlink pm build upgrade repl exec x outdated publish patch why audit info")

func (s *session) bun(cmd command) {
	list := operands(beforeDashes(cmd.args), npmValued)
	if len(list) > 0 && list[0].text == "run" {
		list = list[1:]
	}
	if len(list) == 0 || bunOwn[list[0].text] {
		return
	}

	name := list[0]
	isFile := s.project.looksLikeFile(name.text) || strings.Contains(name.text, "/")
	if isFile {
		s.program(cmd.at, name)
		return
	}

	s.script(cmd.at, name, s.packagesFor(cmd, bunFlags), true)
}

// beforeDashes are the arguments that are not passed on to a script.
func beforeDashes(args []word) []word {
	for i, arg := range args {
		if arg.text == "--" {
			return args[:i]
		}
	}
	return args
}

func has(args []word, flag string) bool {
	for _, arg := range args {
		if arg.text == flag {
			return true
		}
	}
	return false
}
