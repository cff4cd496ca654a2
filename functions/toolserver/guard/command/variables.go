package command

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// elements is the key of the elements of an array among the variables.
func elements(variable string) string { return variable + "[]" }

func (r *reader) forget(variable string) {
	r.unclear[variable] = true
	delete(r.values, variable)
	delete(r.values, elements(variable))
}

// hold gives a variable its possible values.
func (r *reader) hold(variable string, values []name) {
	unknown := slices.ContainsFunc(values, func(v name) bool { return !v.known })
	if unknown || len(values) > mostValues {
		r.forget(variable)
		return
	}
	r.values[variable] = slices.Clone(values)
}

func (r *reader) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	variable := a.Name.Value
	before, was := r.values[variable]
	if r.constant[variable] { // the shell refuses, and goes on with the next line
		return
	}

	switch {
	case a.Array != nil:
		r.assignArray(variable, a)
	case a.Index != nil:
		r.forget(variable)
	case a.Value == nil && a.Naked:
	case a.Value == nil:
		r.hold(variable, []name{{known: true}})
	default:
		values := r.unsplitParts(a.Value)
		r.steer(variable, values)
		switch {
		case !a.Append:
			r.hold(variable, r.tilde(values))
		case was:
			r.hold(variable, product(before, values))
		default:
			r.forget(variable)
		}
	}
	if r.everything {
		r.exported[variable] = true
	}
}

// tilde writes out values that begin with the home directory.
func (r *reader) tilde(values []name) []name {
	values = slices.Clone(values)
	for i, value := range values {
		values[i].text = r.atHome(value.text)
	}
	return values
}

func (r *reader) assignArray(variable string, a *syntax.Assign) {
	var all []name
	if a.Append {
		all = r.values[elements(variable)]
	}
	for _, element := range a.Array.Elems {
		if element.Value != nil {
			all = append(all, r.names(element.Value)...)
		}
	}
	r.forget(variable)
	r.hold(elements(variable), all)
}

// declare visits declarations. With options a variable may be another name of one, or
// change what it is given.
func (r *reader) declare(n *syntax.DeclClause) {
	plain := !slices.ContainsFunc(n.Args, changesValues)
	for _, a := range n.Args {
		r.assign(a)
		if a.Name == nil {
			continue
		}
		if !plain {
			r.forget(a.Name.Value)
		}
		r.declared(n.Variant.Value, a.Name.Value)
	}
}

// changesValues reports whether an option of a declaration makes values change.
func changesValues(a *syntax.Assign) bool {
	return a.Naked && a.Value != nil && strings.ContainsAny(source(a.Value), "nilucA")
}

// declared notes what a declaration makes of a variable.
func (r *reader) declared(how, variable string) {
	switch how {
	case "export":
		r.exported[variable] = true
	case "readonly":
		r.constant[variable] = true
	default:
		if r.locals != nil {
			r.locals[variable] = true
		}
	}
}

// assignDefault notes that ${name:=value} gives a variable a value.
func (r *reader) assignDefault(p *syntax.ParamExp) {
	if p.Param == nil || p.Exp == nil {
		return
	}
	if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
		r.hold(p.Param.Value, r.parameter(p, true))
	}
}

// parameter are the possible values of a variable.
func (r *reader) parameter(p *syntax.ParamExp, quoted bool) []name {
	if p.Param == nil || p.Excl || p.Names != 0 {
		return []name{{}}
	}
	if p.Length {
		return []name{number}
	}

	values := r.variable(p)
	switch {
	case p.Exp != nil && isDefault(p.Exp.Op):
		return r.orDefault(p.Param.Value, values, p.Exp)
	case p.Exp != nil, p.Slice != nil, p.Repl != nil:
		return r.transformed(values, p)
	}
	return values
}

// variable are the possible values of the variable that an expansion names.
func (r *reader) variable(p *syntax.ParamExp) []name {
	variable := p.Param.Value
	if p.Index != nil {
		return r.orUnknown(elements(variable))
	}
	if n, err := strconv.Atoi(variable); err == nil {
		return r.argument(n)
	}

	switch variable {
	case "@", "*":
		return r.allArguments()
	case "#", "?", "$", "!", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID":
		return []name{number}
	case "PWD":
		return r.here(r.place)
	case "OLDPWD":
		return r.here(r.back)
	case "HOME":
		if _, set := r.values[variable]; !set && r.scene.Home != "" {
			return []name{{text: "~", known: true}}
		}
	case "BASH_SOURCE":
		return r.argument(0)
	}
	if _, is := r.values[elements(variable)]; is { // the first element
		return r.orUnknown(elements(variable))
	}
	return r.orUnknown(variable)
}

func (r *reader) orUnknown(variable string) []name {
	values, known := r.values[variable]
	if !known {
		return []name{{}}
	}
	return values
}

// here are the folders of a place as $PWD gives them.
func (r *reader) here(p place) []name {
	if p.lost {
		return []name{{}}
	}
	var all []name
	for _, dir := range p.dirs {
		switch {
		case strings.HasPrefix(dir.text, "/"):
			all = append(all, dir)
		case r.scene.Dir == "":
			return []name{{}}
		case dir.text == "":
			all = append(all, name{r.scene.Dir, true, false})
		default:
			all = append(all, name{r.scene.Dir + "/" + dir.text, true, dir.pattern})
		}
	}
	return all
}

// argument are the possible values of $n.
func (r *reader) argument(n int) []name {
	switch {
	case n == 0 && r.program != "":
		return []name{{r.program, true, false}}
	case n == 0:
		return []name{{}}
	case r.shifted:
		return r.allArguments()
	case n > len(r.arguments):
		return []name{{known: true}}
	}
	return r.arguments[n-1]
}

// allArguments are the possible values of all arguments.
func (r *reader) allArguments() []name {
	if r.arguments == nil {
		return []name{{}}
	}
	var all []name
	for _, values := range r.arguments {
		all = append(all, values...)
	}
	return all
}

func isDefault(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
		syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return true
	}
	return false
}

// orDefault are the values of a variable, or of what stands for it. A variable of the environment
// that the command does not set is taken for unset.
func (r *reader) orDefault(variable string, values []name, e *syntax.Expansion) []name {
	other := []name{{known: true}}
	if e.Word != nil {
		other = r.parts(e.Word.Parts, true)
	}

	isUnset := len(values) == 0 || !allKnown(values)
	switch e.Op {
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return values
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return append(slices.Clone(other), name{known: true})
	case syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull:
		nothing := name{known: true}
		if !isUnset && slices.Contains(values, nothing) {
			rest := slices.DeleteFunc(slices.Clone(values), func(v name) bool { return v == nothing })
			return append(rest, other...)
		}
	}

	if isUnset && r.unclear[variable] {
		return []name{{}}
	}
	if isUnset {
		return other
	}
	return values
}

// transformed are the values of a variable after a part is cut off, replaced or set in other
// letters.
func (r *reader) transformed(values []name, p *syntax.ParamExp) []name {
	alone := *p
	alone.Index = nil
	word := &syntax.Word{Parts: []syntax.WordPart{&alone}}

	var all []name
	for _, value := range values {
		if !value.known {
			return []name{{}}
		}
		environment := expand.FuncEnviron(func(variable string) string {
			if variable == p.Param.Value {
				return value.text
			}
			return r.single(variable)
		})
		text, err := expand.Literal(&expand.Config{Env: environment}, word)
		if err != nil {
			return []name{{}}
		}
		all = append(all, name{text, true, value.pattern})
	}
	return all
}

// single is the value of a variable that has just one, "" for every other.
func (r *reader) single(variable string) string {
	if values := r.values[variable]; len(values) == 1 {
		return values[0].text
	}
	return ""
}
