package git

import (
	"bytes"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"
)

// The pieces of a delta come from a stranger: a wrong one is damage, never a panic and
// never more than the sizes that it names.
func FuzzApply(f *testing.F) {
	f.Add([]byte("hello world"), []byte{11, 5, 0x91, 6, 5})
	f.Add([]byte("hello"), []byte{5, 3, 3, 'a', 'b', 'c'})
	f.Add([]byte(""), []byte{0, 0x80, 0x80, 0x80, 8, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		if text, err := apply(base, delta); err == nil && len(text) > maxObject {
			t.Errorf("%d bytes", len(text))
		}
	})
}

func TestADeltaCopiesAndAdds(t *testing.T) {
	text, err := apply([]byte("hello world"), []byte{11, 8, 0x91, 6, 5, 3, 'a', 'b', 'c'})
	if err != nil || string(text) != "worldabc" {
		t.Errorf("%q %v", text, err)
	}
	for _, delta := range [][]byte{{}, {11}, {10, 5, 0x91, 6, 5}, {11, 5, 0x91, 6, 6}, {11, 5, 0}, {11, 5, 9, 'a'}, {11, 6, 0x91, 6, 5}} {
		if text, err := apply([]byte("hello world"), delta); err == nil {
			t.Errorf("%v made %q", delta, text)
		}
	}
}

// An entry of a pack is read from any bytes without a panic.
func FuzzEntry(f *testing.F) {
	f.Add([]byte("\x35x\x9c\xcbH\xcd\xc9\xc9\x07\x00\x06,\x02\x15"))
	f.Add([]byte{0x65, 1})
	f.Add([]byte("\x75aaaaaaaaaaaaaaaaaaaa"))
	f.Fuzz(func(t *testing.T, content []byte) {
		r := &Repository{source: nothing{}}
		_, _, _ = r.entry(&pack{pack: bytes.NewReader(content), size: int64(len(content))}, int64(len(content))/2, 0)
		_, _, _ = r.entry(&pack{pack: bytes.NewReader(content), size: int64(len(content))}, 0, 0)
	})
}

// nothing is a source without files.
type nothing struct{}

func (nothing) Open(string) (*os.File, error) { return nil, fs.ErrNotExist }
func (nothing) Files() fs.FS                  { return fstest.MapFS{} }
