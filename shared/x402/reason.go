package x402

// Reason codes of a refused payment: the word of the core specification v2
// section 9 where it has one, else the word that the reference packages ship.
const (
	ReasonPayload      = "invalid_payload"
	ReasonVersion      = "invalid_x402_version"
	ReasonScheme       = "unsupported_scheme"
	ReasonNetwork      = "invalid_network"
	ReasonRequirements = "invalid_payment_requirements"
	ReasonPayloadType  = "unsupported_payload_type"
	ReasonRecipient    = "invalid_exact_evm_payload_recipient_mismatch"
	ReasonValue        = "invalid_exact_evm_payload_authorization_value_mismatch"
	ReasonValueV1      = "invalid_exact_evm_payload_authorization_value"
	ReasonValidAfter   = "invalid_exact_evm_payload_authorization_valid_after"
	ReasonValidBefore  = "invalid_exact_evm_payload_authorization_valid_before"
	ReasonSignature    = "invalid_exact_evm_payload_signature"
	ReasonFunds        = "insufficient_funds"
	ReasonNonceUsed    = "invalid_exact_evm_nonce_already_used"
	ReasonSimulation   = "invalid_exact_evm_transaction_simulation_failed"
	ReasonTransaction  = "invalid_transaction_state"
	ReasonPending      = "settlement_pending"

	ReasonFactory    = "eip6492_factory_not_allowed"
	ReasonDeployment = "smart_wallet_deployment_failed"

	ReasonPermitSignature = "invalid_permit2_signature"
	ReasonSpender         = "invalid_permit2_spender"
	ReasonPermitRecipient = "invalid_permit2_recipient_mismatch"
	ReasonPermitToken     = "permit2_token_mismatch"
	ReasonPermitAmount    = "permit2_amount_mismatch"
	ReasonDeadline        = "permit2_deadline_expired"
	ReasonNotYetValid     = "permit2_not_yet_valid"
	ReasonAllowance       = "permit2_allowance_required"
	ReasonProxy           = "permit2_proxy_not_deployed"

	unpaidExplanation   = "PAYMENT-SIGNATURE header is required"
	unpaidExplanationV1 = "X-PAYMENT header is required"

	unpaidExplanationTool = "a payment in _meta[\"" + MetaPayment + "\"] is required"
)
