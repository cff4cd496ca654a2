// Package scope tells which instructions hold at the same time. Two that never do are no conflict,
// whatever they say.
package scope

import (
	_ "embed"
	"strings"
	"sync"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/words"
)

//go:embed families.txt
var familiesFile string

// value is a circumstance of a family, such as production of environment.
type value struct {
	family string
	name   string
}

// circumstances are all values and the phrases that name them.
type circumstances struct {
	values []value
	book   *words.Book
}

var known = sync.OnceValue(func() *circumstances { return readFamilies(familiesFile) })

func readFamilies(file string) *circumstances {
	c := &circumstances{book: words.NewBook()}
	family := ""

	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(line, "= "); ok {
			family = name
			continue
		}

		name, phrases, _ := strings.Cut(line, ":")
		c.values = append(c.values, value{family, name})
		for phrase := range strings.SplitSeq(phrases, ",") {
			c.book.Add(strings.TrimSpace(phrase), len(c.values)-1)
		}
	}

	return c
}

// Circumstances are the values of each family that an instruction names. Without one for a family
// it holds for all.
type Circumstances map[string][]string

// Reader finds the circumstances of directives. Many stand under the same heading, which is read once.
type Reader struct {
	read map[string]Circumstances // of headings and of lines that introduce a list
}

// Of returns the circumstances in which a directive holds: those of its sentence, of the line that
// introduces its list, and of the headings above.
func (r *Reader) Of(d *directive.Directive) Circumstances {
	s := d.Sentence()
	found := Circumstances{}

	found.add(words.Read(s.Text))
	found.addMissing(r.outer(s.LeadIn))
	for i := len(s.Under) - 1; i >= 0; i-- {
		found.addMissing(r.outer(s.Under[i]))
	}

	return found
}

// outer returns the circumstances that a heading names.
func (r *Reader) outer(text string) Circumstances {
	if found, ok := r.read[text]; ok {
		return found
	}
	if r.read == nil {
		r.read = map[string]Circumstances{}
	}

	found := Circumstances{}
	found.add(words.Read(text))
	r.read[text] = found
	return found
}

// add enters the circumstances that tokens name.
func (c Circumstances) add(tokens []words.Token) {
	for _, f := range known().book.Find(tokens) {
		v := known().values[f.ID]
		c[v.family] = append(c[v.family], v.name)
	}
}

// addMissing enters those of families that are not named yet: what stands nearer rules.
func (c Circumstances) addMissing(outer Circumstances) {
	for family, names := range outer {
		if _, ok := c[family]; !ok {
			c[family] = names
		}
	}
}

// Exclude reports whether two circumstances never occur together: both name values of a family, and
// none in common. The families in free do not count.
func (c Circumstances) Exclude(other Circumstances, free string) bool {
	for family, names := range c {
		if family == free {
			continue
		}
		others, ok := other[family]
		if ok && !overlap(names, others) {
			return true
		}
	}
	return false
}

func overlap(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}
