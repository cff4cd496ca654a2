package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

var (
	errDamaged = errors.New("the repository is damaged")
	errMissing = errors.New("the repository does not hold an object that it names")
)

// object reads an object and checks that it is what its name says. Depth counts the
// deltas that led to it.
func (r *Repository) object(h hash, depth int) (kind string, text []byte, err error) {
	kind, text, err = r.loose(h)
	if errors.Is(err, fs.ErrNotExist) {
		kind, text, err = r.packed(h, depth)
	}
	if err != nil {
		return "", nil, err
	}

	sum := sha1.New()
	fmt.Fprintf(sum, "%s %d\x00", kind, len(text))
	_, _ = sum.Write(text) // a hash never fails
	if hash(sum.Sum(nil)) != h {
		return "", nil, errDamaged
	}

	return kind, text, nil
}

func (r *Repository) loose(h hash) (kind string, text []byte, err error) {
	name := h.String()
	f, err := r.source.Open(".git/objects/" + name[:2] + "/" + name[2:])
	if err != nil {
		return "", nil, err
	}
	defer f.Close()

	text, err = inflate(f, maxObject)
	if err != nil {
		return "", nil, err
	}

	head, text, _ := bytes.Cut(text, []byte{0})
	kind, size, _ := strings.Cut(string(head), " ")
	if n, err := strconv.Atoi(size); err != nil || n != len(text) {
		return "", nil, errDamaged
	}

	return kind, text, nil
}

func (r *Repository) packed(h hash, depth int) (kind string, text []byte, err error) {
	for _, p := range r.packs {
		if offset, ok := p.find(h); ok {
			return r.entry(p, offset, depth)
		}
	}
	return "", nil, errMissing
}

// kinds of objects in a pack (gitformat-pack, "Object types").
var kinds = map[byte]string{1: "commit", 2: "tree", 3: "blob", 4: "tag"}

const (
	offsetDelta = 6
	nameDelta   = 7
)

// entry reads an object of a pack. A delta is applied to its base.
func (r *Repository) entry(p *pack, offset int64, depth int) (kind string, text []byte, err error) {
	if depth > maxDepth || offset < 0 || offset >= p.size {
		return "", nil, errDamaged
	}
	in := bufio.NewReader(io.NewSectionReader(p.pack, offset, p.size-offset))
	first, err := in.ReadByte()
	if err != nil {
		return "", nil, errDamaged
	}

	size, err := length(in, first)
	if err != nil || size > maxObject {
		return "", nil, errDamaged
	}

	var base []byte
	switch code := first >> 4 & 7; code {
	case offsetDelta:
		back, err := distance(in)
		if err != nil || back <= 0 || back > offset {
			return "", nil, errDamaged
		}
		kind, base, err = r.entry(p, offset-back, depth+1)
		if err != nil {
			return "", nil, err
		}
	case nameDelta:
		var name hash
		if _, err := io.ReadFull(in, name[:]); err != nil {
			return "", nil, errDamaged
		}
		if kind, base, err = r.object(name, depth+1); err != nil {
			return "", nil, err
		}
	default:
		if kind = kinds[code]; kind == "" {
			return "", nil, errDamaged
		}
	}

	text, err = inflate(in, size)
	if err != nil || int64(len(text)) != size {
		return "", nil, errDamaged
	}
	if base != nil {
		text, err = apply(base, text)
	}

	return kind, text, err
}

// length is the size of an object: four bits of its first byte, then seven of each.
func length(in io.ByteReader, first byte) (int64, error) {
	size := int64(first & 15)
	shift := 4
	for b := first; b&0x80 != 0; shift += 7 {
		var err error
		if b, err = in.ReadByte(); err != nil || shift > 50 {
			return 0, errDamaged
		}
		size |= int64(b&0x7f) << shift
	}
	return size, nil
}

// distance is how far back the base of a delta is; each further byte counts from one.
func distance(in io.ByteReader) (int64, error) {
	var back int64
	for i := 0; ; i++ {
		b, err := in.ReadByte()
		if err != nil || i > 7 {
			return 0, errDamaged
		}
		back = back<<7 | int64(b&0x7f)
		if b&0x80 == 0 {
			return back, nil
		}
		back++
	}
}

func inflate(in io.Reader, limit int64) ([]byte, error) {
	z, err := zlib.NewReader(in)
	if err != nil {
		return nil, errDamaged
	}
	text, err := io.ReadAll(io.LimitReader(z, limit+1))
	if err != nil || int64(len(text)) > limit {
		return nil, errDamaged
	}
	return text, nil
}

// apply makes a text from its base and a delta: the sizes of both, then pieces that are
// copied from the base and pieces that are new (gitformat-pack, "Deltified
// representation").
func apply(base, delta []byte) ([]byte, error) {
	in := bytes.NewReader(delta)
	from, err := number(in)
	if err != nil || from != int64(len(base)) {
		return nil, errDamaged
	}

	to, err := number(in)
	if err != nil || to > maxObject {
		return nil, errDamaged
	}

	var text []byte
	for in.Len() > 0 {
		op, _ := in.ReadByte()
		switch {
		case op&0x80 != 0:
			at, n, err := piece(in, op)
			if err != nil || at+n > len(base) {
				return nil, errDamaged
			}
			text = append(text, base[at:at+n]...)
		case op != 0 && int(op) <= in.Len():
			fresh := make([]byte, op)
			_, _ = io.ReadFull(in, fresh) // is long enough
			text = append(text, fresh...)
		default:
			return nil, errDamaged
		}

		if int64(len(text)) > to {
			return nil, errDamaged
		}
	}

	if int64(len(text)) != to {
		return nil, errDamaged
	}
	return text, nil
}

// number is written with seven bits a byte, the lowest first.
func number(in io.ByteReader) (int64, error) {
	var n int64
	for shift := 0; ; shift += 7 {
		b, err := in.ReadByte()
		if err != nil || shift > 56 {
			return 0, errDamaged
		}
		n |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			return n, nil
		}
	}
}

// piece says which bytes of the base are copied: the bits of the first byte tell which
// bytes of the offset and of the size follow.
func piece(in io.ByteReader, op byte) (at, n int, err error) {
	for i := range 7 {
		if op>>i&1 == 0 {
			continue
		}
		b, err := in.ReadByte()
		if err != nil {
			return 0, 0, errDamaged
		}

		if i < 4 {
			at |= int(b) << (8 * i)
		} else {
			n |= int(b) << (8 * (i - 4))
		}
	}

	if n == 0 {
		n = 0x10000
	}

	return at, n, nil
}
