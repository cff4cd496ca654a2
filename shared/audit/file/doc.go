// Package file keeps an audit chain in one local file, <chain>.jsonl, that tail,
// jq and sha256sum can read.
//
// # Durability
//
// One goroutine writes for all callers: it takes every waiting append, writes the
// lines with one write, makes them durable with one fdatasync and then acknowledges
// them. Concurrent callers share one fdatasync.
//
// Several processes may append to one file. Each write happens under an exclusive
// flock on <chain>.lock, and begins with reading what other processes added since.
//
// # Failure
//
//   - A crash in the middle of a write leaves an incomplete last line, whose append
//     was never acknowledged. The next writer moves it to <chain>.torn-<time> and
//     appends a chain.recovered entry that names that file and its digest.
//   - A complete but wrong last line is no crash but [audit.ErrTampered]: the store
//     refuses to append. It also does if lines are missing, out of order or unlinked, or
//     if the file was replaced or became shorter while open. Open does not hash all
//     entries; [Verify] does.
//   - If a write fails, for example because the disk is full, the file is cut back to
//     its last good length and the error means that nothing was recorded.
//   - If fdatasync fails, the contents of the disk are unknown, and a second fdatasync
//     may report success wrongly: the append is [audit.Unknown] and the store takes no more of them
//     ([audit.ErrPoisoned]) until it is opened again.
//
// # Cost
//
// Open reads the whole file once to find the ids. Per million entries it takes
// about a third of a second and 40 MB of memory; BenchmarkMillion measures it.
package file
