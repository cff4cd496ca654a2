package auditor

import (
	"context"
	"encoding/base64"

	"governance.internal/shared/audit"
)

// Verification is the answer: the report, and the proofs that a caller keeps. Proofs
// are hashes in base64, in the order of RFC 6962.
type Verification struct {
	audit.Report
	Checkpoint  string       `json:"checkpoint,omitempty"`  // signed note; absent for a chain that is not valid
	VKey        string       `json:"vkey"`                  // that checks it
	HeadProof   []string     `json:"head_proof,omitzero"`   // that the checkpoint's last entry is the head
	Consistency *Consistency `json:"consistency,omitempty"` // for a caller who brought an earlier checkpoint
	Anchors     []SinkState  `json:"anchors,omitempty"`     // where checkpoints of this chain are kept elsewhere
	Inclusion   string       `json:"inclusion,omitempty"`   // proof file of the entry that was asked for
}

// Consistency proves that the chain begins with the entries of an earlier checkpoint.
type Consistency struct {
	From  uint64   `json:"from"` // entries of the earlier checkpoint
	Proof []string `json:"proof"`
}

// prove adds the proofs for a checkpoint of v's head.
func (a *Auditor) prove(ctx context.Context, r Request, v *Verification) error {
	size := v.Head.Seq
	v.HeadProof = encode(v.HeadInclusion())
	if r.Earlier != nil {
		proof, err := audit.ProveConsistency(r.Earlier.Size, size, audit.NodesOf(ctx, a.Store, size))
		if err != nil {
			return err
		}
		v.Consistency = &Consistency{From: r.Earlier.Size, Proof: encode(proof)}
	}

	if r.Seq == 0 || r.Seq > size {
		return nil
	}
	hashes, err := audit.ProveInclusion(r.Seq, size, audit.NodesOf(ctx, a.Store, size))
	if err != nil {
		return err
	}

	file, err := audit.Proof{
		Seq:        r.Seq,
		Hashes:     hashes,
		Checkpoint: []byte(v.Checkpoint),
	}.MarshalText()
	v.Inclusion = string(file)
	return err
}

func encode(hashes []audit.Hash) []string {
	text := make([]string, len(hashes))
	for i, h := range hashes {
		text[i] = base64.StdEncoding.EncodeToString(h[:])
	}
	return text
}
