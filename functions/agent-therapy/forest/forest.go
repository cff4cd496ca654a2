// Package forest judges by many small decision trees whose votes are added up. All numbers are whole, so that
// every machine gives the same answer. The folder train grows the trees.
package forest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Node is a question of a tree, or a leaf.
type Node struct {
	Trait int // index of the number that is asked about; -1 for a leaf
	Limit int // numbers up to the limit go left
	Left  int // index of the next node
	Right int
	Vote  int // of a leaf, in thousandths of log odds
}

// Leaf is the trait of a node that asks nothing.
const Leaf = -1

// Tree holds its root first.
type Tree []Node

// Forest is all trees.
type Forest struct {
	Base  int // log odds without any tree, in thousandths
	Trees []Tree
}

// Score returns the sum of the votes, in thousandths of log odds.
func (f *Forest) Score(values []int) int {
	sum := f.Base
	for _, t := range f.Trees {
		sum += t.vote(values)
	}
	return sum
}

func (t Tree) vote(values []int) int {
	at := 0
	for {
		n := &t[at]
		if n.Trait == Leaf {
			return n.Vote
		}
		if values[n.Trait] <= n.Limit {
			at = n.Left
		} else {
			at = n.Right
		}
	}
}

// Write writes a forest as lines: the base, and for each tree its number of nodes and the nodes.
func (f *Forest) Write(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, f.Base)
	for _, t := range f.Trees {
		fmt.Fprintln(w, len(t))
		for _, n := range t {
			if n.Trait == Leaf {
				fmt.Fprintln(w, "=", n.Vote)
				continue
			}
			fmt.Fprintln(w, n.Trait, n.Limit, n.Left, n.Right)
		}
	}
	return w.Flush()
}

var errDamaged = errors.New("forest: the embedded trees are damaged")

// Read reads what Write wrote; traits is how many numbers a judged pair has.
func Read(text string, traits int) (*Forest, error) {
	r := &reader{lines: strings.Split(strings.TrimSpace(text), "\n")}
	f := &Forest{Base: r.number()}
	for !r.ended() && !r.broken {
		f.Trees = append(f.Trees, r.tree(traits))
	}
	if r.broken {
		return nil, errDamaged
	}
	return f, nil
}

// reader takes lines; after an error it gives zeros.
type reader struct {
	lines  []string
	broken bool
}

func (r *reader) ended() bool { return len(r.lines) == 0 }

func (r *reader) line() string {
	if r.ended() {
		r.broken = true
		return ""
	}
	line := r.lines[0]
	r.lines = r.lines[1:]
	return line
}

func (r *reader) number() int {
	n, err := strconv.Atoi(r.line())
	r.broken = r.broken || err != nil
	return n
}

func (r *reader) tree(traits int) Tree {
	size := r.number()
	if size <= 0 || size > len(r.lines) {
		r.broken = true
		return nil
	}

	t := make(Tree, size)
	for i := range t {
		t[i] = r.node(i, size, traits)
	}
	return t
}

// node reads a node. Its children stand behind it, so that every way through a tree ends.
func (r *reader) node(at, size, traits int) Node {
	line := r.line()
	if vote, isLeaf := strings.CutPrefix(line, "= "); isLeaf {
		return r.leaf(vote)
	}

	numbers := r.numbers(line)
	n := Node{
		Trait: numbers[0],
		Limit: numbers[1],
		Left:  numbers[2],
		Right: numbers[3],
	}
	isKnown := n.Trait >= 0 && n.Trait < traits
	goesOn := min(n.Left, n.Right) > at && max(n.Left, n.Right) < size
	if !isKnown || !goesOn {
		r.broken = true
	}
	return n
}

// numbers reads the four numbers of a line.
func (r *reader) numbers(line string) [4]int {
	var numbers [4]int
	rest := line
	for i := range numbers {
		word, after, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(word)
		if err != nil {
			r.broken = true
		}
		numbers[i] = n
		rest = after
	}
	return numbers
}

func (r *reader) leaf(vote string) Node {
	n, err := strconv.Atoi(vote)
	if err != nil {
		r.broken = true
	}
	return Node{
		Trait: Leaf,
		Vote:  n,
	}
}
