// Package sealed keeps most of a chain in objects that never change.
//
// Many writers can append to a chain in a table, but reading it there is expensive: a
// strong read of 390,000 entries costs more than the price of a verification, and a
// million take one partition more than half a minute. So a chain has two parts. The
// hot part is the table. The sealed part consists of segments, runs of entries that
// were verified and copied to objects, each read in one request. A reader goes through
// the segments and then on in the table. The lines are the same bytes in both.
//
// # Segments
//
// The entries alone determine where a segment ends. It is the longest run of
// 1, 2, 4 and so on to 16,384 entries that begins at a multiple of its length, counted
// from 0, and has at most 8 MB; one entry always may. It is sealed as soon as its end is certain.
// So all sealers of a chain write the same objects, and sealing is repeatable: two
// sealers, or one that died at any point and its successor, end with the same result.
// A segment is also a complete subtree of the chain's tree: with its hash in the
// manifest a proof need not read the segment.
//
// The object <chain>/seg/<first>-<last>.jsonl has the lines, and .json beside it the
// manifest, a [Segment]; seqs in keys have 16 digits. Objects are created once and never
// replaced. In a bucket with Object Lock the owner of the account can only hide them
// under newer versions, which a walk detects. The table has the manifests too, as an
// index that the lines prove.
//
// # Trust
//
// Sealing verifies what it seals, from the last segment to the head. It refuses
// ([audit.ErrTampered]) a run that does not verify, and an object under its key with
// other contents. Entries stay in the table after sealing; only another role removes
// them, after reading the segment back.
package sealed
