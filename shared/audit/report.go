package audit

import (
	"encoding/json"
	"fmt"
	"time"
)

// Report is the result of a verification. Its first three members are the fixed
// answer of the service; the order of all members is part of the contract.
type Report struct {
	// Valid is true if no test failed. It covers what Claims list as proved, no more.
	Valid bool `json:"valid"`
	// Entries counts the entries present, the bad ones and those after them included.
	Entries uint64 `json:"entries"`
	// BrokenAt is the seq due at the first bad line, or missing at the end; null if
	// there is none. It is always LastGoodSeq+1, hence never 0.
	BrokenAt *uint64 `json:"broken_at"`
	// Reason is the first test that failed at BrokenAt, null if none.
	Reason Reason `json:"reason"`
	// LastGoodSeq is the seq up to which every test passed.
	LastGoodSeq uint64 `json:"last_good_seq"`
	// Chain is the name in the genesis entry, "" if that was not accepted.
	Chain string `json:"chain"`
	// FirstSeq is the seq of the first accepted entry, 0 if there is none.
	FirstSeq uint64 `json:"first_seq"`
	// Head is the last entry whose line and link passed, null if there is none.
	Head *Head `json:"head"`
	// Root is that of the tree over the entries, absent unless requested.
	Root *Hash `json:"root,omitempty"`
	// Mode is "full" if this call read and hashed every byte, "incremental" if it read
	// and hashed the entries after Prefix.
	Mode string `json:"mode"`
	// Prefix is what an earlier verification read and hashed in full, absent in mode full.
	Prefix *PrefixUsed `json:"prefix,omitempty"`
	// Rehashed is the range that this call read, hashed and found valid.
	Rehashed Rehashed `json:"rehashed"`
	// Truncation lists the anchors with which the end of the chain was compared.
	Truncation Truncation `json:"truncation"`
	// Claims list what this report proves and what it does not.
	Claims []Claim `json:"claims"`
	// Warnings are observations that do not make the chain invalid.
	Warnings []Warning `json:"warnings"`
	// Segments counts the sealed segments that were read; 0 for a chain in one piece.
	Segments int `json:"segments"`
	// Sampled is the sealed segment that was read again although it lies within
	// Prefix; absent if none was.
	Sampled *Sampled `json:"sampled,omitempty"`
	// DurationMS is how long the verification took, in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	// VerifiedAt is when it began.
	VerifiedAt time.Time `json:"verified_at"`
	// Limits is one sentence about what no verification can show.
	Limits string `json:"limits"`

	tree *Tree // of Root
}

// AsPrefix returns the prefix that a later verification can skip, nil if the chain is
// not valid or Root is absent.
func (r Report) AsPrefix() *Prefix {
	if !r.Valid || r.Head == nil || r.tree == nil {
		return nil
	}
	return &Prefix{
		Chain:      r.Chain,
		Head:       *r.Head,
		Tree:       r.tree.clone(),
		VerifiedAt: r.VerifiedAt,
	}
}

// Refute adds a break that another reading of stored entries found. Of two breaks the
// first counts.
func (r *Report) Refute(at uint64, reason Reason) {
	if !r.Valid && *r.BrokenAt <= at {
		return
	}
	r.Valid = false
	r.BrokenAt = &at
	r.Reason = reason
	r.LastGoodSeq = at - 1
	for i, c := range r.Claims {
		if c.ID == "integrity" {
			r.Claims[i] = Claim{c.ID, Refuted, fmt.Sprintf("The line due at seq %d failed the test %s.",
				at, reason)}
		}
	}
}

// HeadInclusion is the inclusion proof of the head in the tree with Root, nil if
// there is none.
func (r Report) HeadInclusion() []Hash {
	if r.tree == nil {
		return nil
	}
	proof, _ := r.tree.LastProof() // of a single entry, as a walk appends them
	return proof
}

// Rehashed is a range of entries.
type Rehashed struct {
	Entries uint64 `json:"entries"`
	// Bytes are stored bytes, newlines included.
	Bytes uint64 `json:"bytes"`
	// From and To are the first and last seq, 0 if there are none.
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// PrefixUsed says which entries were not read in this call, and when they were.
type PrefixUsed struct {
	To         uint64    `json:"to"`
	VerifiedAt time.Time `json:"verified_at"`
	AgeS       int64     `json:"age_s"` // seconds since
}

// Sampled is a sealed segment picked at random: a changed one among Of is found by a
// call with the chance of one in Of.
type Sampled struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
	Of   int    `json:"of"` // segments within the prefix
}

// Truncation is the comparison with anchors.
type Truncation struct {
	// Checked is true if at least one anchor could be compared.
	Checked bool      `json:"checked"`
	Against []Against `json:"against"`
}

// Against is an anchor and the result of the comparison.
type Against struct {
	Kind string `json:"kind"`
	// Size is the number of entries the anchor vouches for, 0 if it names only a hash.
	Size uint64 `json:"size"`
	// Hash is that of the anchor, null if it names none.
	Hash *Hash `json:"hash"`
	// Root is that of a checkpoint, absent for other anchors.
	Root *Hash `json:"root,omitempty"`
	// Time is when the anchor was made, null if not known.
	Time *time.Time `json:"time"`
	// Result is match, mismatch, missing (the chain ends before) or not_reached (a
	// line before it failed).
	Result string `json:"result"`
}

// The results of [Against].
const (
	ResultMatch      = "match"
	ResultMismatch   = "mismatch"
	ResultMissing    = "missing"
	ResultNotReached = "not_reached"
)

// Claim is one statement about a chain and what this report lets one say of it.
type Claim struct {
	// ID is integrity, tail_complete, not_rewritten, canonical, all_logged,
	// payloads_true or clocks_right.
	ID string `json:"id"`
	// Verdict is proved, conditional (holds if the named anchor is genuine), refuted,
	// not_checked or unprovable.
	Verdict string `json:"verdict"`
	Why     string `json:"why"`
}

// The verdicts of a [Claim].
const (
	Proved      = "proved"
	Conditional = "conditional"
	Refuted     = "refuted"
	NotChecked  = "not_checked"
	Unprovable  = "unprovable"
)

// Warning is an observation that does not make a chain invalid.
type Warning struct {
	// Kind is time_regression (an entry is dated before its predecessor), torn_tail (an
	// incomplete line after the last entry, not part of the chain) or manifest_mismatch
	// (a sealed segment is good, but its manifest names other bytes).
	Kind string `json:"kind"`
	// Seq is where it was seen first.
	Seq uint64 `json:"seq"`
	// Count is how often; for torn_tail, how many bytes.
	Count uint64 `json:"count"`
}

// The kinds of [Warning].
const (
	TimeRegression = "time_regression"
	TornTail       = "torn_tail"

	ManifestMismatch = "manifest_mismatch"
)

// Reason names the test that a chain failed; "" (null in JSON) means none.
//
// The tests are made line by line and, on one line, in the order of the constants
// from Malformed to GenesisMismatch; the first failure ends the walk. Only if all
// lines pass come the tests of the whole, in the order Missing, HeadMismatch or
// CheckpointMismatch of an anchor that the chain reaches (the lowest first), Truncated, and HeadMismatch of
// an anchor without a size whose hash does not occur.
type Reason string

const (
	// Malformed: the line is not one complete line of JSON with the eight members,
	// or exceeds [MaxLine], or lacks its newline.
	Malformed Reason = "malformed"
	// Noncanonical: the line can be read, but it is not spelled in the one way the
	// format allows: a blank line, CRLF, a BOM, white space, upper-case digits, a
	// needless escape, a duplicate key, another order, a float.
	Noncanonical Reason = "noncanonical"
	// HashMismatch: the hash member is not the hash of the body.
	HashMismatch Reason = "hash_mismatch"
	// DuplicateSeq: the seq is one that was already passed.
	DuplicateSeq Reason = "duplicate_seq"
	// SeqGap: the seq is beyond the one that was due.
	SeqGap Reason = "seq_gap"
	// PrevMismatch: prev_hash is not the recomputed hash of the predecessor.
	PrevMismatch Reason = "prev_mismatch"
	// GenesisMismatch: the first entry does not begin a chain of this format, or not
	// the expected one.
	GenesisMismatch Reason = "genesis_mismatch"
	// Missing: there are no entries although a chain is expected.
	Missing Reason = "missing"
	// Truncated: the chain ends before an anchor.
	Truncated Reason = "truncated"
	// HeadMismatch: the chain has an entry where the anchor has another. The change
	// is at or before BrokenAt. For an anchor without a size BrokenAt is the last
	// entry.
	HeadMismatch Reason = "head_mismatch"
	// CheckpointMismatch: the first entries do not have the tree that a checkpoint
	// says they had. The change is at or before BrokenAt.
	CheckpointMismatch Reason = "checkpoint_mismatch"
)

// MarshalJSON returns the reason as a string, or null.
func (r Reason) MarshalJSON() ([]byte, error) {
	if r == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(r))
}
