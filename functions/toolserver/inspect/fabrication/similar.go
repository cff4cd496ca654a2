package fabrication

import (
	"fmt"
	"hash/fnv"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Copies are compared by their shingles: the sequences of a few words that stand in
// them. Two texts are as similar as the shingles that both have are many among those
// that one of them has (Jaccard).
const (
	shingleWords = 5
	similarity   = 0.8
	fewBytes     = 40        // below, contents are the same by chance
	fewWords     = 40        // below, everything is similar to something
	longText     = 256 << 10 // bytes; above, a text is not compared
	sketchSize   = 32        // the least shingles of a text, by which candidates are found
	sharedLeast  = 8         // of them, that candidates have in common
	commonText   = 64        // texts that have a shingle in common make it say nothing
)

// duplicates finds new files that are another one once more.
func (s Search) duplicates(files []source) []Finding {
	var kept []source
	for _, f := range files {
		if len(f.text) >= fewBytes && !s.isBackup(f.name) {
			kept = append(kept, f)
		}
	}

	told := map[string]bool{}
	return slices.Concat(sameContent(kept, told), copiedName(kept, told), similar(kept, told))
}

// again reports a file that duplicates an earlier one, once.
func again(f, other source, why string, told map[string]bool) []Finding {
	if !f.after(other) {
		f, other = other, f
	}
	if !f.fresh || told[f.name] {
		return nil
	}
	told[f.name] = true
	return []Finding{found(Duplicate, "warn", f.name, 0, why+" "+other.name, "")}
}

func sameContent(files []source, told map[string]bool) (all []Finding) {
	first := map[[32]byte]source{}
	for _, f := range files {
		other, there := first[f.sum]
		if there {
			all = append(all, again(f, other, "has the content of", told)...)
		}
		if !there || other.after(f) {
			first[f.sum] = f
		}
	}
	return all
}

// copiedName finds files whose name says that they are a copy of one beside them.
func copiedName(files []source, told map[string]bool) (all []Finding) {
	byName := map[string]source{}
	for _, f := range files {
		byName[f.name] = f
	}

	for _, f := range files {
		other, there := byName[path.Join(path.Dir(f.name), stem(f.name))]
		if there &&
			other.name != f.name &&
			f.fresh &&
			!told[f.name] {
			told[f.name] = true
			all = append(all, found(Duplicate, "warn", f.name, 0, "looks like a copy of "+other.name, ""))
		}
	}

	return all
}

// shingles are the hashes of the shingles of a text, sorted, each once.
func shingles(text string) []uint64 {
	words := strings.FieldsFunc(text, func(c rune) bool {
		return !unicode.IsLetter(c) &&
			!unicode.IsDigit(c) &&
			c != '_'
	})
	if len(words) < fewWords {
		return nil
	}

	hashes := make([]uint64, 0, len(words))
	for i := range len(words) - shingleWords + 1 {
		h := fnv.New64a()
		_, _ = io.WriteString(h, strings.Join(words[i:i+shingleWords], " ")) // a hash never fails
		hashes = append(hashes, h.Sum64())
	}

	slices.Sort(hashes)
	return slices.Compact(hashes)
}

func similar(files []source, told map[string]bool) (all []Finding) {
	byShingle := map[uint64][]int{}
	sketches := make([][]uint64, len(files))
	for i, f := range files {
		if len(f.text) <= longText {
			list := shingles(f.text)
			sketches[i] = slices.Clone(list[:min(len(list), sketchSize)])
		}

		for _, h := range sketches[i] {
			byShingle[h] = append(byShingle[h], i)
		}
	}

	for i, f := range files {
		if !f.fresh || told[f.name] {
			continue
		}
		for _, j := range candidates(sketches[i], byShingle, i) {
			other := files[j]
			if path.Ext(other.name) != path.Ext(f.name) || !f.after(other) {
				continue
			}
			if how := jaccard(shingles(f.text), shingles(other.text)); how >= similarity {
				all = append(all, again(f, other, fmt.Sprintf("is to %d of 100 the same as", int(how*100)), told)...)
			}
		}
	}

	return all
}

// candidates are the files that share many of the least shingles.
func candidates(sketch []uint64, byShingle map[uint64][]int, self int) []int {
	shared := map[int]int{}
	for _, h := range sketch {
		if list := byShingle[h]; len(list) <= commonText {
			for _, i := range list {
				shared[i]++
			}
		}
	}

	var list []int
	for i, n := range shared {
		if i != self && n >= min(sharedLeast, len(sketch)) {
			list = append(list, i)
		}
	}

	slices.Sort(list)
	return list
}

// jaccard compares two sorted lists.
func jaccard(a, b []uint64) float64 {
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			both, i, j = both+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}

	if union := len(a) + len(b) - both; union > 0 {
		return float64(both) / float64(union)
	}
	return 0
}
