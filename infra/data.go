package main

import (
	"strconv"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/jsii-runtime-go"
)

// data holds the resources that outlive their stack.
type data struct {
	payments, audit, state   awsdynamodb.ITableV2
	results, segments        awss3.Bucket
	gas, checkpoint          awskms.Key
	signing, origin          awssecretsmanager.Secret
	kill, token, facilitator awssecretsmanager.Secret
}

func newData(app awscdk.App, s Settings) *data {
	in := stack(app, s, "Data", "Tables, buckets, keys and secrets of the governance service")
	in.SetTerminationProtection(jsii.Bool(true))
	return &data{
		payments: table(in, "Payments", "ttl", s.PaymentsTable),
		audit:    table(in, "Audit", "", s.AuditTable), // nothing in it expires
		state:    table(in, "State", "ttl", s.StateTable),
		results:  results(in),
		segments: segments(in),
		gas: key(
			in,
			"GasKey",
			awskms.KeySpec_ECC_SECG_P256K1,
			"Wallet that pays the gas of settlements",
		),
		checkpoint: key(
			in,
			"CheckpointKey",
			awskms.KeySpec_ECC_NIST_EDWARDS25519,
			"Signs checkpoints of the audit chain",
		),
		signing: secret(
			in,
			"Signing",
			"Private key that signs offers, receipts and evidence: 64 hex digits",
		),
		origin: secret(
			in,
			"Origin",
			"Header by which functions know that a request came through CloudFront",
		),
		kill:        secret(in, "Kill", "Bearer secret of the kill switch"),
		token:       secret(in, "ApiToken", "Bearer token of the tool server"),
		facilitator: secret(in, "Facilitator", "API key secret of the facilitator; put it here by hand"),
	}
}

// table has the keys pk and sk, both strings, as all stores need. If a restored table is
// named, the programs use that one, and the table of the stack stays as it is.
func table(in awscdk.Stack, id, ttl, restored string) awsdynamodb.ITableV2 {
	props := &awsdynamodb.TablePropsV2{
		PartitionKey: &awsdynamodb.Attribute{
			Name: jsii.String("pk"),
			Type: awsdynamodb.AttributeType_STRING,
		},
		SortKey: &awsdynamodb.Attribute{
			Name: jsii.String("sk"),
			Type: awsdynamodb.AttributeType_STRING,
		},
		Billing:    awsdynamodb.Billing_OnDemand(nil),
		Encryption: awsdynamodb.TableEncryptionV2_AwsManagedKey(),
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: jsii.Bool(true),
		},
		DeletionProtection: jsii.Bool(true),
		RemovalPolicy:      awscdk.RemovalPolicy_RETAIN,
	}

	if ttl != "" {
		props.TimeToLiveAttribute = jsii.String(ttl)
	}

	made := awsdynamodb.NewTableV2(in, jsii.String(id), props)
	if restored != "" {
		return awsdynamodb.TableV2_FromTableName(in, jsii.String("Restored"+id), jsii.String(restored))
	}

	return made
}

// resultDays is how long a large result is kept: longer than the record of its payment,
// which the table drops 60 days after the payment's window.
const resultDays = 90

// results keeps results that are too large for the table of the payments.
func results(in awscdk.Stack) awss3.Bucket {
	props := bucket()
	expire := &awss3.LifecycleRule{
		Expiration:                  awscdk.Duration_Days(jsii.Number(resultDays)),
		NoncurrentVersionExpiration: awscdk.Duration_Days(jsii.Number(1)),
	}
	props.LifecycleRules = &[]*awss3.LifecycleRule{expire}
	return awss3.NewBucket(in, jsii.String("Results"), props)
}

// segments keeps sealed segments and checkpoints, whose objects can be locked.
func segments(in awscdk.Stack) awss3.Bucket {
	props := bucket()
	props.ObjectLockEnabled = jsii.Bool(true)
	return awss3.NewBucket(in, jsii.String("Segments"), props)
}

// bucket is private, versioned and outlives its stack.
func bucket() *awss3.BucketProps {
	return &awss3.BucketProps{
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		Encryption:        awss3.BucketEncryption_S3_MANAGED,
		EnforceSSL:        jsii.Bool(true),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		Versioned:         jsii.Bool(true),
		RemovalPolicy:     awscdk.RemovalPolicy_RETAIN,
	}
}

func key(in awscdk.Stack, id string, spec awskms.KeySpec, description string) awskms.Key {
	return awskms.NewKey(in, jsii.String(id), &awskms.KeyProps{
		KeySpec:       spec,
		KeyUsage:      awskms.KeyUsage_SIGN_VERIFY,
		Description:   jsii.String(description),
		RemovalPolicy: awscdk.RemovalPolicy_RETAIN,
		PendingWindow: awscdk.Duration_Days(jsii.Number(30)),
	})
}

// secret begins as 64 random hex digits: 256 bits, and a private key of secp256k1.
func secret(in awscdk.Stack, id, description string) awssecretsmanager.Secret {
	return awssecretsmanager.NewSecret(in, jsii.String(id), &awssecretsmanager.SecretProps{
		Description:   jsii.String(description),
		RemovalPolicy: awscdk.RemovalPolicy_RETAIN,
		GenerateSecretString: &awssecretsmanager.SecretStringGenerator{
			PasswordLength:          jsii.Number(64),
			ExcludeCharacters:       jsii.String("ghijklmnopqrstuvwxyz"),
			ExcludeUppercase:        jsii.Bool(true),
			ExcludePunctuation:      jsii.Bool(true),
			RequireEachIncludedType: jsii.Bool(false),
		},
	})
}

// chain is the environment of a program that verifies the audit chain.
func (d *data) chain(s Settings) map[string]*string {
	return map[string]*string{
		"AUDIT_TABLE":            d.audit.TableName(),
		"SEGMENT_BUCKET":         d.segments.BucketName(),
		"SEGMENT_RETENTION_DAYS": jsii.String(strconv.Itoa(s.Retention)),
		"SEGMENT_LOCK_MODE":      jsii.String(s.LockMode),
		"CHECKPOINT_KEY_KMS":     d.checkpoint.KeyArn(),
	}
}
