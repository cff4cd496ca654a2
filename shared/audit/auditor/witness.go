package auditor

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// Witness is a C2SP tlog-witness: it signs a checkpoint only with a proof that it
// continues the last one it signed.
type Witness struct {
	url    string // of its submission prefix
	key    cosigner
	client *http.Client
}

// NewWitness takes the submission prefix and the verifier key of a witness, the
// latter in the form of signed notes: name, key id and key, with the type 0x04 of an
// Ed25519 cosignature. The client bounds the time of a request.
func NewWitness(url, vkey string, client *http.Client) (*Witness, error) {
	key, err := parseCosigner(vkey)
	if err != nil {
		return nil, err
	}
	return &Witness{
		url:    strings.TrimRight(url, "/"),
		key:    key,
		client: client,
	}, nil
}

// Name implements [Sink].
func (w *Witness) Name() string {
	return "witness-" + fmt.Sprintf("%08x", w.key.hash)
}

// Every implements [Sink].
func (w *Witness) Every() time.Duration { return 0 }

// Put implements [Sink].
func (w *Witness) Put(ctx context.Context, p Publication) (string, error) {
	lines, size, err := w.submit(ctx, p, 0)
	if errors.Is(err, errOther) && size <= p.Size {
		lines, _, err = w.submit(ctx, p, size)
	}
	if err != nil {
		return "", err
	}

	cosigned := append(bytes.Clone(p.Signed), lines...)
	opened, err := note.Open(cosigned, note.VerifierList(w.key))
	if err != nil {
		return "", fmt.Errorf("the witness's signature: %w", err)
	}

	opened.UnverifiedSigs = onlyOf(opened.UnverifiedSigs, p.Origin)
	both, err := note.Sign(opened)
	return string(both), err
}

// onlyOf drops the signatures of other keys.
func onlyOf(sigs []note.Signature, name string) []note.Signature {
	for _, s := range sigs {
		if s.Name == name {
			return []note.Signature{s}
		}
	}
	return nil
}

// errOther reports that the witness last signed a checkpoint of another size.
var errOther = errors.New("the witness knows another size")

const maxWitnessAnswer = 16 << 10

// submit calls add-checkpoint with a proof from the size old on. With errOther, size
// is the one that the witness has.
func (w *Witness) submit(ctx context.Context, p Publication, old uint64) (lines []byte, size uint64, err error) {
	proof, err := p.Prove(ctx, old)
	if err != nil {
		return nil, 0, err
	}

	var body bytes.Buffer
	fmt.Fprintf(&body, "old %d\n", old)
	for _, text := range encode(proof) {
		body.WriteString(text + "\n")
	}

	body.WriteString("\n")
	body.Write(p.Signed)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url+"/add-checkpoint", &body)
	if err != nil {
		return nil, 0, err
	}

	resp, err := w.client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()

	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxWitnessAnswer))
	if err != nil {
		return nil, 0, err
	}

	switch resp.StatusCode {
	case http.StatusOK:
		return answer, 0, nil
	case http.StatusConflict:
		size, err = strconv.ParseUint(strings.TrimSuffix(string(answer), "\n"), 10, 63)
		if err == nil && size != old {
			return nil, size, errOther
		}
	}

	return nil, 0, fmt.Errorf("the witness answered %s", resp.Status)
}

// cosigner is a [note.Verifier] of C2SP tlog-cosignature, cosignature/v1.
type cosigner struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

const cosignatureType = 0x04

var errCosigner = errors.New("not the verifier key of an Ed25519 cosigner: name+hash+key of the type 0x04")

func parseCosigner(vkey string) (cosigner, error) {
	parts := strings.SplitN(vkey, "+", 3)
	if len(parts) != 3 || parts[0] == "" {
		return cosigner{}, errCosigner
	}

	raw, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil ||
		len(raw) != 1+ed25519.PublicKeySize ||
		raw[0] != cosignatureType {
		return cosigner{}, errCosigner
	}

	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), raw...))
	c := cosigner{parts[0], binary.BigEndian.Uint32(sum[:]), raw[1:]}
	if fmt.Sprintf("%08x", c.hash) != parts[1] {
		return cosigner{}, errCosigner
	}

	return c, nil
}

func (c cosigner) Name() string    { return c.name }
func (c cosigner) KeyHash() uint32 { return c.hash }

// Verify checks a time and a signature over it and the checkpoint.
func (c cosigner) Verify(checkpoint, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	return ed25519.Verify(c.key, cosigned(binary.BigEndian.Uint64(sig), checkpoint), sig[8:])
}

// cosigned is the message of a cosignature made at a time in seconds.
func cosigned(at uint64, checkpoint []byte) []byte {
	return append([]byte("cosignature/v1\ntime "+strconv.FormatUint(at, 10)+"\n"), checkpoint...)
}
