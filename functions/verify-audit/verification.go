package verifyaudit

import (
	"context"
	"encoding/base64"
	"net/http"
	"strconv"

	"governance.internal/shared/audit"
	"governance.internal/shared/httpapi"
)

// Verification is the answer: the report, and what a buyer keeps of it. Proofs are
// hashes in base64, as RFC 6962 orders them.
type Verification struct {
	audit.Report
	Checkpoint  string       `json:"checkpoint,omitempty"`  // signed note; absent for a chain that is not valid
	VKey        string       `json:"vkey"`                  // that checks it
	HeadProof   []string     `json:"head_proof,omitzero"`   // that the checkpoint's last entry is the head
	Consistency *Consistency `json:"consistency,omitempty"` // for a buyer who brought an earlier checkpoint
	Inclusion   string       `json:"inclusion,omitempty"`   // proof file of the entry that was asked for
}

// Consistency proves that the chain begins with what an earlier checkpoint saw.
type Consistency struct {
	From  uint64   `json:"from"` // entries of the earlier checkpoint
	Proof []string `json:"proof"`
}

// wanted is what a buyer asks for beside the verdict.
type wanted struct {
	earlier *audit.Checkpoint
	seq     uint64 // of the entry to prove, 0 for none
}

// read reads the query: checkpoint, a signed note of ours in base64, and seq.
func (d Deps) read(r *http.Request) (w wanted, err error) {
	query := r.URL.Query()
	if text := query.Get("checkpoint"); text != "" {
		signed, err := base64.URLEncoding.DecodeString(text)
		if err != nil {
			signed, err = base64.StdEncoding.DecodeString(text)
		}
		if err != nil {
			return w, badQuery("checkpoint must be the base64 of a signed checkpoint.")
		}
		c, err := d.Notary.Open(signed)
		if err != nil || c.Size == 0 {
			return w, badQuery("checkpoint is not one that this service signed with the key " + d.Notary.Key + ".")
		}
		w.earlier = &c
	}
	if text := query.Get("seq"); text != "" {
		if w.seq, err = strconv.ParseUint(text, 10, 63); err != nil || w.seq == 0 {
			return w, badQuery("seq must be the number of an entry, from 1.")
		}
	}
	return w, nil
}

func badQuery(detail string) error {
	return &httpapi.Error{Status: http.StatusBadRequest, Code: "invalid_query", Detail: detail}
}

// verify re-hashes the chain and, if it is valid, signs and proves.
func (d Deps) verify(ctx context.Context, w wanted) (Verification, error) {
	anchors := d.Anchors()
	if w.earlier != nil {
		anchors = append(anchors, audit.Anchor{Kind: "your_checkpoint", Size: w.earlier.Size, Root: w.earlier.Root})
	}
	report, err := audit.Verify(ctx, d.Store, audit.VerifyOptions{Chain: d.Chain, Anchors: anchors, Strict: true, Tree: true})
	v := Verification{Report: report, VKey: d.Notary.Key}
	if err != nil || !report.Valid {
		return v, err
	}
	signed, err := d.Notary.Sign(report)
	if err != nil {
		return v, err
	}
	v.Checkpoint = string(signed)
	return v, d.prove(ctx, w, &v)
}

func (d Deps) prove(ctx context.Context, w wanted, v *Verification) error {
	size := v.Head.Seq
	entries := audit.EntryHashes(ctx, d.Store, size)
	head, err := audit.ProveInclusion(size, size, entries)
	if err != nil {
		return err
	}
	v.HeadProof = encode(head)
	if w.earlier != nil {
		proof, err := audit.ProveConsistency(w.earlier.Size, size, entries)
		if err != nil {
			return err
		}
		v.Consistency = &Consistency{From: w.earlier.Size, Proof: encode(proof)}
	}
	if w.seq == 0 || w.seq > size {
		return nil
	}
	hashes, err := audit.ProveInclusion(w.seq, size, entries)
	if err != nil {
		return err
	}
	file, err := audit.Proof{Seq: w.seq, Hashes: hashes, Checkpoint: []byte(v.Checkpoint)}.MarshalText()
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
