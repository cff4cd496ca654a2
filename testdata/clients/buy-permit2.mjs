// Buys from a running service by Permit2 with the official x402 version 2 client,
// choosing the second entry of the terms.
// Environment: BASE_URL, PRIVATE_KEY; with RPC_URL it approves Permit2 before.
// Arguments: METHOD PATH. Prints {status, body, response} as JSON; response is
// the decoded PAYMENT-RESPONSE.
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { createPermit2ApprovalTx, ExactEvmScheme } from "@x402/evm";
import { createWalletClient, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";

const [method, path] = process.argv.slice(2);
const account = privateKeyToAccount(process.env.PRIVATE_KEY);
const byPermit2 = (accepts) => accepts.find((entry) => entry.extra?.assetTransferMethod === "permit2");
const client = new x402Client((version, accepts) => byPermit2(accepts)).register("eip155:8453", new ExactEvmScheme(account));

if (process.env.RPC_URL) {
  const unpaid = await fetch(process.env.BASE_URL + path, { method });
  const terms = JSON.parse(Buffer.from(unpaid.headers.get("payment-required"), "base64").toString());
  const wallet = createWalletClient({ account, chain: base, transport: http(process.env.RPC_URL) }).extend(publicActions);
  const hash = await wallet.sendTransaction(createPermit2ApprovalTx(byPermit2(terms.accepts).asset));
  await wallet.waitForTransactionReceipt({ hash });
}
const answer = await wrapFetchWithPayment(fetch, client)(process.env.BASE_URL + path, { method });
const header = answer.headers.get("payment-response");
console.log(JSON.stringify({
  status: answer.status,
  body: await answer.text(),
  response: header && JSON.parse(Buffer.from(header, "base64").toString()),
}));
