package code

import (
	"strconv"
	"strings"
)

// number reads a literal.
func number(text string) (float64, bool) {
	text = strings.TrimSuffix(strings.ReplaceAll(text, "_", ""), "n")
	if value, err := strconv.ParseFloat(text, 64); err == nil {
		return value, true
	}

	value, err := strconv.ParseInt(text, 0, 64)
	return float64(value), err == nil
}

// units are the names of lengths of time, in milliseconds.
var units = map[string]float64{
	"time.Nanosecond":  1e-6,
	"time.Microsecond": 1e-3,
	"time.Millisecond": 1,
	"time.Second":      1000,
	"time.Minute":      60_000,
	"time.Hour":        3_600_000,
}

// maxValues bounds the numbers that one expression can have.
const maxValues = 16

// Numbers are the values that an expression can have, as far as the program says. A length of
// time of Go is in milliseconds. Bound are the values of some names; it may be nil.
func (p *Program) Numbers(n *Node, bound map[string]*Node) []float64 {
	e := evaluation{p, bound}
	return e.numbers(n, 0)
}

// evaluation works out numbers.
type evaluation struct {
	*Program
	bound map[string]*Node
}

func (e evaluation) numbers(n *Node, depth int) []float64 {
	if depth > 8 || n == nil {
		return nil
	}

	switch n.Kind {
	case Number, String:
		return literalNumber(n)
	case Name, Member, Index:
		return e.numbersOfName(n, depth)
	case Unary:
		return e.numbersOfUnary(n, depth)
	case Binary:
		return e.numbersOfBoth(n, depth)
	case Choice:
		return append(e.numbers(n.Parts[1], depth+1), e.numbers(n.Parts[2], depth+1)...)
	case Call:
		return e.numbersOfCall(n, depth)
	}

	return nil
}

// literalNumber is the number that is written out, also in a text.
func literalNumber(n *Node) []float64 {
	value, ok := number(strings.TrimSpace(n.Text))
	if !ok || len(n.Parts) > 0 {
		return nil
	}
	return []float64{value}
}

func (e evaluation) numbersOfUnary(n *Node, depth int) []float64 {
	values := e.numbers(n.Parts[0], depth+1)
	if n.Text != "-" {
		return values
	}

	for i := range values {
		values[i] = -values[i]
	}
	return values
}

// numbersOfName are those of what is assigned to the name. What is assigned in the same
// function counts, or else what is assigned anywhere.
func (e evaluation) numbersOfName(n *Node, depth int) []float64 {
	if unit, ok := units[n.Path()]; ok {
		return []float64{unit}
	}

	if value, ok := e.bound[n.Text]; ok && n.Kind == Name {
		outside := evaluation{Program: e.Program}
		return outside.numbers(value, depth+1)
	}

	var near, all []float64
	for _, value := range e.values[n.Last()] {
		if len(all) > maxValues {
			break
		}

		numbers := e.numbers(value, depth+1)
		all = append(all, numbers...)
		if f := value.Enclosing(Function); f != nil && n.Within(f) {
			near = append(near, numbers...)
		}
	}

	if len(near) > 0 {
		return near
	}
	return all
}

func (e evaluation) numbersOfBoth(n *Node, depth int) []float64 {
	left := e.numbers(n.Parts[0], depth+1)
	right := e.numbers(n.Parts[1], depth+1)
	if n.Text == "||" || n.Text == "??" || n.Text == "or" {
		return append(left, right...)
	}

	var values []float64
	for _, a := range left {
		for _, b := range right {
			if value, ok := calculate(n.Text, a, b); ok && len(values) < maxValues {
				values = append(values, value)
			}
		}
	}

	return values
}

func calculate(operator string, a, b float64) (float64, bool) {
	switch operator {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "/", "//":
		return a / b, b != 0
	}

	return 0, false
}

// numbersOfCall are those of a conversion, a default, or a length of time.
func (e evaluation) numbersOfCall(n *Node, depth int) []float64 {
	args := n.Args()
	if len(args) == 0 {
		return nil
	}

	switch name := n.Callee().Last(); name {
	case "Number", "parseInt", "parseFloat", "int", "float", "Duration", "Atoi", "ParseInt", "abs", "round", "seconds", "Seconds":
		return e.numbers(args[0], depth+1)
	case "getenv", "get", "getEnv", "env", "max", "min":
		if len(args) > 1 {
			return e.numbers(args[len(args)-1], depth+1)
		}
	case "timedelta":
		return e.numbersOfDelta(args, depth)
	default:
		return e.numbersReturned(name, depth)
	}

	return nil
}

func (e evaluation) numbersOfDelta(args []*Node, depth int) []float64 {
	for _, each := range args {
		if each.Kind != Keyword {
			continue
		}

		factor := map[string]float64{"milliseconds": 0.001, "seconds": 1, "minutes": 60}[each.Text]
		values := e.numbers(each.Parts[0], depth+1)
		for i := range values {
			values[i] *= factor
		}
		return values
	}

	return nil
}

// numbersReturned are what functions of the program return.
func (e evaluation) numbersReturned(name string, depth int) []float64 {
	var all []float64
	for _, f := range e.functions[name] {
		f.Walk(func(n *Node) bool {
			if n.Kind == Exit && n.Text == "return" && len(n.Parts) > 0 && len(all) < maxValues {
				all = append(all, e.numbers(n.Parts[0], depth+1)...)
			}
			return n == f || n.Kind != Function
		})
	}

	return all
}
