// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

import "./Wallet1271.sol";

/// Deploys wallets at addresses that are known before (CREATE2), so that a
/// wallet can be paid, and can sign (ERC-6492), before it exists.
contract WalletFactory {
    function walletAddress(address owner, bytes32 salt) public view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(Wallet1271).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }

    /// Gives the wallet that exists, like the factories of real wallets: to create
    /// it again would burn all gas.
    function createWallet(address owner, bytes32 salt) external returns (address wallet) {
        wallet = walletAddress(owner, salt);
        if (wallet.code.length == 0) new Wallet1271{salt: salt}(owner);
    }
}
