package snapshot

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Archives.
const (
	zstdArchive = "snapshot.tar.zst"
	gzipArchive = "snapshot.tar.gz"
)

// archive is the file of the snapshot, with its digest.
type archive struct {
	name   string
	sha256 string
}

// readings is how often a file is read that changes meanwhile.
const readings = 3

// errRestless says that a file changed each time that it was read.
var errRestless = errors.New("it changed while it was read, three times")

// pack writes the archive and fills in the digests of the files. A file that cannot be read
// as it stands still is left out, and the snapshot is not complete then.
func (k *Keeper) pack(ctx context.Context, c *collection, o Options, folder string) (archive, error) {
	a := archive{name: o.Archive}
	if a.name == "" {
		a.name = gzipArchive
		if k.Programs("zstd") {
			a.name = zstdArchive
		}
	}

	f, err := k.Workspace.OpenState(path.Join(folder, a.name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return a, err
	}
	sum := sha256.New()
	err = k.packInto(ctx, c, a.name, io.MultiWriter(f, sum))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return a, err
	}
	a.sha256 = hex.EncodeToString(sum.Sum(nil))
	return a, nil
}

func (k *Keeper) packInto(ctx context.Context, c *collection, name string, to io.Writer) error {
	var packed io.WriteCloser = gzip.NewWriter(to)
	if name == zstdArchive {
		encoder, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		packed = encoder
	}
	out := tar.NewWriter(packed)

	kept := c.entries[:0]
	for _, e := range c.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		ok, err := k.packEntry(c, out, &e)
		if err != nil {
			return err
		}
		if ok {
			kept = append(kept, e)
		}
	}
	c.entries = kept
	return errors.Join(out.Close(), packed.Close())
}

// packEntry adds one entry. It is not ok if the file could not be read as it stands still.
func (k *Keeper) packEntry(c *collection, out *tar.Writer, e *Entry) (bool, error) {
	mode, err := strconv.ParseInt(e.Mode, 8, 64)
	if err != nil {
		return false, err
	}
	header := &tar.Header{
		Name:    e.name(),
		Mode:    mode,
		ModTime: time.Unix(0, e.Modified),
		Format:  tar.FormatPAX,
	}

	switch e.Kind {
	case kindFolder:
		header.Typeflag, header.Name = tar.TypeDir, e.name()+"/"
		return true, out.WriteHeader(header)
	case kindLink:
		header.Typeflag, header.Linkname = tar.TypeSymlink, e.Target
		return true, out.WriteHeader(header)
	}

	content, err := k.steady(e.name())
	if err != nil {
		c.skip(e.name(), reasonOf(err))
		c.files--
		c.bytes -= e.Size
		c.complete = false
		return false, nil
	}
	defer content.close()

	c.bytes += content.size - e.Size
	e.Size, e.SHA256 = content.size, content.sha256
	header.Typeflag, header.Size = tar.TypeReg, content.size
	if err := out.WriteHeader(header); err != nil {
		return false, err
	}
	_, err = io.Copy(out, content.reader)
	return true, err
}

func reasonOf(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "it vanished while the snapshot was taken"
	}
	return err.Error()
}

// content is a file as it was at one moment.
type content struct {
	reader io.Reader
	size   int64
	sha256 string
	close  func()
}

// inMemory is the size up to which a file is held in memory; a larger one is copied first.
const inMemory = 8 << 20

// steady reads a file that does not change meanwhile: its size and time are the same before
// and after.
func (k *Keeper) steady(name string) (content, error) {
	for range readings {
		got, same, err := k.readOnce(name)
		if err != nil {
			return content{}, err
		}
		if same {
			return got, nil
		}
		got.close()
	}
	return content{}, errRestless
}

func (k *Keeper) readOnce(name string) (got content, same bool, err error) {
	f, err := k.Workspace.Open(name)
	if err != nil {
		return content{}, false, err
	}
	defer f.Close()

	before, err := f.Stat()
	if err != nil {
		return content{}, false, err
	}
	sum := sha256.New()
	got.close = func() {}

	if before.Size() <= inMemory {
		var text bytes.Buffer
		got.size, err = io.Copy(io.MultiWriter(&text, sum), io.LimitReader(f, inMemory+1))
		got.reader = &text
	} else {
		got, err = k.copyAside(f, sum)
	}
	if err != nil {
		return got, false, err
	}
	got.sha256 = hex.EncodeToString(sum.Sum(nil))

	after, err := f.Stat()
	if err != nil {
		return got, false, err
	}
	same = after.Size() == before.Size() &&
		after.ModTime().Equal(before.ModTime()) &&
		got.size == before.Size()
	return got, same, nil
}

// copyAside copies a large file into a file without a name.
func (k *Keeper) copyAside(from io.Reader, sum io.Writer) (content, error) {
	name := path.Join(Folder, ".copy-"+k.Random())
	f, err := k.Workspace.OpenState(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return content{}, err
	}
	got := content{
		reader: f,
		close:  func() { _ = f.Close() }, // it was only read
	}

	got.size, err = io.Copy(io.MultiWriter(f, sum), from)
	if err = errors.Join(err, k.Workspace.Remove(name)); err != nil {
		got.close()
		return content{}, err
	}
	_, err = f.Seek(0, io.SeekStart)
	return got, err
}
