package wiring

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/auditor"
	"governance.internal/shared/config"
	"governance.internal/shared/kms"
	"governance.internal/shared/wiring/environment"
)

// AuditorFromEnvironment is [NewAuditor] of this process's environment.
func AuditorFromEnvironment() (*auditor.Auditor, error) {
	c, err := environment.Load()
	if err != nil {
		return nil, err
	}
	return NewAuditor(c)
}

// NewAuditor opens the auditor that seals, walks and publishes the audit chain of a
// table. The error names every missing setting.
func NewAuditor(c config.Config) (*auditor.Auditor, error) {
	settings := []config.Setting{{Name: "BASE_URL", Value: c.BaseURL}, {Name: "AUDIT_TABLE", Value: c.AuditTable}}
	if c.SegmentBucket == "" {
		settings = append(settings, config.Setting{
			Name:  "SEGMENT_BUCKET or DATA_DIR",
			Value: c.DataDir,
		})
	}

	if c.CheckpointKeyFile+c.CheckpointKeyKMS == "" {
		settings = append(settings, config.Setting{
			Name:  "CHECKPOINT_KEY_KMS, CHECKPOINT_KEY_FILE or DATA_DIR",
			Value: c.DataDir,
		})
	}

	if err := config.Need(settings...); err != nil {
		return nil, err
	}
	t, err := openTableTrail(c, c.BaseURL, true)
	if err != nil {
		return nil, err
	}

	return openAuditor(c, t, c.BaseURL)
}

// openAuditor opens the verifier of the audit chain.
func openAuditor(c config.Config, t *trail, baseURL string) (*auditor.Auditor, error) {
	notary, err := openNotary(c, baseURL)
	if err != nil {
		return nil, err
	}

	sinks, err := openSinks(c)
	if err != nil {
		return nil, err
	}

	return &auditor.Auditor{
		Store:   t.Store,
		Sealed:  t.sealed,
		Notes:   t.Notes,
		Notary:  notary,
		Chain:   ChainName,
		Anchors: t.Anchors,
		Sinks:   sinks,
		Now:     time.Now,
	}, nil
}

// openNotary opens the key that signs checkpoints.
func openNotary(c config.Config, baseURL string) (*audit.Notary, error) {
	origin := cmp.Or(c.CheckpointOrigin, checkpointOrigin(baseURL))
	if c.CheckpointKeyKMS == "" {
		return audit.LoadOrCreateNotary(cmp.Or(c.CheckpointKeyFile, filepath.Join(c.DataDir, "checkpoint.key")), origin)
	}
	a, err := environment.OpenAccount("")
	if err != nil {
		return nil, err
	}
	return remoteNotary(kms.Open(c.CheckpointKeyKMS, keyService(a)), origin)
}

// remoteNotary returns a notary with a key in KMS.
func remoteNotary(key *kms.Key, origin string) (*audit.Notary, error) {
	ctx, cancel := context.WithTimeout(context.Background(), kmsLimit)
	defer cancel()

	der, err := key.PublicKey(ctx)
	if err != nil {
		return nil, err
	}

	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, err
	}

	public, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return nil, errors.New("configuration: CHECKPOINT_KEY_KMS is not a key of the spec ECC_NIST_EDWARDS25519")
	}

	return audit.NewNotary(origin, public, func(message []byte) ([]byte, error) {
		ctx, cancel := context.WithTimeout(context.Background(), kmsLimit)
		defer cancel()
		return key.SignMessage(ctx, message)
	})
}

// checkpointOrigin returns the public name of the audit chain: the service's address
// without its scheme, and the name of the chain.
func checkpointOrigin(baseURL string) string {
	_, address, _ := strings.Cut(baseURL, "://")
	return address + "/" + ChainName
}
