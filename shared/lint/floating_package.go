package lint

import "strings"

// floatingPackage is MCP003: a package without a fixed version, so that the registry decides at every
// start which code runs.
func floatingPackage(s *server, r *report) {
	for _, c := range s.run.calls {
		for _, p := range c.pkgs {
			judgePin(r, c, p)
		}
		judgeLauncher(r, c)
	}
}

func judgePin(r *report, c *call, p pkg) {
	subject := p.name
	if subject == "" {
		subject = p.spec
	}

	switch p.state {
	case floating:
		how := " names no version of the package "
		if p.version != "" {
			how = " names a tag or range, not an exact version, of the package "
		}
		r.add(ruleUnpinnedPackage, Warn, p.at, say(shown(c.program), how, shown(subject)), pinHint(p))
	case floatingSource:
		r.add(ruleUnpinnedSource, Warn, p.at, say(shown(c.program), " runs whatever the repository or URL of ",
			shown(subject), " holds today"),
			say("name a full commit: append # (npm) or @ (uv, pipx) and the 40 digits of the commit you reviewed"))
	case movingTag:
		r.add(ruleMovingImageTag, Warn, p.at, say(
			"the image ",
			shown(subject),
			" has no tag or a tag that moves",
		),
			say("append @sha256: and the digest of the image you reviewed; docker buildx imagetools inspect ",
				shown(subject), " prints it"))
	case fixedTag:
		r.add(ruleImageWithoutDigest, Info, p.at, say(
			"the image ",
			shown(subject),
			" is named by a tag, which its owner can move",
		),
			say("append @sha256: and the digest that docker buildx imagetools inspect ",
				shown(p.spec), " prints"))
	}
}

// pinHint shows the corrected form in the package manager's own notation.
func pinHint(p pkg) phrase {
	switch p.ecosystem {
	case "python":
		return say("write the exact version you reviewed, in the form ", shown(p.name), "==1.2.3")
	case "go":
		return say("write the exact version you reviewed, in the form ", shown(p.name), "@v1.2.3")
	}
	return say("write the exact version you reviewed, in the form ", shown(p.name), "@1.2.3")
}

// launchers are command-line programs that fetch and run a second package named in their arguments,
// for which they offer no version.
var launchers = map[string]string{
	"@smithery/cli":          "run install",
	"smithery":               "run",
	"@michaellatman/mcp-get": "install run",
	"@mcp-get/cli":           "install run",
	"mcpm":                   "run",
	"thv":                    "run",
	"@toolhive/cli":          "run",
	"@mcp-marketplace/cli":   "run",
}

func judgeLauncher(r *report, c *call) {
	name := c.program
	verbs, ok := launchers[name]
	if !ok || len(c.args) == 0 {
		return
	}

	_, at := options(c.args, "--key --profile --config --client")
	if at >= len(c.args) || !hasWord(verbs, c.args[at].text) {
		return
	}

	_, next := options(c.args[at+1:], "--key --profile --config --client")
	if next += at + 1; next >= len(c.args) {
		return
	}

	p := npmPackage(c.args[next])
	if p.state == local || p.state == exact && p.version != "" {
		return
	}

	r.add(ruleLauncherPackage, Warn, c.args[next].at, say(shown(name), " fetches a second package without a version: ",
		shown(strings.TrimSpace(p.spec))),
		say("start that package directly with an exact version, for example npx -y package@1.2.3"))
}
