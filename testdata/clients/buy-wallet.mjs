// Buys twice from a running service with the official x402 version 2 client, from
// an account that is more than a key.
// Environment: BASE_URL, RPC_URL, FACTORY (createWallet(owner, salt)), PRIVATE_KEY
// with dollars and gas money. Arguments: METHOD PATH KIND, where KIND is
//   contract   a wallet that does not exist before its first payment (ERC-6492)
//              and exists at the second (EIP-1271)
//   delegated  an account that runs a wallet's code (EIP-7702)
// Prints {status, body, response, payer, before, after} as JSON for the second
// purchase; before and after are the bytes of the payer's code.
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm";
import { createWalletClient, encodeFunctionData, http, pad, parseAbi, publicActions, serializeErc6492Signature } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";

const [method, path, kind] = process.argv.slice(2);
const rich = privateKeyToAccount(process.env.PRIVATE_KEY);
const owner = privateKeyToAccount(generatePrivateKey());
const chain = createWalletClient({ account: rich, chain: base, transport: http(process.env.RPC_URL) }).extend(publicActions);
const abi = parseAbi([
  "function createWallet(address owner, bytes32 salt) returns (address)",
  "function walletAddress(address owner, bytes32 salt) view returns (address)",
  "function transfer(address to, uint256 value) returns (bool)",
]);
const salt = pad("0x1");
const factory = process.env.FACTORY;
const wallet = await chain.readContract({ address: factory, abi, functionName: "walletAddress", args: [owner.address, salt] });
const creation = encodeFunctionData({ abi, functionName: "createWallet", args: [owner.address, salt] });
const mined = async (hash) => chain.waitForTransactionReceipt({ hash });
const size = async (address) => ((await chain.getCode({ address })) ?? "0x").length / 2 - 1;

const payers = {
  contract: {
    address: wallet,
    signTypedData: async (data) => {
      const signature = await owner.signTypedData(data);
      return (await size(wallet)) > 0 ? signature : serializeErc6492Signature({ address: factory, data: creation, signature });
    },
  },
  delegated: owner,
};
const payer = payers[kind];
const unpaid = await fetch(process.env.BASE_URL + path, { method });
const terms = JSON.parse(Buffer.from(unpaid.headers.get("payment-required"), "base64").toString());
await mined(await chain.writeContract({ address: terms.accepts[0].asset, abi, functionName: "transfer", args: [payer.address, 1_000_000n] }));
if (kind === "delegated") {
  await mined(await chain.sendTransaction({ to: factory, data: creation }));
  const authorization = await owner.signAuthorization({ address: wallet, chainId: base.id, nonce: 0 });
  await mined(await chain.sendTransaction({ to: rich.address, authorizationList: [authorization] }));
}
const before = await size(payer.address);
const pay = wrapFetchWithPayment(fetch, new x402Client().register("eip155:8453", new ExactEvmScheme(payer)));
const first = await pay(process.env.BASE_URL + path, { method });
const answer = first.ok ? await pay(process.env.BASE_URL + path, { method }) : first;
const header = answer.headers.get("payment-response");
console.log(JSON.stringify({
  status: answer.status,
  body: await answer.text(),
  response: header && JSON.parse(Buffer.from(header, "base64").toString()),
  payer: payer.address,
  before,
  after: await size(payer.address),
}));
