package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"sort"
	"strings"
)

// packFolder is where the packs are, each with an index.
const packFolder = ".git/objects/pack"

// Places in an index of version 2 (gitformat-pack): a header, how many names begin with
// at most each byte, the names, their checksums and their offsets.
const (
	headerSize = 8
	fanoutSize = 256 * 4
	nameSize   = 20
)

// pack is an opened pack with its index.
type pack struct {
	index, pack io.ReaderAt
	size        int64 // of the pack, in bytes
	count       int
	fanout      [256]uint32
	close       func()
}

func openPacks(source Source) ([]*pack, error) {
	list, err := fs.ReadDir(source.Files(), packFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}

	var packs []*pack
	for _, entry := range list {
		name, ok := strings.CutSuffix(entry.Name(), ".idx")
		if !ok {
			continue
		}

		p, err := openPack(source, packFolder+"/"+name)
		if err != nil {
			for _, p := range packs {
				p.close()
			}
			return nil, err
		}

		packs = append(packs, p)
	}

	return packs, nil
}

func openPack(source Source, name string) (*pack, error) {
	index, err := source.Open(name + ".idx")
	if err != nil {
		return nil, err
	}

	content, err := source.Open(name + ".pack")
	if err != nil {
		return nil, errors.Join(err, index.Close())
	}

	p := &pack{
		index: index,
		pack:  content,
		close: func() {
			_ = errors.Join(index.Close(), content.Close())
		},
	} // only read from

	info, err := content.Stat()
	if err == nil {
		p.size = info.Size()
		err = p.read()
	}

	if err != nil {
		p.close()
		return nil, err
	}

	return p, nil
}

func (p *pack) read() error {
	head := make([]byte, headerSize+fanoutSize)
	if _, err := p.index.ReadAt(head, 0); err != nil {
		return errDamaged
	}
	if !bytes.Equal(head[:headerSize], []byte("\xfftOc\x00\x00\x00\x02")) {
		return errors.New("the index of a pack has an unsupported version")
	}

	for i := range p.fanout {
		p.fanout[i] = binary.BigEndian.Uint32(head[headerSize+4*i:])
		if i > 0 && p.fanout[i] < p.fanout[i-1] {
			return errDamaged
		}
	}

	p.count = int(p.fanout[255])
	return nil
}

// find is the place of an object in the pack.
func (p *pack) find(h hash) (int64, bool) {
	low := 0
	if h[0] > 0 {
		low = int(p.fanout[h[0]-1])
	}

	n := int(p.fanout[h[0]]) - low
	i := low + sort.Search(n, func(i int) bool {
		name, err := p.name(low + i)
		return err != nil || bytes.Compare(name[:], h[:]) >= 0
	})
	if name, err := p.name(i); i >= low+n || err != nil || name != h {
		return 0, false
	}

	names := int64(headerSize + fanoutSize + nameSize*p.count)
	offset, err := p.number(names+4*int64(p.count)+4*int64(i), 4)
	if err == nil && offset>>31 == 1 { // the place of a larger number behind the others
		offset, err = p.number(names+8*int64(p.count)+8*int64(offset&0x7fffffff), 8)
	}

	return int64(offset), err == nil
}

func (p *pack) name(i int) (h hash, err error) {
	_, err = p.index.ReadAt(h[:], int64(headerSize+fanoutSize+nameSize*i))
	return h, err
}

func (p *pack) number(at int64, width int) (n uint64, err error) {
	raw := make([]byte, 8)
	if _, err := p.index.ReadAt(raw[8-width:], at); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return binary.BigEndian.Uint64(raw), nil
}
