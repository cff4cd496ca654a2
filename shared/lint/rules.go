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
	ruleNotUnderstood = &Rule{"MCP000", "not-understood", coverage, onlyInfo, shadowServers, "Write the server in a form that its client documents.", "A server without a command or url, or a field of a JSON type that no client reads. Nothing about it was judged, so it is not clean."}

	ruleProviderSecret     = &Rule{"MCP001", "provider-secret", secrets, onlyError, tokenExposure, hintMoveSecret, "A value in env, headers, auth or any other field has the form of a known provider's token. References, masks (ntn_****) and examples are left alone; a real token beside a reference is not."}
	rulePrivateKey         = &Rule{"MCP001", "private-key", secrets, onlyError, tokenExposure, hintMoveSecret, "A value holds a PEM private key."}
	ruleConnectionPassword = &Rule{"MCP001", "connection-password", secrets, onlyError, tokenExposure, hintMoveSecret, "A connection string carries its password. user:password@host and the defaults of a database on this machine are placeholders."}
	ruleSecretInURLValue   = &Rule{"MCP001", "secret-in-url-value", secrets, errorOrWarn, tokenExposure, hintMoveSecret, "A URL in env or headers has a literal secret in its query (error), or a key in its path: error on hosts that authenticate by the path, warn elsewhere."}
	ruleNamedSecret        = &Rule{"MCP001", "named-secret", secrets, errorOrWarn, tokenExposure, hintMoveSecret, "A name that calls for a secret has a literal value. Error from 6 characters for passwords, from 16 characters and 3 bits of entropy for tokens; warn below. Paths, switches, names of variables and placeholders are left alone."}
	ruleSeedPhrase         = &Rule{"MCP001", "seed-phrase", secrets, onlyError, tokenExposure, "Move the phrase to a key store and the funds to a new wallet.", "A wallet's seed or recovery phrase of 12 words or more."}
	ruleOpaqueValue        = &Rule{"MCP001", "opaque-value", secrets, onlyWarn, tokenExposure, hintMoveSecret, "A value of 32 characters or more that looks generated, under a name that does not say what it is. Paths, UUIDs, commits and digests are left alone."}

	ruleSecretInArgv    = &Rule{"MCP002", "secret-in-argv", secrets, onlyError, tokenExposure, hintMoveArg, "A literal secret in an argument: behind a flag, as NAME=value, in a header, in a URL, or by its form. Arguments are readable for every process of the machine."}
	ruleReferenceInArgv = &Rule{"MCP002", "reference-in-argv", secrets, onlyInfo, tokenExposure, hintMoveArg, "A reference or placeholder for a secret in an argument: what it expands to ends in the process list. docker -e NAME without a value is the right form."}
	ruleSecretInURL     = &Rule{"MCP002", "secret-in-url", secrets, onlyError, tokenExposure, "Send the secret as a header with a reference.", "A literal user name, password, key in the path or secret parameter in an endpoint URL."}
	ruleReferenceInURL  = &Rule{"MCP002", "reference-in-url", secrets, onlyInfo, tokenExposure, "Send the secret as a header with a reference.", "A reference or placeholder for a secret in an endpoint URL, where logs and proxies keep it."}

	ruleUnpinnedPackage    = &Rule{"MCP003", "unpinned-package", supply, onlyWarn, supplyChain, hintPin, "A package runner (npx, pnpm dlx, yarn dlx, bunx, uvx, uv run --with, pipx, go run, deno run, dnx) is given a name without one exact version."}
	ruleUnpinnedSource     = &Rule{"MCP003", "unpinned-source", supply, onlyWarn, supplyChain, hintPin, "A package runner is given a repository or URL without a full commit of 40 digits."}
	ruleMovingImageTag     = &Rule{"MCP003", "moving-image-tag", supply, onlyWarn, supplyChain, hintPin, "A container image without a tag, or with one that is meant to move (latest, main, edge)."}
	ruleImageWithoutDigest = &Rule{"MCP003", "image-without-digest", supply, onlyInfo, supplyChain, hintPin, "A container image with a version tag but no @sha256 digest."}
	ruleLauncherPackage    = &Rule{"MCP003", "launcher-package", supply, onlyWarn, supplyChain, "Start the package directly with an exact version.", "A launcher such as @smithery/cli run fetches a second package for which it takes no version."}

	ruleMaliciousPackage  = &Rule{"MCP004", "malicious-package", supply, onlyError, supplyChain, "Remove the package and revoke what it could read.", "A package on the dated list of malicious packages."}
	ruleVulnerablePackage = &Rule{"MCP004", "vulnerable-package", supply, onlyError, supplyChain, "Upgrade to the version the finding names.", "An exact version on the dated list of vulnerable versions. A package without a version cannot be judged and is MCP003 only."}
	ruleRemoteCode        = &Rule{"MCP004", "remote-code", supply, onlyError, injection, "Install the program once, at a fixed version.", "A download piped into an interpreter, eval of a download, bash <(curl …), iwr | iex."}
	ruleEncodedCode       = &Rule{"MCP004", "encoded-code", supply, onlyError, injection, "Put the decoded program into a file that can be reviewed.", "Code that is decoded and run: base64 -d | sh, PowerShell -EncodedCommand, exec(b64decode(…))."}
	ruleCleartextSource   = &Rule{"MCP004", "cleartext-source", supply, onlyError, supplyChain, "Use https.", "A package source or registry over http or git without encryption."}
	ruleRegistryOverride  = &Rule{"MCP004", "registry-override", supply, onlyWarn, supplyChain, "Use the public registry, or name exact versions.", "A flag or variable that makes the runner use another registry or index."}
	ruleLookalikeScope    = &Rule{"MCP004", "lookalike-scope", supply, onlyWarn, supplyChain, "Compare the name with the vendor's own page.", "An npm scope that looks like a well-known vendor's and is not."}
	ruleArchivedServer    = &Rule{"MCP004", "archived-server", supply, onlyInfo, supplyChain, "Move to a maintained server.", "A reference server that its maintainers archived. Registries do not mark them."}

	ruleWholeDisk           = &Rule{"MCP005", "whole-disk", scope, onlyError, scopeCreep, hintMount, "The root of a disk as an argument or a container mount."}
	ruleHomeDirectory       = &Rule{"MCP005", "home-directory", scope, onlyError, scopeCreep, hintMount, "A home directory, the folder of all home directories, or a variable that names one."}
	ruleEngineSocket        = &Rule{"MCP005", "engine-socket", scope, onlyError, scopeCreep, "Leave the socket out, or put a filtering proxy in between.", "The socket of a container engine, which is as good as root on the machine."}
	ruleCredentialDirectory = &Rule{"MCP005", "credential-directory", scope, errorOrWarn, scopeCreep, hintMount, "A folder of credentials: .ssh, .aws, .gnupg, .kube, .docker, .azure, .config/gcloud. Warn when mounted read-only."}
	ruleSystemDirectory     = &Rule{"MCP005", "system-directory", scope, errorOrWarn, scopeCreep, hintMount, "/etc, /var, /proc, /sys or /dev as a whole, or a secret file below. Warn when mounted read-only."}
	rulePersonalFolder      = &Rule{"MCP005", "personal-folder", scope, onlyInfo, scopeCreep, hintMount, "The whole Documents, Desktop or Downloads folder."}

	ruleElevatedUser        = &Rule{"MCP006", "elevated-user", scope, onlyError, scopeCreep, "Start the program as an ordinary user.", "sudo, doas, su, pkexec or runas in front of the server."}
	rulePrivilegedContainer = &Rule{"MCP006", "privileged-container", scope, onlyError, scopeCreep, "Leave --privileged out.", "docker run --privileged."}
	ruleContainerCapability = &Rule{"MCP006", "container-capability", scope, onlyError, scopeCreep, "Leave --cap-add out.", "--cap-add ALL, SYS_ADMIN or SYS_PTRACE."}
	ruleHostNamespace       = &Rule{"MCP006", "host-namespace", scope, onlyWarn, scopeCreep, "Leave the option out.", "--network, --pid, --ipc, --uts, --userns or --cgroupns host."}
	ruleUnconfinedContainer = &Rule{"MCP006", "unconfined-container", scope, onlyWarn, scopeCreep, "Leave the option out.", "--security-opt with seccomp or apparmor unconfined, or labels disabled."}
	ruleContainerRoot       = &Rule{"MCP006", "container-root", scope, onlyWarn, scopeCreep, "Name an ordinary user.", "A container with the option to run as root."}
	ruleShellWrapper        = &Rule{"MCP006", "shell-wrapper", scope, onlyWarn, injection, "Name the program and its arguments directly, or start a script file.", "sh -c, bash -lc, PowerShell -Command or npx -c in front of the server. cmd /c npx, the normal form on Windows, and bash script.sh are left alone."}
	ruleInlineCode          = &Rule{"MCP006", "inline-code", scope, onlyWarn, injection, "Put the code into a file.", "node -e, python -c and the like."}
	rulePolicyBypass        = &Rule{"MCP006", "policy-bypass", scope, onlyWarn, scopeCreep, "Leave -ExecutionPolicy out.", "PowerShell with the execution policy Bypass or Unrestricted."}
	ruleAllPermissions      = &Rule{"MCP006", "all-permissions", scope, onlyWarn, scopeCreep, "Name the permissions.", "deno -A."}
	rulePreloadedCode       = &Rule{"MCP006", "preloaded-code", scope, onlyWarn, injection, "Leave the variable out.", "LD_PRELOAD, DYLD_INSERT_LIBRARIES, or NODE_OPTIONS that loads code."}
	ruleDangerousFlag       = &Rule{"MCP006", "dangerous-flag", scope, onlyWarn, scopeCreep, "Leave the flag out.", "--dangerously-…, --yolo, --no-sandbox."}
	ruleApproveEverything   = &Rule{"MCP006", "approve-everything", scope, onlyWarn, scopeCreep, "List the read-only tools by name.", "trust: true, or an approval list with a wildcard. A list of named tools is left alone."}

	ruleCleartextEndpoint = &Rule{"MCP007", "cleartext-endpoint", transport, onlyError, authorization, hintEncrypt, "http or ws to another machine, as the endpoint or as an argument of a bridge."}
	ruleCleartextVariable = &Rule{"MCP007", "cleartext-variable", transport, onlyWarn, authorization, hintEncrypt, "http or ws to a dotted host in a variable. Neighbours in a container network have no dot."}
	ruleVerificationOff   = &Rule{"MCP007", "verification-off", transport, onlyError, authorization, hintEncrypt, "A variable or flag that switches the verification of certificates off."}
	ruleBridgeAllowsHTTP  = &Rule{"MCP007", "bridge-allows-http", transport, onlyWarn, authorization, "Leave --allow-http out.", "A bridge that is allowed to connect without encryption."}

	ruleListensEverywhere = &Rule{"MCP008", "listens-everywhere", transport, onlyWarn, authorization, "Bind to 127.0.0.1.", "A flag or variable that binds the server to every interface."}
	rulePublishedPort     = &Rule{"MCP008", "published-port", transport, onlyWarn, authorization, "Publish on 127.0.0.1.", "docker -p without a loopback address, or -P."}
	ruleMetadataAddress   = &Rule{"MCP008", "metadata-address", transport, onlyError, authorization, "Remove the address.", "The address of a cloud's metadata service, in any notation."}
	ruleTunnelHost        = &Rule{"MCP008", "tunnel-host", transport, onlyWarn, authorization, "Use the service's own name.", "A tunnel (ngrok, trycloudflare) or wildcard DNS host (nip.io)."}
	ruleConfusableHost    = &Rule{"MCP008", "confusable-host", transport, onlyWarn, authorization, "Write the name in plain ASCII and compare it.", "An internationalised host name, in Unicode or punycode."}
	ruleLegacySSE         = &Rule{"MCP008", "legacy-sse", transport, onlyInfo, authorization, "Move to streamable HTTP.", "The transport sse, or an endpoint that ends in /sse."}
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
		"The dependencies behind a pinned package, which its own ranges choose at install time.",
		"Wrappers beyond six levels, and programs that start others in ways the lint does not know.",
	}
}
