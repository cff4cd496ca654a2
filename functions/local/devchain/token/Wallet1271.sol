// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

/// The smallest EIP-1271 wallet: it agrees to whatever its owner signed.
/// Tests only; it protects nothing.
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
        return signer != address(0) && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}
