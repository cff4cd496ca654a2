package references

import (
	"path"
	"strings"
)

// machineMade are folders that tools fill: what is in them is never missed.
var machineMade = words(`node_modules bower_components jspm_packages dist out target coverage
	.git .hg .svn .venv venv .tox .nox .eggs __pycache__ .pytest_cache .mypy_cache .ruff_cache
	.next .nuxt .output .svelte-kit .astro .docusaurus .cache .parcel-cache .turbo .terraform .gradle
	.governance htmlcov site-packages storybook-static playwright-report test-results cdk.out`)

// oftenMade are folders that tools fill in some projects and people in others.
var oftenMade = words("build vendor tmp temp bin obj logs")

func isMachineMade(folder string) bool {
	return machineMade[folder]
}

// isMade reports whether a path is one that a build makes, or git leaves out.
func (p *project) isMade(name string) bool {
	name = path.Clean(name)
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if isMachineMade(part) {
			return true
		}
		if oftenMade[part] && !p.isFolder(strings.Join(parts[:i+1], "/")) {
			return true
		}
	}

	return p.ignored(name) || p.ignored(name+"/")
}

// ignored reports whether the project leaves a path out. A folder ends with a slash.
func (p *project) ignored(name string) bool {
	clean := strings.TrimSuffix(name, "/")
	if p.tree.Ignored != nil && p.tree.Ignored(clean) {
		return true
	}
	return p.ignore.Match(name)
}

func (p *project) readIgnoreFile(name string) {
	text, err := p.text(name)
	if err != nil {
		return
	}
	p.ignore.Add(path.Dir(name), string(text))
}
