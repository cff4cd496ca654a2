// Package sealed keeps most of a chain in objects that never change.
//
// A table is where many writers can append to a chain, and a dear place to read it
// from: a strong read of 390,000 entries costs more than a verification earns, and
// a million take one partition more than half a minute. So a chain has two parts.
// The hot part is the table. The sealed part are segments, runs of entries that were
// verified and copied to objects, of which each is read in one request. Reading goes
// through the segments and, where they end, on in the table. The lines are the same
// bytes in both.
//
// # Segments
//
// Where a segment ends is a matter of the entries alone. It is the longest run of
// 1, 2, 4 and so on to 16,384 entries that begins at a multiple of its length, counted
// from 0, and has at most 8 MB; one entry always may. It is sealed as soon as that is certain.
// So whoever seals a chain makes the same objects, which is what makes sealing
// repeatable: two sealers, or one that died at any point and its successor, end with
// the same result. And a segment is a complete subtree of the chain's tree: with the
// hash of it on record a proof need not read the segment.
//
// The object <chain>/seg/<first>-<last>.jsonl has the lines, and .json beside it the
// manifest, a [Segment]; seqs in keys have 16 digits. Objects are created once and never
// replaced; in a locked bucket not even the owner of the account can, only hide them
// under newer versions, which a walk finds. The table has the manifests too, as an
// index: a hint where to look, which the lines prove.
//
// # Trust
//
// Sealing verifies what it seals, from the last segment to the head. It refuses
// ([audit.ErrTampered]) a run that does not verify, and an object under its key that is
// not its own. Entries stay in the table after sealing; to remove them is
// for another role, and never before the segment was read back.
package sealed
