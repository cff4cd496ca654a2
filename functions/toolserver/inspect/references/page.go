package references

import "slices"

// page is a document of Markdown.
type page struct {
	name     string
	source   []byte
	breaks   []int // offsets of the line feeds
	links    []target
	labels   []target // of links without a definition
	defs     map[string]bool
	items    []item // what is code, in the order of the text
	anchors  map[string]bool
	made     map[string]bool // by the commands of the page
	defining string          // the blocks that are no commands
	defined  map[string]bool // names that those define, as a script to add
	keys     map[string]bool // of JSON in them
	shown    map[string]bool // files that they show
}

// target is what a link leads to, and where that is written.
type target struct {
	text   string
	offset int
}

// item is a code mark or a block of code.
type item struct {
	index   int // in the page
	text    string
	offset  int
	leads   bool // its item of a list, or its row, begins with it
	block   bool
	tag     string   // of a block: its language
	lines   []int    // of a block: the line of each of its lines
	passage passage  // of a mark: what stands around; of a block: what stands before
	titles  []string // of the sections that it is in, the outermost first
	intros  []string // last sentences before the lists that it is in
	around  []string // words of the titles and code marks above and beside it, which may be folders
}

// passage is the text of a paragraph, an item of a list, or a row of a table.
type passage struct {
	text   string
	offset int
	row    bool // of a table
	list   int  // identifies the list or table; 0 for none
}

// line is the number of the line at an offset.
func (p *page) line(offset int) int {
	before, _ := slices.BinarySearch(p.breaks, offset)
	return before + 1
}

// page is a document of Markdown, read once.
func (p *project) page(name string) (*page, error) {
	if known := p.pages[name]; known != nil {
		return known, nil
	}
	text, err := p.text(name)
	if err != nil {
		return nil, err
	}

	read := readPage(name, text)
	p.pages[name] = read
	return read, nil
}

// markdown checks the references of a page.
func (c *checker) markdown(name string, source []byte) {
	p, err := c.project.page(name)
	if err != nil {
		return
	}

	for _, link := range p.links {
		if c.ended() {
			return
		}
		c.link(place{name, p.line(link.offset)}, link.text)
	}
	for _, label := range p.labels {
		if p.looksDefined(label.text) {
			continue
		}
		c.report(place{name, p.line(label.offset)}, Label, label.text, "no line of the page defines this label")
	}

	c.code(p)
}
