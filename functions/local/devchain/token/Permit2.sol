// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

interface Asset {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// The part of Permit2 that x402 payments use: signed transfers with a witness
/// and their unordered nonces. Like the contract it stands in for in what a
/// payment service can see: the EIP-712 domain and types, the selectors, the
/// order of the checks and the errors. Allowances and batches are left out.
///
/// The contract is placed at genesis as runtime code, so it has no constructor
/// and computes its domain on every call.
contract Permit2 {
    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    /// One bit for each nonce: its low 8 bits are the place in the word that its
    /// other bits number.
    mapping(address => mapping(uint256 => uint256)) public nonceBitmap;

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
    bytes32 private constant PERMISSIONS_TYPEHASH = keccak256("TokenPermissions(address token,uint256 amount)");
    string private constant PERMIT_TYPE_STUB =
        "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,";

    event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask);

    error SignatureExpired(uint256 signatureDeadline);
    error InvalidAmount(uint256 maxAmount);
    error InvalidNonce();
    error InvalidSignatureLength();
    error InvalidSignature();
    error InvalidSigner();
    error InvalidContractSignature();

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPEHASH, keccak256("Permit2"), block.chainid, address(this)));
    }

    function invalidateUnorderedNonces(uint256 wordPos, uint256 mask) external {
        nonceBitmap[msg.sender][wordPos] |= mask;
        emit UnorderedNonceInvalidation(msg.sender, wordPos, mask);
    }

    /// The caller is the spender that the owner signed for.
    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external {
        if (block.timestamp > permit.deadline) revert SignatureExpired(permit.deadline);
        if (transferDetails.requestedAmount > permit.permitted.amount) revert InvalidAmount(permit.permitted.amount);
        useNonce(owner, permit.nonce);
        requireSigned(owner, hashPermit(permit, witness, witnessTypeString), signature);
        bool moved = Asset(permit.permitted.token).transferFrom(owner, transferDetails.to, transferDetails.requestedAmount);
        require(moved, "TRANSFER_FROM_FAILED");
    }

    function hashPermit(
        PermitTransferFrom calldata permit,
        bytes32 witness,
        string calldata witnessTypeString
    ) private view returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    keccak256(abi.encodePacked(PERMIT_TYPE_STUB, witnessTypeString)),
                    keccak256(abi.encode(PERMISSIONS_TYPEHASH, permit.permitted.token, permit.permitted.amount)),
                    msg.sender,
                    permit.nonce,
                    permit.deadline,
                    witness
                )
            );
    }

    function useNonce(address owner, uint256 nonce) private {
        uint256 bit = 1 << (nonce & 0xff);
        uint256 word = nonceBitmap[owner][nonce >> 8];
        if (word & bit != 0) revert InvalidNonce();
        nonceBitmap[owner][nonce >> 8] = word | bit;
    }

    function requireSigned(address owner, bytes32 structHash, bytes calldata signature) private view {
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), structHash));
        if (owner.code.length > 0) {
            (bool ok, bytes memory answer) = owner.staticcall(abi.encodeWithSelector(0x1626ba7e, digest, signature));
            bool agreed = ok && answer.length >= 32 && abi.decode(answer, (bytes32)) == bytes32(bytes4(0x1626ba7e));
            if (!agreed) revert InvalidContractSignature();
            return;
        }
        if (signature.length != 65) revert InvalidSignatureLength();
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        address signer = ecrecover(digest, uint8(signature[64]), r, s);
        if (signer == address(0)) revert InvalidSignature();
        if (signer != owner) revert InvalidSigner();
    }
}
