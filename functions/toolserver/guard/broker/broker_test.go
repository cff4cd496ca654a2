//go:build linux

package broker

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// echo answers with what it was asked.
func echo(_ context.Context, r Request) Answer {
	return Answer{Output: r.Input, Errors: fmt.Append(nil, r.Kind, r.Arguments), Status: len(r.Arguments)}
}

// serve opens a broker and the door to it, as it is in a fence.
func serve(t *testing.T, handle Handler) (*Broker, *Door) {
	t.Helper()
	b, err := Serve(handle)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b, &Door{b.Folder()}
}

func TestManyAskAtOnce(t *testing.T) {
	_, door := serve(t, echo)
	var group sync.WaitGroup
	for n := range 100 {
		group.Go(func() {
			in := strings.Repeat("x", n*1000)
			var out, errs bytes.Buffer
			status := door.Pass(Hook, []string{"a", "b"}, strings.NewReader(in), &out, &errs)
			if status != 2 || out.String() != in || errs.String() != "hook[a b]" {
				t.Errorf("%d: %d, %d bytes, %s", n, status, out.Len(), errs.String())
			}
		})
	}
	group.Wait()
}

// What cannot be asked is refused: a hook that fails must not let a step pass.
func TestWhatCannotBeAskedIsRefused(t *testing.T) {
	b, door := serve(t, echo)
	var out bytes.Buffer
	large := io.LimitReader(endless{}, mostInput+1)
	if status := door.Pass(Hook, nil, large, &out, &out); status != 2 || !strings.Contains(out.String(), "more than") {
		t.Errorf("too large: %d %s", status, out.String())
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if status := door.Pass(Hook, nil, strings.NewReader("x"), &out, &out); status != 2 {
		t.Errorf("nobody listens: %d", status)
	}
	if _, err := os.Stat(b.Folder()); err == nil {
		t.Error("its folder is left")
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A socket in a folder that anybody can write is no door.
func TestADoorIsAReadOnlyMount(t *testing.T) {
	folder := t.TempDir()
	state := filepath.Join(folder, ".governance")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if Find(folder) != nil {
		t.Error("there is no socket")
	}
	listener, err := listen(state)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if Find(folder) != nil {
		t.Error("the folder can be written")
	}
}

func FuzzRequests(f *testing.F) {
	for _, seed := range []string{"", "{", `{"kind":"hook","arguments":["a"],"input":"eA=="}`, `{"kind":1}`, `{"input":"!"}`, "null", "[]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		ours, theirs := net.Pipe()
		go func() {
			answer(t.Context(), ours, echo)
			_ = ours.Close()
		}()
		go func() { // it may be refused before it is read
			_, _ = theirs.Write(append(text, '\n'))
			_, _ = theirs.Write([]byte("\x00")) // ends what goes on
		}()
		if said, err := io.ReadAll(theirs); err != nil || !bytes.HasPrefix(said, []byte("{")) {
			t.Errorf("%q %v", said, err)
		}
		_ = theirs.Close()
	})
}
