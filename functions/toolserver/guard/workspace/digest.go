package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// maxHashed is how many bytes of a file are hashed; of a larger one only the size counts.
const maxHashed = 64 << 20

// Digest identifies the state of a file: content, permissions and kind. A file that cannot
// be read is in a state of its own; one that is gone is [fs.ErrNotExist].
func (w *Workspace) Digest(name string, info fs.FileInfo) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%v\n", info.Mode())
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := fs.ReadLink(w.Files(), name)
		fmt.Fprintf(h, "%q %v\n", target, err != nil)
	case info.Mode().IsRegular() && info.Size() <= maxHashed:
		text, err := w.ReadFile(name, maxHashed)
		if errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		return digestOf(info.Mode(), text, err != nil), nil
	default:
		_, _ = io.WriteString(h, fmt.Sprint(info.Size()))
	}

	return hex.EncodeToString(h.Sum(nil)), nil
}

// digestOf is the digest of a regular file.
func digestOf(mode fs.FileMode, text []byte, unreadable bool) string {
	h := sha256.New()
	fmt.Fprintf(h, "%v\n%v\n", mode, unreadable)
	_, _ = h.Write(text) // a hash never fails
	return hex.EncodeToString(h.Sum(nil))
}

// usualModes are the permissions that git and editors give to files.
var usualModes = []fs.FileMode{0o644, 0o600, 0o664, 0o640, 0o444, 0o755, 0o700, 0o775}

// DigestsOf are the digests that a regular file with this content may have.
func (w *Workspace) DigestsOf(text []byte) []string {
	var digests []string
	for _, mode := range usualModes {
		digests = append(digests, digestOf(mode, text, false))
	}
	return digests
}
