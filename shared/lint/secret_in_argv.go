package lint

import (
	"strings"

	"governance.internal/shared/secretscan"
)

// secretInArgv is MCP002: a credential in an argument or a URL. Arguments are readable for every
// process of the machine and end in crash reports; URLs end in logs and proxies. A reference there
// is better than a literal, but its value is exposed too, so it is reported as a note.
func secretInArgv(s *server, r *report) {
	for _, c := range s.run.calls {
		args := c.options()
		for i := range args {
			var next word
			if i+1 < len(args) {
				next = args[i+1]
			}

			header := i > 0 && headerFlag(args[i-1].text)
			name, isName := headerName(args[i].text)
			if header && isName && next.at != nil {
				judgeExposed(r, name, next.text, next.at)
				continue
			}

			judgeArgument(r, args[i], next, header)
			judgeEmbeddedArgument(r, args[i])
		}
	}

	for _, a := range s.run.assigned {
		if secretscan.SecretName(a.name) {
			judgeExposed(r, a.name, a.value, a.at)
		}
		judgeText(r, word{a.value, a.at}, ruleSecretInArgv, ruleReferenceInArgv, false)
	}

	for _, w := range s.argv { // also the words that unwrapping did not understand
		judgeTokens(r, w, ruleSecretInArgv)
	}

	for _, u := range s.urls {
		judgeTokens(r, u, ruleSecretInURL)
		judgeText(r, u, ruleSecretInURL, ruleReferenceInURL, true)
	}
}

// headerName returns the name of a header whose value is the next word: "X-API-Key:" or
// "Authorization".
func headerName(t string) (name string, ok bool) {
	name = strings.TrimSuffix(strings.TrimSpace(t), ":")
	ok = secretscan.SecretName(name) && !strings.ContainsAny(name, ":= ")
	return name, ok
}

// judgeEmbeddedArgument looks into an argument that is JSON, as in --config={...}.
func judgeEmbeddedArgument(r *report, arg word) {
	for name, scalar := range embedded(argumentJSON(arg.text)) {
		if secretscan.SecretName(name) {
			judgeExposed(r, name, scalar.text, arg.at)
		}
	}
}

func headerFlag(s string) bool {
	switch s {
	case "--header", "-H", "--headers", "-header", "--http-header", "--add-header":
		return true
	}
	return false
}

// judgeArgument judges one argument: a value after a flag, NAME=value, a header, or text that is a
// secret by its form.
func judgeArgument(r *report, arg, next word, header bool) {
	t := arg.text
	judgeText(r, arg, ruleSecretInArgv, ruleReferenceInArgv, false)
	switch {
	case header || bareHeader(t):
		judgeHeader(r, t, arg.at)
	case t == "-t" || t == "-k":
		judgeShort(r, t, next)
	case len(t) == 2 && t[0] == '-':
	case strings.HasPrefix(t, "-"):
		judgeLong(r, arg, next)
	default:
		judgeAssignment(r, t, arg.at)
	}
}

// judgeLong judges a long flag, whose value may be the next word.
func judgeLong(r *report, arg, next word) {
	name, value, hasValue := strings.Cut(strings.TrimLeft(arg.text, "-"), "=")
	if hasValue {
		judgeFlag(r, name, value, arg.at)
		return
	}

	isValue := next.at != nil && !strings.HasPrefix(next.text, "-")
	if isValue && secretscan.SecretName(name) {
		judgeExposed(r, "--"+name, next.text, next.at)
	}
}

// judgeFlag judges --name=value.
func judgeFlag(r *report, name, value string, at *place) {
	switch {
	case headerFlag("--" + name):
		judgeHeader(r, value, at)
	case secretscan.SecretName(name):
		judgeExposed(r, "--"+name, value, at)
	default:
		judgeAssignment(r, value, at) // --env=API_KEY=…
	}
}

// judgeAssignment judges NAME=value.
func judgeAssignment(r *report, t string, at *place) {
	name, value, ok := assigns(t)
	if ok && secretscan.SecretName(name) {
		judgeExposed(r, name, value, at)
	}
}

// bareHeader recognises a header without a flag before it.
func bareHeader(t string) bool {
	name, value, ok := strings.Cut(t, ":")
	if !ok || value == "" || strings.HasPrefix(value, "/") {
		return false
	}

	lower := strings.ToLower(name)
	if lower == "authorization" || lower == "proxy-authorization" {
		return true
	}
	return strings.HasPrefix(lower, "x-") && secretscan.SecretName(name)
}

func judgeHeader(r *report, t string, at *place) {
	name, value, ok := strings.Cut(t, ":")
	if !ok {
		name, value, ok = strings.Cut(t, "=")
	}
	if name = strings.Trim(name, "\"' "); ok && secretscan.SecretName(name) {
		judgeExposed(r, name, strings.TrimSpace(value), at)
	}
}

// judgeExposed judges the value of a secret-named flag, variable or header.
func judgeExposed(r *report, name, value string, at *place) {
	literal, _ := secretscan.Literal(value)
	switch {
	case strings.TrimSpace(value) == "" ||
		secretscan.Trivial(value) ||
		scheme(literal) != "" ||
		plainValue(name, literal):
	case literal == "":
		r.add(
			ruleReferenceInArgv,
			Info,
			at,
			say(
				"the value of ",
				shown(name),
				" ends in the argument list, where every process of the machine can read it",
			),
			hintArgument,
		)
	default:
		r.secret(literal)
		r.add(
			ruleSecretInArgv,
			Error,
			at,
			say("a literal secret is in the arguments ("+length(literal)+"), as the value of ", shown(name)),
			hintArgument,
		)
	}
}

var hintArgument = say("give it to the server through env as \"${NAME}\" (docker: -e NAME without a value), or in a header of the url form; if it was literal, revoke it and issue a new one")

// judgeShort judges -t and -k, which have many meanings: only a value that looks like a secret, or a
// placeholder that asks for one, counts.
func judgeShort(r *report, name string, value word) {
	t := value.text
	literal, _ := secretscan.Literal(t)
	switch {
	case literal == "" &&
		t != "" &&
		!secretscan.Trivial(t) &&
		asksForSecret(t):
		r.add(
			ruleReferenceInArgv,
			Info,
			value.at,
			say("the value of "+name+" ends in the argument list, where every process of the machine can read it"),
			hintArgument,
		)
	case secretscan.TokenLike(literal) &&
		strings.ContainsAny(literal, "0123456789") &&
		!strings.ContainsAny(literal, "/:. ,"):
		r.secret(literal)
		r.add(
			ruleSecretInArgv,
			Error,
			value.at,
			say("a literal secret is in the arguments ("+length(literal)+"), as the value of "+name),
			hintArgument,
		)
	}
}

func asksForSecret(placeholder string) bool {
	return hasAny(strings.ToLower(placeholder), secretWords)
}

var secretWords = []string{"token", "key", "secret", "pass", "pat", "credential", "xxxx", "***"}

// judgeTokens reports secrets that show themselves by their shape.
func judgeTokens(r *report, w word, rule *Rule) {
	for _, m := range secretscan.Scan(w.text) {
		secret := w.text[m.Start:m.End]
		r.secret(secret)
		where := "the arguments"
		if rule == ruleSecretInURL {
			where = "the URL"
		}

		r.add(
			rule,
			Error,
			w.at,
			say("a literal secret is in "+where+" ("+m.Provider+", "+length(secret)+")"),
			hintFor(rule),
		)
	}
}

func hintFor(rule *Rule) phrase {
	if rule == ruleSecretInURL || rule == ruleReferenceInURL {
		return hintURL
	}
	return hintArgument
}

var hintURL = say("send it as a header instead: \"headers\": {\"Authorization\": \"Bearer ${TOKEN}\"}; if it was literal, revoke it and issue a new one")

// judgeText looks into URLs for user names, passwords and secret parameters. Endpoint marks the url
// fields, where a user name alone is a disguise: http://localhost@evil.example goes to evil.example.
func judgeText(r *report, w word, literalRule, referenceRule *Rule, endpoint bool) {
	t := w.text
	if !strings.Contains(t, "://") {
		return
	}
	if !endpoint && strings.HasPrefix(t, "-") {
		_, t, _ = strings.Cut(t, "=")
	}

	for _, c := range secretscan.Connections(t) {
		judgeConnection(r, c, w.at, literalRule, referenceRule, endpoint)
	}

	if !web(t) {
		return
	}
	a := splitURL(t)
	for name, value := range query(a.query) {
		if !secretscan.SecretName(name) || secretscan.Trivial(value) {
			continue
		}
		if literal, _ := secretscan.Literal(value); literal != "" {
			r.secret(literal)
			r.add(
				literalRule,
				Error,
				w.at,
				say("a literal secret is in the URL ("+length(literal)+"), as parameter ", shown(name)),
				hintFor(literalRule),
			)
		} else {
			r.add(
				referenceRule,
				Info,
				w.at,
				say("the URL carries a secret in parameter ", shown(name), ", where logs and proxies keep it"),
				hintFor(referenceRule),
			)
		}
	}

	if segment, known := secretSegment(a); known {
		r.secret(segment)
		r.add(
			literalRule,
			Error,
			w.at,
			say("the path of the URL carries a key ("+length(segment)+")"),
			hintFor(literalRule),
		)
	}
}

func judgeConnection(r *report, c secretscan.Connection, at *place, literalRule, referenceRule *Rule, endpoint bool) {
	secret := c.Password
	web := c.Scheme == "http" ||
		c.Scheme == "https" ||
		c.Scheme == "ws" ||
		c.Scheme == "wss" ||
		strings.HasPrefix(c.Scheme, "git+http")

	if secret == "" {
		if !web ||
			c.User == "git" ||
			!endpoint && !secretscan.TokenLike(c.User) && !secretscan.Placeholder(c.User) {
			return
		}
		secret = c.User
	} else if endpoint &&
		web &&
		secretscan.Trivial(secret) { // user:80@: a host name in disguise
		secret = c.User
		c.Password = ""
	}

	if literal, _ := secretscan.Literal(unescape(secret)); literal != "" &&
		(c.Password == "" || c.LiteralPassword()) {
		r.secret(literal)
		r.add(
			literalRule,
			Error,
			at,
			say("the URL carries a user name or password before its host ("+length(literal)+")"),
			hintFor(literalRule),
		)

		return
	}

	r.add(
		referenceRule,
		Info,
		at,
		say("the URL carries a user name or password before its host, where logs and process lists keep it"),
		hintFor(referenceRule),
	)
}
