package dependencies

import (
	"path"
	"regexp"
	"strings"
)

var (
	pyImport = regexp.MustCompile(`(?m)^[ \t]*import[ \t]+([\w., \t]+)`)
	pyFrom   = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^\n#]+))`)
	pyOpen   = regexp.MustCompile(`\bopen\(\s*["']([^"'\n]+)["']`)
	pyEnv    = regexp.MustCompile(`\bos\.(?:environ\s*(?:\[|\.get\()|getenv\()\s*["']([A-Za-z_]\w*)["']`)
	pyName   = regexp.MustCompile(`^\w+$`)
	pyString = regexp.MustCompile(`(?s)""".*?"""|'''.*?'''`)
	pyLine   = regexp.MustCompile(`(?m)^[ \t]*#.*$`)
)

func python(t Tree, name string, text []byte) (f found) {
	for _, m := range pyOpen.FindAllSubmatch(text, -1) {
		if p := inside(".", string(m[1])); p != "" {
			f.needs = append(f.needs, need{p, Config})
		}
	}

	text = pyLine.ReplaceAll(pyString.ReplaceAll(text, nil), nil)
	roots := []string{path.Dir(name), "."}
	for _, m := range pyImport.FindAllSubmatch(text, -1) {
		for each := range strings.SplitSeq(string(m[1]), ",") {
			module, _, _ := strings.Cut(strings.TrimSpace(each), " as ")
			f.python(t, roots, module)
		}
	}

	for _, m := range pyFrom.FindAllSubmatch(text, -1) {
		f.from(t, name, len(m[1]), string(m[2]), string(m[3])+string(m[4]))
	}

	for _, m := range pyEnv.FindAllSubmatch(text, -1) {
		f.env = append(f.env, string(m[1]))
	}

	return f
}

// from reads `from .a.b import c, d`: each name may be a module or something in one.
func (f *found) from(t Tree, name string, dots int, module, names string) {
	roots := []string{path.Dir(name), "."}
	if dots > 0 {
		up := inside(path.Dir(name), strings.Repeat("../", dots-1))
		if up == "" {
			f.unresolved = append(f.unresolved, strings.Repeat(".", dots)+module)
			return
		}
		roots = []string{up}
	}

	whole := module == "" || f.python(t, roots, module)
	for each := range strings.SplitSeq(names, ",") {
		each, _, _ = strings.Cut(strings.TrimSpace(each), " ")
		if !pyName.MatchString(each) {
			continue
		}
		inner := strings.TrimPrefix(module+"."+each, ".")
		if !f.python(t, roots, inner) &&
			dots > 0 &&
			module == "" &&
			!t.Exists(path.Join(roots[0], "__init__.py")) {
			f.needs = append(f.needs, need{path.Join(roots[0], each+".py"), Import})
		}
	}

	if !whole && dots > 0 {
		f.needs = append(f.needs, need{path.Join(roots[0], strings.ReplaceAll(module, ".", "/")+".py"), Import})
	}
}

// python finds a module below one of some folders. One that is not there is of a package
// manager, or of Python itself.
func (f *found) python(t Tree, roots []string, module string) bool {
	parts := strings.Split(module, ".")
	for _, root := range roots {
		base := path.Join(append([]string{root}, parts...)...)
		for _, file := range []string{base + ".py", base + "/__init__.py"} {
			if t.Exists(file) {
				f.needs = append(f.needs, need{file, Import})
				return true
			}
		}
	}
	return false
}
