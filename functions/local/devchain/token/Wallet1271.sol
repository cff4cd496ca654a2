// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

/// The smallest EIP-1271 wallet: it agrees to whatever its owner signed. An
/// account that delegates to this code (EIP-7702) is its own owner. For the
/// development chain only; it protects nothing of worth.
contract Wallet1271 {
    address public owner;

    constructor(address firstOwner) {
        owner = firstOwner;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        address signer = ecrecover(digest, uint8(signature[64]), r, s);
        bool ours = signer != address(0) && (signer == owner || signer == address(this));
        return ours ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    /// The owner calls anything, to approve a token for Permit2 say.
    function execute(address target, bytes calldata data) external returns (bytes memory) {
        require(msg.sender == owner, "only the owner");
        (bool ok, bytes memory answer) = target.call(data);
        require(ok, "the call failed");
        return answer;
    }
}
