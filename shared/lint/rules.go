package lint

// Rule describes one rule: its meaning, its severity and the repair. A finding's Code and Rule
// are the Code and Name of its rule.
type Rule struct {
	Code       string     `json:"code"`       // MCP001 to MCP008, one for each check; MCP000 for what was not understood
	Name       string     `json:"name"`       // stable kebab name, unique over all rules
	Category   string     `json:"category"`   // secrets exposure, supply-chain pinning, scope breadth, transport security or coverage
	Severities []Severity `json:"severities"` // severities of its findings, the most severe first
	OWASP      string     `json:"owasp"`      // OWASP MCP Top 10 id
	Hint       string     `json:"hint"`       // the repair in one sentence
	Doc        string     `json:"doc"`        // what the rule looks for, and what it leaves alone
}

// The four categories, with two checks each, and the coverage of the lint.
const (
	coverage  = "coverage"
	secrets   = "secrets exposure"
	supply    = "supply-chain pinning"
	scope     = "scope breadth"
	transport = "transport security"
)

const (
	tokenExposure = "MCP01:2025"
	scopeCreep    = "MCP02:2025"
	supplyChain   = "MCP04:2025"
	injection     = "MCP05:2025"
	authorization = "MCP07:2025"
	shadowServers = "MCP09:2025"
)

var (
	onlyError   = []Severity{Error}
	onlyWarn    = []Severity{Warn}
	onlyInfo    = []Severity{Info}
	errorOrWarn = []Severity{Error, Warn}
)

const (
	hintMoveSecret = "Move the value to a variable (${NAME}) or an input prompt, then revoke the old one and issue a new one."
	hintMoveArg    = "Give the value to the server through env or a header as a reference."
	hintPin        = "Write the exact version, commit or digest that was reviewed."
	hintMount      = "Hand over the project folder only, to a container with :ro."
	hintEncrypt    = "Use https or wss; for a private CA name its file instead of switching the check off."
)

// The rules, in the order of their codes.
var (
	ruleNotUnderstood = &Rule{
		Code:       "MCP000",
		Name:       "not-understood",
		Category:   coverage,
		Severities: onlyInfo,
		OWASP:      shadowServers,
		Hint:       "Write the server in a form that its client documents.",
		Doc:        "A server without a command or url, or a field of a JSON type that no client reads. Nothing about it was judged, so it is not clean.",
	}

	ruleProviderSecret = &Rule{
		Code:       "MCP001",
		Name:       "provider-secret",
		Category:   secrets,
		Severities: onlyError,
		OWASP:      tokenExposure,
		Hint:       hintMoveSecret,
		Doc:        "A value in env, headers, auth or any other field has the form of a known provider's token. References, masks (ntn_****) and examples are left alone; a real token beside a reference is not.",
	}
	rulePrivateKey = &Rule{
		Code:       "MCP001",
		Name:       "private-key",
		Category:   secrets,
		Severities: onlyError,
		OWASP:      tokenExposure,
		Hint:       hintMoveSecret,
		Doc:        "A value holds a PEM private key.",
	}
	ruleConnectionPassword = &Rule{
		Code:       "MCP001",
		Name:       "connection-password",
		Category:   secrets,
		Severities: onlyError,
		OWASP:      tokenExposure,
		Hint:       hintMoveSecret,
		Doc:        "A connection string carries its password. user:password@host and the defaults of a database on this machine are placeholders.",
	}
	ruleSecretInURLValue = &Rule{
		Code:       "MCP001",
		Name:       "secret-in-url-value",
		Category:   secrets,
		Severities: errorOrWarn,
		OWASP:      tokenExposure,
		Hint:       hintMoveSecret,
		Doc:        "A URL in env or headers has a literal secret in its query (error), or a key in its path: error on hosts that authenticate by the path, warn elsewhere.",
	}
	ruleNamedSecret = &Rule{
		Code:       "MCP001",
		Name:       "named-secret",
		Category:   secrets,
		Severities: errorOrWarn,
		OWASP:      tokenExposure,
		Hint:       hintMoveSecret,
		Doc:        "A name that calls for a secret has a literal value. Error from 6 characters for passwords, from 16 characters and 3 bits of entropy for tokens; warn below. Paths, switches, names of variables and placeholders are left alone.",
	}
	ruleSeedPhrase = &Rule{
		Code:       "MCP001",
		Name:       "seed-phrase",
		Category:   secrets,
		Severities: onlyError,
		OWASP:      tokenExposure,
		Hint:       "Move the phrase to a key store and the funds to a new wallet.",
		Doc:        "A wallet's seed or recovery phrase of 12 words or more.",
	}
	ruleOpaqueValue = &Rule{
		Code:       "MCP001",
		Name:       "opaque-value",
		Category:   secrets,
		Severities: onlyWarn,
		OWASP:      tokenExposure,
		Hint:       hintMoveSecret,
		Doc:        "A value of 32 characters or more that looks generated, under a name that does not say what it is. Paths, UUIDs, commits and digests are left alone.",
	}

	ruleSecretInArgv = &Rule{
		Code:       "MCP002",
		Name:       "secret-in-argv",
		Category:   secrets,
		Severities: onlyError,
		OWASP:      tokenExposure,
		Hint:       hintMoveArg,
		Doc:        "A literal secret in an argument: behind a flag, as NAME=value, in a header, in a URL, or by its form. Arguments are readable for every process of the machine.",
	}
	ruleReferenceInArgv = &Rule{
		Code:       "MCP002",
		Name:       "reference-in-argv",
		Category:   secrets,
		Severities: onlyInfo,
		OWASP:      tokenExposure,
		Hint:       hintMoveArg,
		Doc:        "A reference or placeholder for a secret in an argument: what it expands to ends in the process list. docker -e NAME without a value is the right form.",
	}
	ruleSecretInURL = &Rule{
		Code:       "MCP002",
		Name:       "secret-in-url",
		Category:   secrets,
		Severities: onlyError,
		OWASP:      tokenExposure,
		Hint:       "Send the secret as a header with a reference.",
		Doc:        "A literal user name, password, key in the path or secret parameter in an endpoint URL.",
	}
	ruleReferenceInURL = &Rule{
		Code:       "MCP002",
		Name:       "reference-in-url",
		Category:   secrets,
		Severities: onlyInfo,
		OWASP:      tokenExposure,
		Hint:       "Send the secret as a header with a reference.",
		Doc:        "A reference or placeholder for a secret in an endpoint URL, where logs and proxies keep it.",
	}

	ruleUnpinnedPackage = &Rule{
		Code:       "MCP003",
		Name:       "unpinned-package",
		Category:   supply,
		Severities: onlyWarn,
		OWASP:      supplyChain,
		Hint:       hintPin,
		Doc:        "A package runner (npx, pnpm dlx, yarn dlx, bunx, uvx, uv run --with, pipx, go run, deno run, dnx) is given a name without one exact version.",
	}
	ruleUnpinnedSource = &Rule{
		Code:       "MCP003",
		Name:       "unpinned-source",
		Category:   supply,
		Severities: onlyWarn,
		OWASP:      supplyChain,
		Hint:       hintPin,
		Doc:        "A package runner is given a repository or URL without a full commit of 40 digits.",
	}
	ruleMovingImageTag = &Rule{
		Code:       "MCP003",
		Name:       "moving-image-tag",
		Category:   supply,
		Severities: onlyWarn,
		OWASP:      supplyChain,
		Hint:       hintPin,
		Doc:        "A container image without a tag, or with one that is meant to move (latest, main, edge).",
	}
	ruleImageWithoutDigest = &Rule{
		Code:       "MCP003",
		Name:       "image-without-digest",
		Category:   supply,
		Severities: onlyInfo,
		OWASP:      supplyChain,
		Hint:       hintPin,
		Doc:        "A container image with a version tag but no @sha256 digest.",
	}
	ruleLauncherPackage = &Rule{
		Code:       "MCP003",
		Name:       "launcher-package",
		Category:   supply,
		Severities: onlyWarn,
		OWASP:      supplyChain,
		Hint:       "Start the package directly with an exact version.",
		Doc:        "A launcher such as @smithery/cli run fetches a second package for which it takes no version.",
	}

	ruleMaliciousPackage = &Rule{
		Code:       "MCP004",
		Name:       "malicious-package",
		Category:   supply,
		Severities: onlyError,
		OWASP:      supplyChain,
		Hint:       "Remove the package and revoke what it could read.",
		Doc:        "A package on the dated list of malicious packages.",
	}
	ruleVulnerablePackage = &Rule{
		Code:       "MCP004",
		Name:       "vulnerable-package",
		Category:   supply,
		Severities: onlyError,
		OWASP:      supplyChain,
		Hint:       "Upgrade to the version the finding names.",
		Doc:        "An exact version on the dated list of vulnerable versions. A package without a version cannot be judged and is MCP003 only.",
	}
	ruleRemoteCode = &Rule{
		Code:       "MCP004",
		Name:       "remote-code",
		Category:   supply,
		Severities: onlyError,
		OWASP:      injection,
		Hint:       "Install the program once, at a fixed version.",
		Doc:        "A download piped into an interpreter, eval of a download, bash <(curl …), iwr | iex.",
	}
	ruleEncodedCode = &Rule{
		Code:       "MCP004",
		Name:       "encoded-code",
		Category:   supply,
		Severities: onlyError,
		OWASP:      injection,
		Hint:       "Put the decoded program into a file that can be reviewed.",
		Doc:        "Code that is decoded and run: base64 -d | sh, PowerShell -EncodedCommand, exec(b64decode(…)).",
	}
	ruleCleartextSource = &Rule{
		Code:       "MCP004",
		Name:       "cleartext-source",
		Category:   supply,
		Severities: onlyError,
		OWASP:      supplyChain,
		Hint:       "Use https.",
		Doc:        "A package source or registry over http or git without encryption.",
	}
	ruleRegistryOverride = &Rule{
		Code:       "MCP004",
		Name:       "registry-override",
		Category:   supply,
		Severities: onlyWarn,
		OWASP:      supplyChain,
		Hint:       "Use the public registry, or name exact versions.",
		Doc:        "A flag or variable that makes the runner use another registry or index.",
	}
	ruleLookalikeScope = &Rule{
		Code:       "MCP004",
		Name:       "lookalike-scope",
		Category:   supply,
		Severities: onlyWarn,
		OWASP:      supplyChain,
		Hint:       "Compare the name with the vendor's own page.",
		Doc:        "An npm scope that looks like a well-known vendor's and is not.",
	}
	ruleArchivedServer = &Rule{
		Code:       "MCP004",
		Name:       "archived-server",
		Category:   supply,
		Severities: onlyInfo,
		OWASP:      supplyChain,
		Hint:       "Move to a maintained server.",
		Doc:        "A reference server that its maintainers archived. Registries do not mark them.",
	}

	ruleWholeDisk = &Rule{
		Code:       "MCP005",
		Name:       "whole-disk",
		Category:   scope,
		Severities: onlyError,
		OWASP:      scopeCreep,
		Hint:       hintMount,
		Doc:        "The root of a disk as an argument or a container mount.",
	}
	ruleHomeDirectory = &Rule{
		Code:       "MCP005",
		Name:       "home-directory",
		Category:   scope,
		Severities: onlyError,
		OWASP:      scopeCreep,
		Hint:       hintMount,
		Doc:        "A home directory, the folder of all home directories, or a variable that names one.",
	}
	ruleEngineSocket = &Rule{
		Code:       "MCP005",
		Name:       "engine-socket",
		Category:   scope,
		Severities: onlyError,
		OWASP:      scopeCreep,
		Hint:       "Leave the socket out, or put a filtering proxy in between.",
		Doc:        "The socket of a container engine, which is as good as root on the machine.",
	}
	ruleCredentialDirectory = &Rule{
		Code:       "MCP005",
		Name:       "credential-directory",
		Category:   scope,
		Severities: errorOrWarn,
		OWASP:      scopeCreep,
		Hint:       hintMount,
		Doc:        "A folder of credentials: .ssh, .aws, .gnupg, .kube, .docker, .azure, .config/gcloud. Warn when mounted read-only.",
	}
	ruleSystemDirectory = &Rule{
		Code:       "MCP005",
		Name:       "system-directory",
		Category:   scope,
		Severities: errorOrWarn,
		OWASP:      scopeCreep,
		Hint:       hintMount,
		Doc:        "/etc, /var, /proc, /sys or /dev as a whole, or a secret file below. Warn when mounted read-only.",
	}
	rulePersonalFolder = &Rule{
		Code:       "MCP005",
		Name:       "personal-folder",
		Category:   scope,
		Severities: onlyInfo,
		OWASP:      scopeCreep,
		Hint:       hintMount,
		Doc:        "The whole Documents, Desktop or Downloads folder.",
	}

	ruleElevatedUser = &Rule{
		Code:       "MCP006",
		Name:       "elevated-user",
		Category:   scope,
		Severities: onlyError,
		OWASP:      scopeCreep,
		Hint:       "Start the program as an ordinary user.",
		Doc:        "sudo, doas, su, pkexec or runas in front of the server.",
	}
	rulePrivilegedContainer = &Rule{
		Code:       "MCP006",
		Name:       "privileged-container",
		Category:   scope,
		Severities: onlyError,
		OWASP:      scopeCreep,
		Hint:       "Leave --privileged out.",
		Doc:        "docker run --privileged.",
	}
	ruleContainerCapability = &Rule{
		Code:       "MCP006",
		Name:       "container-capability",
		Category:   scope,
		Severities: onlyError,
		OWASP:      scopeCreep,
		Hint:       "Leave --cap-add out.",
		Doc:        "--cap-add ALL, SYS_ADMIN or SYS_PTRACE.",
	}
	ruleHostNamespace = &Rule{
		Code:       "MCP006",
		Name:       "host-namespace",
		Category:   scope,
		Severities: onlyWarn,
		OWASP:      scopeCreep,
		Hint:       "Leave the option out.",
		Doc:        "--network, --pid, --ipc, --uts, --userns or --cgroupns host.",
	}
	ruleUnconfinedContainer = &Rule{
		Code:       "MCP006",
		Name:       "unconfined-container",
		Category:   scope,
		Severities: onlyWarn,
		OWASP:      scopeCreep,
		Hint:       "Leave the option out.",
		Doc:        "--security-opt with seccomp or apparmor unconfined, or labels disabled.",
	}
	ruleContainerRoot = &Rule{
		Code:       "MCP006",
		Name:       "container-root",
		Category:   scope,
		Severities: onlyWarn,
		OWASP:      scopeCreep,
		Hint:       "Name an ordinary user.",
		Doc:        "A container with the option to run as root.",
	}
	ruleShellWrapper = &Rule{
		Code:       "MCP006",
		Name:       "shell-wrapper",
		Category:   scope,
		Severities: onlyWarn,
		OWASP:      injection,
		Hint:       "Name the program and its arguments directly, or start a script file.",
		Doc:        "sh -c, bash -lc, PowerShell -Command or npx -c in front of the server. cmd /c npx, the normal form on Windows, and bash script.sh are left alone.",
	}
	ruleInlineCode = &Rule{
		Code:       "MCP006",
		Name:       "inline-code",
		Category:   scope,
		Severities: onlyWarn,
		OWASP:      injection,
		Hint:       "Put the code into a file.",
		Doc:        "node -e, python -c and the like.",
	}
	rulePolicyBypass = &Rule{
		Code:       "MCP006",
		Name:       "policy-bypass",
		Category:   scope,
		Severities: onlyWarn,
		OWASP:      scopeCreep,
		Hint:       "Leave -ExecutionPolicy out.",
		Doc:        "PowerShell with the execution policy Bypass or Unrestricted.",
	}
	ruleAllPermissions = &Rule{
		Code:       "MCP006",
		Name:       "all-permissions",
		Category:   scope,
		Severities: onlyWarn,
		OWASP:      scopeCreep,
		Hint:       "Name the permissions.",
		Doc:        "deno -A.",
	}
	rulePreloadedCode = &Rule{
		Code:       "MCP006",
		Name:       "preloaded-code",
		Category:   scope,
		Severities: onlyWarn,
		OWASP:      injection,
		Hint:       "Leave the variable out.",
		Doc:        "LD_PRELOAD, DYLD_INSERT_LIBRARIES, or NODE_OPTIONS that loads code.",
	}
	ruleDangerousFlag = &Rule{
		Code:       "MCP006",
		Name:       "dangerous-flag",
		Category:   scope,
		Severities: onlyWarn,
		OWASP:      scopeCreep,
		Hint:       "Leave the flag out.",
		Doc:        "--dangerously-…, --yolo, --no-sandbox.",
	}
	ruleApproveEverything = &Rule{
		Code:       "MCP006",
		Name:       "approve-everything",
		Category:   scope,
		Severities: onlyWarn,
		OWASP:      scopeCreep,
		Hint:       "List the read-only tools by name.",
		Doc:        "trust: true, or an approval list with a wildcard. A list of named tools is left alone.",
	}

	ruleCleartextEndpoint = &Rule{
		Code:       "MCP007",
		Name:       "cleartext-endpoint",
		Category:   transport,
		Severities: onlyError,
		OWASP:      authorization,
		Hint:       hintEncrypt,
		Doc:        "http or ws to another machine, as the endpoint or as an argument of a bridge.",
	}
	ruleCleartextVariable = &Rule{
		Code:       "MCP007",
		Name:       "cleartext-variable",
		Category:   transport,
		Severities: onlyWarn,
		OWASP:      authorization,
		Hint:       hintEncrypt,
		Doc:        "http or ws to a dotted host in a variable. Neighbours in a container network have no dot.",
	}
	ruleVerificationOff = &Rule{
		Code:       "MCP007",
		Name:       "verification-off",
		Category:   transport,
		Severities: onlyError,
		OWASP:      authorization,
		Hint:       hintEncrypt,
		Doc:        "A variable or flag that switches the verification of certificates off.",
	}
	ruleBridgeAllowsHTTP = &Rule{
		Code:       "MCP007",
		Name:       "bridge-allows-http",
		Category:   transport,
		Severities: onlyWarn,
		OWASP:      authorization,
		Hint:       "Leave --allow-http out.",
		Doc:        "A bridge that is allowed to connect without encryption.",
	}

	ruleListensEverywhere = &Rule{
		Code:       "MCP008",
		Name:       "listens-everywhere",
		Category:   transport,
		Severities: onlyWarn,
		OWASP:      authorization,
		Hint:       "Bind to 127.0.0.1.",
		Doc:        "A flag or variable that binds the server to every interface.",
	}
	rulePublishedPort = &Rule{
		Code:       "MCP008",
		Name:       "published-port",
		Category:   transport,
		Severities: onlyWarn,
		OWASP:      authorization,
		Hint:       "Publish on 127.0.0.1.",
		Doc:        "docker -p without a loopback address, or -P.",
	}
	ruleMetadataAddress = &Rule{
		Code:       "MCP008",
		Name:       "metadata-address",
		Category:   transport,
		Severities: onlyError,
		OWASP:      authorization,
		Hint:       "Remove the address.",
		Doc:        "The address of a cloud's metadata service, in any notation.",
	}
	ruleTunnelHost = &Rule{
		Code:       "MCP008",
		Name:       "tunnel-host",
		Category:   transport,
		Severities: onlyWarn,
		OWASP:      authorization,
		Hint:       "Use the service's own name.",
		Doc:        "A tunnel (ngrok, trycloudflare) or wildcard DNS host (nip.io).",
	}
	ruleConfusableHost = &Rule{
		Code:       "MCP008",
		Name:       "confusable-host",
		Category:   transport,
		Severities: onlyWarn,
		OWASP:      authorization,
		Hint:       "Write the name in plain ASCII and compare it.",
		Doc:        "An internationalised host name, in Unicode or punycode.",
	}
	ruleLegacySSE = &Rule{
		Code:       "MCP008",
		Name:       "legacy-sse",
		Category:   transport,
		Severities: onlyInfo,
		OWASP:      authorization,
		Hint:       "Move to streamable HTTP.",
		Doc:        "The transport sse, or an endpoint that ends in /sse.",
	}
)

var allRules = []*Rule{
	ruleNotUnderstood,
	ruleProviderSecret, rulePrivateKey, ruleConnectionPassword, ruleSecretInURLValue, ruleNamedSecret, ruleSeedPhrase, ruleOpaqueValue,
	ruleSecretInArgv, ruleReferenceInArgv, ruleSecretInURL, ruleReferenceInURL,
	ruleUnpinnedPackage, ruleUnpinnedSource, ruleMovingImageTag, ruleImageWithoutDigest, ruleLauncherPackage,
	ruleMaliciousPackage, ruleVulnerablePackage, ruleRemoteCode, ruleEncodedCode, ruleCleartextSource, ruleRegistryOverride, ruleLookalikeScope, ruleArchivedServer,
	ruleWholeDisk, ruleHomeDirectory, ruleEngineSocket, ruleCredentialDirectory, ruleSystemDirectory, rulePersonalFolder,
	ruleElevatedUser, rulePrivilegedContainer, ruleContainerCapability, ruleHostNamespace, ruleUnconfinedContainer, ruleContainerRoot, ruleShellWrapper, ruleInlineCode, rulePolicyBypass, ruleAllPermissions, rulePreloadedCode, ruleDangerousFlag, ruleApproveEverything,
	ruleCleartextEndpoint, ruleCleartextVariable, ruleVerificationOff, ruleBridgeAllowsHTTP,
	ruleListensEverywhere, rulePublishedPort, ruleMetadataAddress, ruleTunnelHost, ruleConfusableHost, ruleLegacySSE,
}

// Rules returns every rule, ordered by code.
func Rules() []Rule {
	out := make([]Rule, len(allRules))
	for i, r := range allRules {
		out[i] = *r
		out[i].Severities = append([]Severity(nil), r.Severities...)
	}
	return out
}

// NotSeen lists what a static lint of a configuration cannot see. A score of 100 says nothing about
// any of it.
func NotSeen() []string {
	return []string{
		"What a server's tools do, or what their descriptions tell the model (OWASP MCP03 tool poisoning): the lint never starts a server.",
		"Instructions hidden in tool results or fetched content (MCP06 intent flow subversion).",
		"Whether calls are logged and who reads the log (MCP08 lack of audit).",
		"Servers that are running but not in this document (MCP09 shadow servers).",
		"What a server shares between users, sessions or models (MCP10 context over-sharing).",
		"Whether a remote endpoint checks authentication: a URL without a header is normal with OAuth and is no finding.",
		"What a variable, input prompt, env file, script file or container image holds.",
		"Whether a pinned version is free of flaws: only the versions on a small dated list are known.",
		"The dependencies of a pinned package, which its own ranges choose at install time.",
		"Wrappers beyond six levels, and programs that start others in ways the lint does not know.",
	}
}
