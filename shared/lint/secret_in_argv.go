package lint

import (
	"strings"

	"governance.internal/shared/secretscan"
)

// secretInArgv is MCP002: a credential in an argument or a URL. Arguments are readable for every
// process of the machine and end in crash reports; URLs end in logs and proxies. A reference there
// is better than a literal, but what it expands to is exposed all the same, so it is worth a note.
func secretInArgv(s *server, r *report) {
	for _, c := range s.run.calls {
		args := c.options()
		for i := range args {
			var next word
			if i+1 < len(args) {
				next = args[i+1]
			}

			header := i > 0 && headerFlag(args[i-1].text)
			if name, ok := headerName(args[i].text); header &&
				ok &&
				next.at != nil {
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

	for _, w := range s.argv { // whatever the unwrapping made of it, no token may slip through
		judgeTokens(r, w, ruleSecretInArgv)
	}

	for _, u := range s.urls {
		judgeTokens(r, u, ruleSecretInURL)
		judgeText(r, u, ruleSecretInURL, ruleReferenceInURL, true)
	}
}

// headerName gives the name of a header whose value is the next word: "X-API-Key:" or
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
	return s == "--header" ||
		s == "-H" ||
		s == "--headers" ||
		s == "-header" ||
		s == "--http-header" ||
		s == "--add-header"
}

// judgeArgument judges one argument in its place: a value behind a flag, NAME=value, a header, or
// text that carries a secret by itself.
func judgeArgument(r *report, arg, next word, header bool) {
	t := arg.text
	judgeText(r, arg, ruleSecretInArgv, ruleReferenceInArgv, false)
	switch {
	case header || bareHeader(t):
		judgeHeader(r, t, arg.at)
	case len(t) == 2 && t[0] == '-':
		if (t == "-t" || t == "-k") && next.at != nil {
			judgeShort(r, t, next)
		}
	case strings.HasPrefix(t, "-"):
		name, value, ok := strings.Cut(strings.TrimLeft(t, "-"), "=")
		if ok && headerFlag("--"+name) {
			judgeHeader(r, value, arg.at)
		} else if secretscan.SecretName(name) {
			if ok {
				judgeExposed(r, "--"+name, value, arg.at)
			} else if next.at != nil && (next.text == "" || next.text[0] != '-') {
				judgeExposed(r, "--"+name, next.text, next.at)
			}
		} else if inner, secret, assigned := assigns(value); ok &&
			assigned &&
			secretscan.SecretName(inner) {
			judgeExposed(r, inner, secret, arg.at) // --env=API_KEY=…
		}
	default:
		if name, value, ok := assigns(t); ok && secretscan.SecretName(name) {
			judgeExposed(r, name, value, arg.at)
		}
	}
}

// bareHeader recognises a header without a flag in front.
func bareHeader(t string) bool {
	name, value, ok := strings.Cut(t, ":")
	if !ok || value == "" || strings.HasPrefix(value, "/") {
		return false
	}
	lower := strings.ToLower(name)

	return lower == "authorization" ||
		lower == "proxy-authorization" ||
		strings.HasPrefix(lower, "x-") && secretscan.SecretName(name)
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
			say("a literal secret stands in the arguments ("+length(literal)+"), as the value of ", shown(name)),
			hintArgument,
		)
	}
}

var hintArgument = say("give it to the server through env as \"${NAME}\" (docker: -e NAME without a value), or in a header of the url form; if it was literal, revoke it and issue a new one")

// judgeShort judges -t and -k, which mean a hundred things: only a value that looks like a secret,
// or a placeholder that asks for one, counts.
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
			say("a literal secret stands in the arguments ("+length(literal)+"), as the value of "+name),
			hintArgument,
		)
	}
}

func asksForSecret(placeholder string) bool {
	lower := strings.ToLower(placeholder)
	for _, word := range [...]string{"token", "key", "secret", "pass", "pat", "credential", "xxxx", "***"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

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
			say("a literal secret stands in "+where+" ("+m.Provider+", "+length(secret)+")"),
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
// fields, where a user name alone has no honest use: http://localhost@evil.example goes to evil.example.
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
				say("a literal secret stands in the URL ("+length(literal)+"), as parameter ", shown(name)),
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
		secret, c.Password = c.User, ""
	}

	if literal, _ := secretscan.Literal(unescape(secret)); literal != "" &&
		(c.Password == "" || c.LiteralPassword()) {
		r.secret(literal)
		r.add(
			literalRule,
			Error,
			at,
			say("the URL carries a user name or password in front of its host ("+length(literal)+")"),
			hintFor(literalRule),
		)

		return
	}

	r.add(
		referenceRule,
		Info,
		at,
		say("the URL carries a user name or password in front of its host, where logs and process lists keep it"),
		hintFor(referenceRule),
	)
}
