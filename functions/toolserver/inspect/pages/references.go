package pages

import (
	"fmt"
	"path"
	"strings"
	"time"
)

// use is what an address is for, and with that which rules it breaks.
type use struct {
	dead     string // the rule for what does not exist
	cased    string // the rule for a name in other letters
	page     bool   // it is for a page: an index or a page without its ending answers
	followed bool   // by a person, who should not be sent on
	anchored bool   // the part behind # must be there
	asked    bool   // a script asks, and the server may answer without a file
}

var (
	toPage     = use{dead: "link_dead", cased: "link_case", page: true, followed: true, anchored: true}
	toFrame    = use{dead: "link_dead", cased: "link_case", page: true}
	toRedirect = use{dead: "redirect_dead", cased: "link_case", page: true}
	toFile     = use{dead: "resource_dead", cased: "resource_case"}
	toImage    = use{dead: "image_dead", cased: "image_case"}
	toSymbol   = use{dead: "image_dead", cased: "image_case", anchored: true}
	toIcon     = use{dead: "icon_dead", cased: "icon_dead"}
	toData     = use{dead: "fetch_dead", cased: "fetch_dead", page: true, asked: true}
	toModule   = use{dead: "module_dead", cased: "module_dead"}
)

// reference is an address in a page or in a file that pages load.
type reference struct {
	*use
	address string
	from    []here // it is wrong if it leads to nothing from all of these
	at      place
	dated   time.Time // the date that stands beside it, if there is one
	read    bool      // that it is only asked for, and a live check may ask, too
}

// refer notes the address in an attribute.
func (r *reader) refer(u *use, n *node, name, text string) {
	a, _ := n.attribute(name)
	found := r.reference(u, text, a.at)
	found.dated = r.dateBeside(n)
	r.references = append(r.references, found)
}

// reference is an address at a place of the page.
func (r *reader) reference(u *use, text string, at int) reference {
	line := r.lines.at(at)
	return reference{
		use:     u,
		address: text,
		from:    []here{r.from},
		at:      r.page.at(line),
		read:    true,
	}
}

// answer is what an address leads to.
type answer struct {
	file   string // of the workspace, "" if no file answers
	wrong  string // the rule that is broken, "" for none
	detail string
}

// judgeReference reports an address that leads to nothing.
func (s *scan) judgeReference(r reference) {
	var first answer
	for i, from := range r.from {
		got, known := s.follow(r, from)
		if !known || got.wrong == "" {
			return
		}
		if i == 0 {
			first = got
		}
	}
	if first.wrong != "" {
		s.found(wrongAt(r.at, first.wrong, first.detail, r.address))
	}
}

// follow looks where an address leads. It is not known for what needs no request.
func (s *scan) follow(r reference, from here) (answer, bool) {
	a, ok := s.site.resolve(from, r.address)
	if !ok {
		return answer{}, false
	}
	if !a.local {
		return s.probe(r, a.remote)
	}

	got := s.local(r.use, a)
	switch {
	case got.wrong != "":
		return got, true
	case got.file == "":
		return s.behindRoute(r, a, got)
	case r.followed && a.path != "/" && s.sendsOn(got.file):
		got.wrong = "link_redirected"
		got.detail = s.site.NameOf(got.file) + " sends on to another page"
		return got, true
	case r.anchored && a.fragment != "":
		return s.anchor(got, a), true
	}
	return got, true
}

// behindRoute is the answer of a server without a file.
func (s *scan) behindRoute(r reference, a address, got answer) (answer, bool) {
	if !r.asked {
		return got, true
	}
	return s.probeRoute(r, a, got)
}

// sendsOn reports whether a file is a page that leads elsewhere at once.
func (s *scan) sendsOn(file string) bool {
	if !isMarkup(file) {
		return false
	}

	p := s.target(file)
	return p != nil && p.Refresh != ""
}

// local looks for what answers a path of the website.
func (s *scan) local(u *use, a address) answer {
	file := s.fileFor(u, a.path)
	if file != "" {
		return answer{file: file}
	}
	if s.site.isRoute(a.path) {
		return answer{}
	}
	if r, to, ok := s.redirected(a.path); ok && s.answers(u, r, a.path) {
		return s.sentOn(u, r, a.path, to)
	}
	return s.dead(u, a.path)
}

// fileFor is the file for a path, "" for none.
func (s *scan) fileFor(u *use, name string) string {
	if u.page {
		return s.site.FileAt(name)
	}
	if !strings.HasSuffix(name, "/") && s.site.isFile(name) {
		return s.site.File(name)
	}
	return ""
}

// answers reports whether a redirect helps with what an address is for. One that answers
// everything with the same page is no picture and no script.
func (s *scan) answers(u *use, r redirect, name string) bool {
	if !r.rewrites() || u.page && path.Ext(name) == "" {
		return true
	}

	target := path.Ext(r.to)
	return target == "" || target == path.Ext(name) || strings.Contains(r.to, ":splat")
}

// sentOn is the answer for a path that a redirect answers.
func (s *scan) sentOn(u *use, r redirect, name, to string) answer {
	if !s.leads(to, 0) {
		return answer{
			wrong:  u.dead,
			detail: fmt.Sprintf("%s is redirected to %s, which does not exist", name, to),
		}
	}
	if u.followed && !r.rewrites() {
		return answer{
			wrong:  "link_redirected",
			detail: fmt.Sprintf("%s is redirected to %s", name, to),
		}
	}
	return answer{}
}

// dead is the answer for a path with nothing behind it.
func (s *scan) dead(u *use, name string) answer {
	unknown := u.asked && !s.known && path.Ext(name) == ""
	if unknown {
		return answer{} // nothing says which routes the server has
	}
	if u.page && s.site.isFolder(name) {
		return answer{
			wrong:  folderRule(u),
			detail: name + " is a folder without an index",
		}
	}
	if other := s.otherLetters(u, name); other != "" {
		return answer{
			wrong:  u.cased,
			detail: fmt.Sprintf("%s does not exist; the file is named %s", name, other),
		}
	}
	return answer{
		wrong:  u.dead,
		detail: name + " does not exist",
	}
}

// otherLetters is the file that would answer a path if letter case did not count, "" for
// none.
func (s *scan) otherLetters(u *use, name string) string {
	endings := []string{""}
	if u.page {
		endings = append(endings, ".html", "/index.html")
	}

	clean := strings.TrimSuffix(name, "/")
	for _, ending := range endings {
		other := s.site.inOtherLetters(clean + ending)
		if other != "" && s.site.isFile(other) {
			return other
		}
	}
	return ""
}

// folderRule is the rule for an address that leads to a folder without an index.
func folderRule(u *use) string {
	if u.followed {
		return "folder_without_index"
	}
	return u.dead
}
