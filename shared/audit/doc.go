// Package audit keeps a hash-chained audit trail and verifies it.
//
// # The idea
//
// An audit trail is a list of entries. Each entry names the SHA-256 hash of the
// entry before it, and its own hash covers that name; so the hash of the last
// entry, the head, fixes every byte of every entry before it. A reader who keeps a
// head can check later that the trail still leads to it. The check needs only
// SHA-256, not trust in the program that keeps the trail.
//
// # The line format audit-chain/v1
//
// An entry is one line of UTF-8 JSON with these members in this order, ended by
// one newline:
//
//	{"actor":"…","event":"…","id":"…","payload":{…},"prev_hash":"<64 hex>","seq":N,"time":"2026-11-21T07:53:12.123456789Z","hash":"<64 hex>"}
//
// The hash member is the SHA-256 of the body, which is the line without
// `,"hash":"…"`, that is: with its last 75 bytes replaced by one closing brace.
// The body is canonical JSON (RFC 8785, JCS, in the profile below), so hashing
// the stored bytes and hashing the re-canonicalized value give the same result.
// A third party checks one line without this package:
//
//	sed 's/,"hash":"[0-9a-f]\{64\}"}$/}/' one-line.jsonl | tr -d '\n' | sha256sum
//
// The members after the payload have a fixed width, so a line is read from its
// end, and a payload cannot reach into them.
//
//   - seq counts from 1 without gaps. Entry 1, the genesis, has event
//     chain.created, a prev_hash of 64 zeros and a payload that binds the name of
//     the chain and the version of the format into every later hash.
//   - time is UTC with nine fraction digits. It is the writer's clock, which is not
//     trusted, and is never before the predecessor's.
//   - id is made by the caller before its first attempt ([NewID]) and makes an
//     append idempotent: the same id with the same content yields the entry written
//     first, with other content [ErrIDReused].
//   - id and event are 1 to 128 characters of A-Z a-z 0-9 . _ : - and actor is 1 to
//     256 bytes of text.
//   - payload is an object of the profile: keys ASCII, unique and sorted; numbers
//     are integers within ±(2^53−1) and not −0; text is valid Unicode, escaped only
//     where JSON demands it; nesting at most 16. A line has at most 65,535 bytes.
//     An append refuses any other value ([ErrProfile], [ErrTooLarge]) and never
//     repairs it. Store digests of secrets, not secrets.
//
// # Appending and verifying
//
// A [Store] holds one chain. Packages memory, file, dynamo and sealed implement it;
// every implementation passes package audittest. All of them keep the same bytes, so
// there is one verifier, over bytes: [VerifyReader]. [Verify] feeds it from a
// store.
//
// A [Report] lists what was checked. Without an [Anchor], a head kept from earlier,
// no program can detect that entries were cut from the end or that the whole chain
// was rewritten; the report says so. See [Report] and [Claim].
package audit
