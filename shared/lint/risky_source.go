package lint

import "strings"

// riskySource is MCP004: code from a place that is known to be bad, that cannot be checked, or that
// is not the place the name suggests.
func riskySource(s *server, r *report) {
	for _, c := range s.run.calls {
		for _, p := range c.pkgs {
			judgeSource(r, p)
		}
		judgeRegistryFlags(r, c)
		judgeInlineFetch(r, c)
		judgeSecondPackage(r, c)
	}

	for _, f := range s.run.fetched {
		if f.decoded {
			r.add(
				ruleEncodedCode,
				Error,
				f.at,
				say("the command decodes a text and runs what comes out, so the configuration does not show what runs"),
				say("put the decoded program into a file you can review and start that file"),
			)
		} else {
			r.add(
				ruleRemoteCode,
				Error,
				f.at,
				say("the command downloads code and runs it at once, unread and different at every start"),
				say("install the program once, at a fixed version, and start the installed program"),
			)
		}
	}

	for _, v := range s.variables {
		if registryVariables[strings.ToLower(v.name)] {
			judgeRegistry(r, v.name, v.value, v.at)
		}
	}
}

func judgeSource(r *report, p pkg) {
	if a := advisoryFor(p); a != nil {
		if a.malicious {
			r.add(
				ruleMaliciousPackage,
				Error,
				p.at,
				say("the package ", shown(p.name), " is known to be malicious: "+a.source),
				say("remove it, revoke what it could read, and use "+a.fix),
			)
		} else {
			if fixed, ok := strings.CutSuffix(a.fix, " or later"); ok {
				sign := "@"
				if p.ecosystem == "python" {
					sign = "=="
				}
				r.repair(ruleVulnerablePackage, p.at, sign+p.version, sign+fixed)
			}

			r.add(
				ruleVulnerablePackage,
				Error,
				p.at,
				say(
					"the version ",
					shown(p.version),
					" of ",
					shown(p.name),
					" is known to be vulnerable: "+a.source,
				),
				say("upgrade to "+a.fix),
			)
		}
	}

	if p.cleartext {
		r.add(
			ruleCleartextSource,
			Error,
			p.at,
			say(
				"the package source ",
				shown(p.name),
				" is fetched without encryption, so anyone on the way can replace it",
			),
			say("use git+https:// or https:// and name a full commit"),
		)
	}

	if p.ecosystem == "npm" {
		if vendor, ok := imitates(p.name); ok {
			r.add(
				ruleLookalikeScope,
				Warn,
				p.at,
				say("the scope of ", shown(p.name), " looks like @"+vendor+" and is not"),
				say("check the name on the vendor's own page; its packages are under @"+vendor),
			)
		}
	}

	if (p.ecosystem == "npm" || p.ecosystem == "python") && archived[strings.ToLower(p.name)] {
		r.add(
			ruleArchivedServer,
			Info,
			p.at,
			say("the reference server ", shown(p.name), " is archived and no longer maintained"),
			say("move to the server that the vendor maintains, or to a maintained fork you have reviewed"),
		)
	}
}

// judgeSecondPackage judges the packages in the arguments of a launcher, which fetches them.
func judgeSecondPackage(r *report, c *call) {
	if launchers[c.program] == "" {
		return
	}
	for _, a := range c.args {
		if strings.HasPrefix(a.text, "@") || advisoryNames[a.text] {
			judgeSource(r, npmPackage(a))
		}
	}
}

var advisoryNames = func() map[string]bool {
	m := map[string]bool{}
	for _, a := range advisories {
		m[a.name] = true
	}
	return m
}()

var registryFlags = setOf("--registry", "--index-url", "-i", "--extra-index-url", "--index", "--default-index", "--find-links", "-f", "--add-source", "--source", "--pip-args")

var registryVariables = setOf("npm_config_registry", "yarn_npm_registry_server", "yarn_registry", "bun_config_registry", "pnpm_config_registry",
	"uv_index_url", "uv_extra_index_url", "uv_index", "uv_default_index", "uv_find_links", "pip_index_url", "pip_extra_index_url", "pip_find_links", "goproxy", "deno_npm_registry", "jsr_url")

// fetching are the programs whose registry flags mean a package registry.
var fetching = setOf("npx", "pnpx", "bunx", "npm", "pnpm", "yarn", "bun", "uvx", "uv", "pipx", "pip", "pip3", "dnx", "dotnet", "deno", "npx-cli.js")

func judgeRegistryFlags(r *report, c *call) {
	if !fetching[c.program] {
		return
	}

	args := c.options()
	for i, a := range args {
		name, value, hasValue := strings.Cut(a.text, "=")
		at := a.at
		if !registryFlag(c.program, name) {
			continue
		}

		if !hasValue {
			if i+1 == len(args) {
				continue
			}
			value = args[i+1].text
			at = args[i+1].at
		}

		if name == "--pip-args" && !strings.Contains(value, "index-url") {
			continue
		}
		judgeRegistry(r, name, value, at)
	}
}

// registryFlag reports whether a flag of a program names a package registry.
func registryFlag(program, name string) bool {
	if name == "-i" && (program == "npm" || program == "npx") {
		return false
	}
	return registryFlags[name] || strings.HasSuffix(name, ":registry")
}

// officialRegistries are the public registries, which are not reported.
var officialRegistries = setOf("registry.npmjs.org", "registry.yarnpkg.com", "pypi.org", "files.pythonhosted.org", "proxy.golang.org", "jsr.io", "npm.jsr.io", "api.nuget.org", "www.nuget.org")

func judgeRegistry(r *report, name, value string, at *place) {
	value = strings.TrimSpace(value)
	if value == "" || value == "direct" || value == "off" {
		return
	}

	official := true
	for part := range strings.FieldsFuncSeq(value, separatesRegistries) {
		if _, u, ok := strings.Cut(part, "="); ok && web(u) { // uv's name=URL
			part = u
		}

		a := splitURL(part)
		if a.scheme == "http" && !loopback(a.host) && !a.unknown() {
			r.add(
				ruleCleartextSource,
				Error,
				at,
				say(shown(name), " names a package registry without encryption, so anyone on the way can replace what is installed"),
				say("use https:// for the registry"),
			)

			return
		}

		isOfficial := officialRegistries[a.host] && a.scheme == "https"
		isSwitch := part == "direct" || part == "off"
		if !isOfficial && !isSwitch {
			official = false
		}
	}

	if !official {
		r.add(
			ruleRegistryOverride,
			Warn,
			at,
			say(shown(name), " makes the runner fetch packages from another registry than the public one, which decides what every name means"),
			say("leave the registry out, or name every package by exact version and digest there"),
		)
	}
}

func separatesRegistries(r rune) bool {
	return r == ',' || r == '|' || r == ' '
}

// judgeInlineFetch looks for inline code that fetches or decodes further code and runs it.
func judgeInlineFetch(r *report, c *call) {
	code, at := inlineCode(c)
	if at == nil {
		return
	}

	lower := strings.ToLower(code)
	if !hasAny(lower, evaluations) {
		return
	}

	switch {
	case hasAny(lower, decodings):
		r.add(
			ruleEncodedCode,
			Error,
			at,
			say("the code given to ", shown(c.program), " decodes a text and runs what comes out"),
			say("put the decoded program into a file you can review and start that file"),
		)
	case hasAny(lower, downloads):
		r.add(
			ruleRemoteCode,
			Error,
			at,
			say("the code given to ", shown(c.program), " downloads code and runs it at once"),
			say("install the program once, at a fixed version, and start the installed program"),
		)
	}
}

// The calls with which Python and JavaScript, in lower case, run, decode and download code.
var (
	evaluations = []string{"exec(", "eval(", "new function(", "runinthiscontext("}
	decodings   = []string{"b64decode", "atob(", "'base64'", `"base64"`, "fromhex("}
	downloads   = []string{"urlopen(", "requests.get(", "fetch(", "http.get(", "https.get("}
)
