package wiring

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/auditor"
	"governance.internal/shared/catalog"
	"governance.internal/shared/config"
	"governance.internal/shared/lint"
	"governance.internal/shared/objects/s3"
	"governance.internal/shared/payments"
	"governance.internal/shared/payments/bolt"
	"governance.internal/shared/payments/dynamo"
	"governance.internal/shared/wiring/environment"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// ChainName is the name of the audit chain.
const ChainName = "governance"

// Paid holds the dependencies of a selling function.
type Paid struct {
	Gate          *x402.Gate
	Audit         audit.Store
	Auditor       *auditor.Auditor // of Audit; nil for a function that does not verify it
	Payments      payments.Store
	Chain         *evm.Chain
	Certification string       // of the agent that prepares legal texts; may be empty
	GasWallet     string       // address that pays the gas of settlements; "" with a remote facilitator
	Close         func() error // releases the stores
}

// NewPaid opens the stores and keys of a selling function. The error names every
// missing setting at once.
func NewPaid(c config.Config) (*Paid, error) {
	paid, _, err := openPaid(c)
	return paid, err
}

// NewVerifying is NewPaid for a function that also verifies the audit chain, with the
// key that signs its checkpoints.
func NewVerifying(c config.Config) (*Paid, error) {
	paid, trail, err := openPaid(c, config.Setting{
		Name:  "CHECKPOINT_KEY_KMS, CHECKPOINT_KEY_FILE or DATA_DIR",
		Value: c.CheckpointKeyFile + c.CheckpointKeyKMS + c.DataDir,
	})
	if err != nil {
		return nil, err
	}
	if paid.Auditor, err = openAuditor(c, trail, c.BaseURL); err != nil {
		return nil, errors.Join(err, paid.Close())
	}
	return paid, nil
}

// openPaid also returns the trail. It requires further settings.
func openPaid(c config.Config, more ...config.Setting) (*Paid, *trail, error) {
	site, err := Site(c)
	if err := errors.Join(err, needPaid(c, more...)); err != nil {
		return nil, nil, err
	}

	chain, err := openChain(c)
	if err != nil {
		return nil, nil, err
	}

	settles, gasWallet, err := openFacilitator(c, chain)
	if err != nil {
		return nil, nil, err
	}

	signer, err := openSigner(c)
	if err != nil {
		return nil, nil, err
	}

	store, closeStore, err := openPayments(c)
	if err != nil {
		return nil, nil, err
	}

	trail, err := openTrail(c, site.BaseURL)
	if err != nil {
		return nil, nil, errors.Join(err, closeStore())
	}

	site.Signer = signer.Address()
	ledger := x402.Ledger{
		Chain:   trail,
		Name:    ChainName,
		Signer:  signer,
		Ruleset: ruleset,
	}
	machine := &payments.Machine{
		Store:       store,
		Facilitator: settles,
		Ledger:      ledger,
		Now:         time.Now,
		Owner:       newOwner(),
		Lease:       payments.Lease,
		Limits: payments.Limits{
			NoContracts: c.NoContractWallets,
			WastedGas:   c.WastedGasBudget,
		},
	}
	return &Paid{
		Gate: &x402.Gate{
			Site:     site,
			Accounts: chain,
			Signer:   signer,
			Machine:  machine,
			Now:      time.Now,
		},
		Audit:         trail,
		Payments:      store,
		Chain:         chain,
		GasWallet:     gasWallet,
		Certification: c.CertificationID,
		Close:         func() error { return errors.Join(trail.Close(), closeStore()) },
	}, trail, nil
}

// openPayments opens the payment store: the table if there is one, else a file.
func openPayments(c config.Config) (payments.Store, func() error, error) {
	if c.PaymentsTable == "" {
		store, err := bolt.Open(PaymentsFile(c.DataDir))
		if err != nil {
			return nil, nil, err
		}
		return store, store.Close, nil
	}

	a, err := environment.OpenAccount(c.DynamoDBEndpoint)
	if err != nil {
		return nil, nil, err
	}

	o := dynamo.Options{
		Table:       c.PaymentsTable,
		Region:      a.Region,
		Credentials: a.Credentials,
		Endpoint:    a.Endpoint,
	}

	if c.ResultBucket != "" {
		o.Objects = s3.Open(s3.Options{
			Bucket:      c.ResultBucket,
			Region:      a.Region,
			Credentials: a.Credentials,
			Endpoint:    c.S3Endpoint,
		})
	}

	return dynamo.Open(o), func() error { return nil }, nil
}

// NewPayments opens the payment store alone, for functions that only report payments.
func NewPayments(c config.Config) (payments.Store, error) {
	if c.PaymentsTable == "" {
		err := config.Need(config.Setting{Name: "PAYMENTS_TABLE or DATA_DIR", Value: c.DataDir})
		if err != nil {
			return nil, err
		}
	}

	store, _, err := openPayments(c)
	return store, err
}

func needPaid(c config.Config, more ...config.Setting) error {
	settings := append(more, facilitatorSettings(c)...)
	settings = append(settings, config.Setting{
		Name:  "RPC_URLS",
		Value: strings.Join(c.RPCURLs, ","),
	})

	hasTables := c.PaymentsTable != "" && c.AuditTable != ""
	hasSigningKey := c.SigningKeyFile+c.SigningKey != ""
	if !hasTables || !hasSigningKey {
		settings = append(settings, config.Setting{Name: "DATA_DIR", Value: c.DataDir})
	}
	return config.Need(settings...)
}

func openChain(c config.Config) (*evm.Chain, error) {
	token, err := evm.NewToken(c.Network, c.Asset, c.AssetName, c.AssetVersion)
	if err != nil {
		return nil, err
	}
	chain, err := evm.Dial(token, c.RPCURLs, c.ERC6492Factories...)
	if err == nil {
		chain.FeeCap = c.GasFeeCap
		chain.GasCap = c.WalletGasCap
		chain.LongLived = c.DevelopmentChain
	}
	return chain, err
}

// openSigner opens the key that signs offers, receipts and evidence.
func openSigner(c config.Config) (*evm.Key, error) {
	if c.SigningKey == "" {
		return evm.LoadOrCreateKey(cmp.Or(c.SigningKeyFile, filepath.Join(c.DataDir, "signing.key")))
	}
	key, err := evm.ParseKey(c.SigningKey)
	if err != nil {
		return nil, fmt.Errorf("configuration: SIGNING_KEY: %w", err)
	}
	return key, nil
}

// PaymentsFile is the payment store of a data directory.
func PaymentsFile(dataDir string) string {
	return filepath.Join(dataDir, "payments.db")
}

// ruleset returns the version of the rules behind the result of a product.
func ruleset(product string) string {
	if product == "auditMCP" {
		return lint.Ruleset
	}
	return "api-" + catalog.APIVersion
}

// newOwner names this process in leases.
func newOwner() string {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // crypto/rand never fails since Go 1.24
	return fmt.Sprintf("%d-%s", os.Getpid(), hex.EncodeToString(raw[:]))
}
