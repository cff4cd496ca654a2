package x402

// Reason codes of a refused payment: the word of the core specification v2
// section 9 where it has one, else the word that the reference packages ship.
const (
	ReasonPayload       = "invalid_payload"
	ReasonVersion       = "invalid_x402_version"
	ReasonScheme        = "unsupported_scheme"
	ReasonNetwork       = "invalid_network"
	ReasonRequirements  = "invalid_payment_requirements"
	ReasonPayloadType   = "unsupported_payload_type"
	ReasonRecipient     = "invalid_exact_evm_payload_recipient_mismatch"
	ReasonValue         = "invalid_exact_evm_payload_authorization_value_mismatch"
	ReasonValueV1       = "invalid_exact_evm_payload_authorization_value"
	ReasonValidAfter    = "invalid_exact_evm_payload_authorization_valid_after"
	ReasonValidBefore   = "invalid_exact_evm_payload_authorization_valid_before"
	ReasonSignature     = "invalid_exact_evm_payload_signature"
	ReasonFunds         = "insufficient_funds"
	ReasonNonceUsed     = "invalid_exact_evm_nonce_already_used"
	ReasonSimulation    = "invalid_exact_evm_transaction_simulation_failed"
	ReasonTransaction   = "invalid_transaction_state"
	ReasonPending       = "settlement_pending"
	unpaidExplanation   = "PAYMENT-SIGNATURE header is required"
	unpaidExplanationV1 = "X-PAYMENT header is required"
)
