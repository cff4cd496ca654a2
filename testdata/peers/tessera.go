package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"
	"k8s.io/klog/v2"
)

const keyFile, origin = "key", "peers.example/log"

// appendTessera adds the bytes of encode to a log on the file system with so many futures
// outstanding. One is acknowledged when its future resolves: its bundle and
// tiles are then on the disk.
func appendTessera(outstanding, batch uint, n int, encode encoding) func(context.Context, string) (result, error) {
	return func(ctx context.Context, dir string) (r result, err error) {
		quiet()
		all, err := encode(n)
		if err != nil {
			return r, err
		}
		signer, err := makeKey(dir)
		if err != nil {
			return r, err
		}
		driver, err := posix.New(ctx, posix.Config{Path: filepath.Join(dir, "log")})
		if err != nil {
			return r, err
		}
		age := 100 * time.Millisecond
		if batch == 1 {
			age = time.Millisecond
		}
		options := tessera.NewAppendOptions().WithCheckpointSigner(signer).WithCheckpointInterval(100*time.Millisecond).WithBatching(batch, age)
		appender, shutdown, _, err := tessera.NewAppender(ctx, driver, options)
		if err != nil {
			return r, err
		}
		r, err = each(int(outstanding), n, func(i int) error {
			_, err := appender.Add(ctx, tessera.NewEntry(all[i]))()
			return err
		})
		if err != nil {
			return r, err
		}
		return r, shutdown(ctx) // publishes the checkpoint of all
	}
}

func verifyTessera(workers uint) func(context.Context, string) (result, error) {
	return func(ctx context.Context, dir string) (r result, err error) {
		quiet()
		public, err := os.ReadFile(filepath.Join(dir, keyFile))
		if err != nil {
			return r, err
		}
		verifier, err := note.NewVerifier(string(public))
		if err != nil {
			return r, err
		}
		check := fsck.New(origin, verifier, client.FileFetcher{Root: filepath.Join(dir, "log")}, leafHashes, fsck.Opts{N: workers})
		return timed(stored, func() error { return check.Check(ctx) })
	}
}

// quiet drops what tessera logs.
func quiet() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}

// makeKey makes a signer and leaves its public half in the folder.
func makeKey(dir string) (note.Signer, error) {
	secret, public, err := note.GenerateKey(nil, origin)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, keyFile), []byte(public), 0o600); err != nil {
		return nil, err
	}
	return note.NewSigner(secret)
}

// leafHashes gives the leaf hashes of a bundle of entries.
func leafHashes(text []byte) ([][]byte, error) {
	var bundle api.EntryBundle
	if err := bundle.UnmarshalText(text); err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	hashes := make([][]byte, len(bundle.Entries))
	for i, entry := range bundle.Entries {
		hashes[i] = rfc6962.DefaultHasher.HashLeaf(entry)
	}
	return hashes, nil
}
