// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

/// A dollar token for the development chain: ERC-20 with EIP-3009 payments.
///
/// It answers like the production stablecoin where a payment service can see the
/// difference: the EIP-712 domain, the function selectors, the event topics, the
/// order of the checks and the words of the reverts. It has no owner, no minting,
/// no pause and no deny list, because balances come from the genesis block.
///
/// The contract is placed at genesis as runtime code, so no constructor ever
/// runs. That is why there are no immutables, why name and version are
/// constants, and why the order of the storage variables below is part of the
/// contract with genesis.go: slot 0 balances, slot 3 total supply.
contract Token {
    mapping(address => uint256) private balances; // slot 0
    mapping(address => mapping(address => uint256)) private allowances; // slot 1
    mapping(address => mapping(bytes32 => bool)) private spent; // slot 2
    uint256 public totalSupply; // slot 3

    string public constant name = "USD Coin";
    string public constant symbol = "USDC";
    string public constant version = "2";
    uint8 public constant decimals = 6;

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH =
        keccak256(
            "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH =
        keccak256(
            "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    bytes4 private constant ERC1271_MAGIC = 0x1626ba7e;
    // Half of the curve order. A signature with a larger s is the mirror image of
    // another valid one; accepting both would make signatures malleable.
    uint256 private constant HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    // ---- ERC-20 ----

    function balanceOf(address account) external view returns (uint256) {
        return balances[account];
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return allowances[owner][spender];
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        require(spender != address(0), "ERC20: approve to the zero address");
        allowances[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowances[from][msg.sender];
        require(value <= allowed, "ERC20: transfer amount exceeds allowance");
        allowances[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    // ---- EIP-3009 ----

    /// The state of one nonce: true when it was used or canceled.
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool) {
        return spent[authorizer][nonce];
    }

    /// The EIP-712 domain, computed on every call so that it is right on any
    /// chain id and at any address without a constructor.
    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    DOMAIN_TYPEHASH,
                    keccak256(bytes(name)),
                    keccak256(bytes(version)),
                    block.chainid,
                    address(this)
                )
            );
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        pay(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        pay(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce, signature);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        require(to == msg.sender, "FiatTokenV2: caller must be the payee");
        pay(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        require(to == msg.sender, "FiatTokenV2: caller must be the payee");
        pay(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce, signature);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        cancel(authorizer, nonce, abi.encodePacked(r, s, v));
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, bytes calldata signature) external {
        cancel(authorizer, nonce, signature);
    }

    // ---- the rules ----

    function pay(
        bytes32 typehash,
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) private {
        // Both ends of the window are strict, as EIP-3009 asks.
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        require(!spent[from][nonce], "FiatTokenV2: authorization is used or canceled");
        requireSigned(from, keccak256(abi.encode(typehash, from, to, value, validAfter, validBefore, nonce)), signature);
        spent[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        move(from, to, value);
    }

    function cancel(address authorizer, bytes32 nonce, bytes memory signature) private {
        require(!spent[authorizer][nonce], "FiatTokenV2: authorization is used or canceled");
        requireSigned(authorizer, keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce)), signature);
        spent[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function move(address from, address to, uint256 value) private {
        require(from != address(0), "ERC20: transfer from the zero address");
        require(to != address(0), "ERC20: transfer to the zero address");
        uint256 balance = balances[from];
        require(value <= balance, "ERC20: transfer amount exceeds balance");
        balances[from] = balance - value;
        balances[to] += value;
        emit Transfer(from, to, value);
    }

    function requireSigned(address signer, bytes32 structHash, bytes memory signature) private view {
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), structHash));
        bool ok = signer.code.length == 0
            ? recover(digest, signature) == signer
            : walletAccepts(signer, digest, signature);
        require(ok, "FiatTokenV2: invalid signature");
    }

    function recover(bytes32 digest, bytes memory signature) private pure returns (address signer) {
        require(signature.length == 65, "ECRecover: invalid signature length");
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
            v := byte(0, mload(add(signature, 0x60)))
        }
        require(uint256(s) <= HALF_ORDER, "ECRecover: invalid signature 's' value");
        require(v == 27 || v == 28, "ECRecover: invalid signature 'v' value");
        signer = ecrecover(digest, v, r, s);
        require(signer != address(0), "ECRecover: invalid signature");
    }

    /// A signer with code decides for itself (EIP-1271). A wallet that reverts,
    /// runs out of gas or answers with anything else has not agreed.
    function walletAccepts(address wallet, bytes32 digest, bytes memory signature) private view returns (bool) {
        (bool ok, bytes memory answer) = wallet.staticcall(abi.encodeWithSelector(ERC1271_MAGIC, digest, signature));
        return ok && answer.length >= 32 && abi.decode(answer, (bytes32)) == bytes32(ERC1271_MAGIC);
    }
}
