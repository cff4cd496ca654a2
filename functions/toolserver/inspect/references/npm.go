package references

import (
	"encoding/json"
	"path"
	"regexp"
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
	for _, file := range p.named["package.json"] {
		m := p.manifestIn(path.Dir(file))
		if m == nil {
			continue
		}
		folder := path.Join(from, name)
		if m.Name == name || m.folder == path.Clean(name) || m.folder == folder || strings.HasPrefix(m.folder, folder+"/") {
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

// hasBin says whether a package may bring a program of this name.
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

// bringsBin says whether a package, or the one in the root, may bring a program.
func (p *project) bringsBin(m *manifest, name string) bool {
	root := p.manifestIn(".")
	return m.hasBin(name) || root != nil && root.hasBin(name)
}

// packages are those that a command is about.
type packages struct {
	list  []*manifest
	known bool // it is certain which packages are meant
}

// packagesFor finds out which packages a command is about.
func (s *session) packagesFor(cmd command, folderFlags, nameFlags, allFlags []string) packages {
	dirs := s.dirs
	for _, each := range values(cmd.args, folderFlags...) {
		s.required(cmd.at, each)
		dirs = nil
		if each.known {
			dirs = s.foldersFrom(each.text)
		}
	}
	for _, arg := range cmd.args {
		for _, flag := range allFlags {
			if arg.text == flag {
				return packages{s.project.everyManifest(), true}
			}
		}
	}

	if named := values(cmd.args, nameFlags...); len(named) > 0 {
		return s.packagesNamed(named)
	}
	var found packages
	for _, dir := range dirs {
		if m := s.project.manifestAbove(dir); m != nil {
			found.list = append(found.list, m)
			found.known = true
		}
	}
	return found
}

func (s *session) packagesNamed(names []word) (found packages) {
	found.known = true
	for _, name := range names {
		plain := name.known && !strings.ContainsAny(name.text, "!^.*{}[]") || strings.HasPrefix(name.text, "./")
		list := s.project.workspace(name.text, ".")
		found.known = found.known && plain && len(list) > 0
		found.list = append(found.list, list...)
	}
	return found
}

var scriptName = regexp.MustCompile(`^\w[\w:./@-]*$`)

// script checks a script of packages. With bins, it may be a program that a package brings.
func (s *session) script(at place, name word, in packages, withBins bool) {
	if !name.known || !in.known || !scriptName.MatchString(name.text) {
		return
	}

	scripts := 0
	for _, m := range in.list {
		scripts += len(m.Scripts)
		if _, ok := m.Scripts[name.text]; ok {
			s.report(at, NPMScript, name.text, "")
			return
		}
		if name.text == "start" && s.project.isFile(path.Join(m.folder, "server.js")) || withBins && s.project.bringsBin(m, name.text) {
			return
		}
	}
	isStart := strings.HasSuffix(name.text, ":") // of several names
	if scripts == 0 || isStart || s.page.defines(name.text) || hasPlaceholder(name.text) {
		return
	}

	file := path.Join(in.list[0].folder, "package.json")
	s.report(at, NPMScript, name.text, file+" has no script of this name")
}

var npmValued = words("-w --workspace --prefix -C --loglevel --registry --tag --filter -F --cwd --dir --access --otp")

// lifecycle are scripts that npm runs without the word run.
var lifecycle = map[string]string{"test": "test", "t": "test", "tst": "test", "start": "start", "stop": "stop"}

func (s *session) npm(cmd command) {
	list := operands(beforeDashes(cmd.args), npmValued)
	if len(list) == 0 || has(cmd.args, "--if-present") {
		return
	}

	in := s.packagesFor(cmd, []string{"--prefix", "-C"}, []string{"--workspace", "-w"}, []string{"--workspaces", "-ws"})
	first := list[0].text
	switch {
	case (first == "run" || first == "run-script" || first == "rum") && len(list) > 1:
		if list[1].text != "env" {
			s.script(cmd.at, list[1], in, false)
		}
	case lifecycle[first] != "":
		s.script(cmd.at, word{lifecycle[first], true}, in, false)
	case first == "create", first == "init":
		s.other(cmd)
	}
}

var yarnOwn = words(`add install remove upgrade up init create global link unlink pack publish version versions cache audit outdated import info list
	login logout owner team tag why config node exec dlx npm set plugin workspaces workspace run patch patch-commit rebuild stage unplug
	constraints dedupe explain search bin help policies check autoclean generate-lock-entry licenses upgrade-interactive self-update`)

func (s *session) yarn(cmd command) {
	list := operands(beforeDashes(cmd.args), npmValued)
	if len(list) == 0 {
		return
	}

	in := s.packagesFor(cmd, []string{"--cwd"}, nil, nil)
	first := list[0].text
	switch {
	case first == "workspace" && len(list) > 2:
		in = s.packagesNamed(list[1:2])
		list = list[2:]
		first = list[0].text
	case first == "workspaces":
		return
	}
	if first == "create" || first == "init" {
		s.other(cmd)
		return
	}
	if first == "run" && len(list) > 1 {
		s.script(cmd.at, list[1], in, true)
		return
	}
	if !yarnOwn[first] {
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

	in := s.packagesFor(cmd, []string{"-C", "--dir", "--prefix"}, []string{"--filter", "-F"}, []string{"-r", "--recursive"})
	first := list[0].text
	switch {
	case first == "run" && len(list) > 1:
		s.script(cmd.at, list[1], in, false)
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
	if len(list) == 0 {
		return
	}
	name := list[0]
	if bunOwn[name.text] {
		return
	}
	if name.text == "run" {
		if len(list) == 1 {
			return
		}
		name = list[1]
	}

	if s.project.looksLikeFile(name.text) || strings.Contains(name.text, "/") {
		s.program(cmd.at, name)
		return
	}
	in := s.packagesFor(cmd, []string{"--cwd"}, []string{"--filter", "-F"}, nil)
	s.script(cmd.at, name, in, true)
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
