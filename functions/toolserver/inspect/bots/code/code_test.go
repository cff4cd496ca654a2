package code_test

import (
	"slices"
	"testing"

	"governance.internal/functions/toolserver/inspect/bots/code"
)

// calls are what a program calls when it runs.
func calls(name, source string) []string {
	var list []string
	for _, call := range code.Read(name, []byte(source)).Calls() {
		list = append(list, call.Callee().Path())
	}
	return list
}

func TestOnlyWhatCanRunIsCalled(t *testing.T) {
	for _, c := range []struct {
		what, name, source string
		want               []string
	}{
		{"a comment", "a.js", "// a()\n/* b() */ c(); `d()`; 'e()'", []string{"c"}},
		{"after a return", "a.js", "function f() { a(); return; b() }\nf()", []string{"a", "f"}},
		{"a function that nothing calls", "a.js", "function f() { a() }\nconst g = () => b();\nc()", []string{"c"}},
		{"a branch that is never taken", "a.ts", "const ON: boolean = false;\nif (ON) { a() } else b();\nif (false) c(); false && d(); ON ? e() : g()", []string{"b", "g"}},
		{"an export", "a.ts", "export async function f<T>(x: T): Promise<void> { a() }\nexport default class { m() { b() } private n() { c() } }", []string{"a", "b"}},
		{"types", "a.ts", "interface A { f(): void }\ntype B = { g: () => void } | string;\nconst x = <T,>(y: Map<string, T[]>): y is Z => h(y as unknown as B)!;\nx<number>(1 as any)", []string{"h", "x"}},
		{"a regular expression", "a.js", "const x = /a(b)[/]c\"/g.test(y) / 2; z()", []string{"test", "z"}},
		{"a template", "a.js", "x(`a ${b(`${c()}`)} d()`)", []string{"x", "b", "c"}},
		{"a method", "a.js", "class A { constructor() { this.b() } b() { c() } d() { e() } }\nnew A()", []string{"this.b", "c", "A"}},
		{"an object of functions", "a.js", "const h = { a() { x() }, b: () => y() };\nh.a()", []string{"x", "h.a"}},
		{"its name alone", "a.js", "function f() { a() }\nlog(f.name, typeof f)", []string{"log"}},
		{"indentation", "a.py", "def f():\n    a()\n    return 1\n    b()\n\nif False:\n    c()\nelif x:\n\td()\n# e()\n'''g()'''\nf()\n", []string{"a", "d", "f"}},
		{"a decorator", "a.py", "@app.on(1)\nasync def f(x: int = b()) -> None:\n    await a(*x, k=1)[1:2].c()\n\ndef g(): h()\n", []string{"app.on", "b", "a.c", "a"}},
		{"a formatted text", "a.py", "p(f'{a(1)!r:>{w}} {{b()}}')\n", []string{"p", "a"}},
		{"a class of a framework", "a.py", "class A(Base):\n  async def on_message(self, m):\n    await self.x()\n  async def x(self): y()\n  def z(self): w()\n", []string{"self.x", "y", "w"}},
		{"a lambda and a comprehension", "a.py", "f([g(x) for x in h() if i(x)], key=lambda a, b=1: j(a), **k())\n", []string{"f", "g", "h", "i", "j", "k"}},
		{"Go", "a.go", "package main\nfunc main() { go func() { a() }(); if false { b() }; return; c() }\nfunc d() { e() }\nfunc (s T) F() { g() }\n", []string{"", "a"}},
		{"a library in Go", "a.go", "package x\nfunc F() { a() }\nfunc g() { b() }\n", []string{"a"}},
		{"a text that is no program", "a.ts", "}}} (((< ${ ` \" / class { function ( => ? :", nil},
		{"another", "a.py", "def (:\n\t\t)]\n  class:\n f'{' lambda", nil},
	} {
		if got := calls(c.name, c.source); !slices.Equal(sorted(got), sorted(c.want)) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func sorted(list []string) []string {
	return slices.Sorted(slices.Values(list))
}

func TestNumbersAreWorkedOut(t *testing.T) {
	for source, want := range map[string]float64{
		"const A = 3 * 1000;\nf(A)":                            3000,
		"f(3_000)":                                             3000,
		"f(Number(process.env.X ?? '3000'))":                   3000,
		"f(parseInt(process.env.X || \"3000\", 10))":           3000,
		"const c = { wait: 1e3 * 3 };\nf(c.wait)":              3000,
		"function g(ms = 3000) { f(ms) }\ng()":                 3000,
		"class A { d = 3000; g() { f(this.d) } }\nnew A().g()": 3000,
	} {
		p := code.Read("a.js", []byte(source))
		var got []float64
		for _, call := range p.Calls() {
			if call.Callee().Path() == "f" {
				got = p.Numbers(call.Args()[0], nil)
			}
		}
		if len(got) == 0 || got[0] != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"const a = async <T,>({ b = 1, ...c }: X): Promise<T> => { for await (const d of e) `f${g}`; };",
		"class A extends B<C> { static #d?: E = 1; get f() { return this.#d!; } }",
		"@a\nclass B(C, metaclass=D):\n\tx: int = 1\n\tasync def f(self, *a, **k): return [x async for x in y if z]\n",
		"match x:\n  case {'a': [1, *_]} if y: pass\nwith (open(a) as b, c):\n  f'{d!r:{e}}'\n",
		"package a\nfunc f() { select { case x := <-y: default: } }\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, name := range []string{"a.ts", "a.py", "a.go"} {
			p := code.Read(name, []byte(source))
			for _, call := range p.Calls() {
				_ = call.Callee().Path()
				_ = p.Numbers(call, nil)
			}
		}
	})
}
