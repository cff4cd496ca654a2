// Package dynamo keeps an audit chain in a DynamoDB table, for functions that run
// many times at once. The lines are the same bytes as in a file. The head, updated by
// compare-and-swap, marks the end of the chain.
//
// # The table
//
// It has the keys pk and sk, both strings, and no index:
//
//	pk                   sk               holds
//	c#<chain>#<bucket>   first seq        b: the lines of 1 to 96 entries, last_hash
//	h#<chain>            head             seq, hash, time
//	i#<chain>#<id>       id               seq, time, hash and prev_hash of the entry
//	q#<chain>#<shard>    time # first id  b: events that wait, one canonical object a line
//	n#<chain>            name             b: a note (audit.Notes)
//	l#<chain>            lease            owner, ends (Unix milliseconds)
//	s#<chain>            first seq        manifest of a sealed segment, see package sealed
//
// A seq in a key has 16 digits. A bucket holds 65,536 seqs, and no block lies in two.
//
// # Appending
//
// A commit is one transaction: it puts the block if there is none, moves the head
// if it is still the one that the block follows, and puts an id item for each event
// if there is none. So there is never a fork, a gap or a second entry of one event.
// After a failed condition the store reads the id item, because an earlier try of the
// same append may have succeeded.
//
// An append tries that once. If it loses against another writer it leaves its events
// in the inbox. The holder of the lease, the combiner, commits all waiting events in
// one block; the others poll their id items. For a second after a lost race a store
// begins with the inbox. The lease only saves writes: the chain stays valid with any
// number of combiners. Events whose caller gave up ([audit.Unknown]) may wait in the
// inbox until the next contention.
//
// An append of more than 96 events or 128 KB takes several commits, with other
// entries perhaps between them.
//
// # Trust and limits
//
// A writer of the table can rewrite the chain; heads kept elsewhere expose that (see
// [audit.Anchor]). A store refuses to append ([audit.ErrTampered])
// when the head is missing, damaged or older than one it saw, when the last block
// does not end with it, or when a block follows it.
//
// One partition takes 1,000 write units a second and a transaction costs two for
// each KB: some 0.5 MB/s, or 1,250 entries of 400 bytes.
//
// # Permissions
//
// The role of a writer needs, on this table alone: dynamodb:GetItem,
// dynamodb:BatchGetItem and dynamodb:Query; and by dynamodb:LeadingKeys
// dynamodb:PutItem for c#*, i#* and q#*, dynamodb:UpdateItem for h#* and l#*, and
// dynamodb:DeleteItem for q#*. Notes take dynamodb:PutItem for n#*. A transaction puts
// c#* and i#* and updates h#*; where DynamoDB judges each of its actions by the keys of
// all of them, PutItem and UpdateItem must both be allowed for c#*, i#* and h#* within
// TransactWriteItems (dynamodb:EnclosingOperation). No transaction deletes. To read a chain that exists dynamodb:GetItem and dynamodb:Query
// suffice. Sealing also needs dynamodb:PutItem for s#*.
package dynamo
