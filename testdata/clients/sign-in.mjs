// Buys with the official x402 version 2 client that signs in first, so that what
// was bought before is fetched and not bought again.
// Environment: BASE_URL, PRIVATE_KEY. Arguments: METHOD PATH [BODY FILE].
// Prints {status, body, response, payments} as JSON; response is the decoded
// PAYMENT-RESPONSE, payments the number of requests with a payment.
import { readFileSync } from "node:fs";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm";
import { createSIWxClientExtension } from "@x402/extensions/sign-in-with-x";
import { privateKeyToAccount } from "viem/accounts";

const [method, path, file] = process.argv.slice(2);
const account = privateKeyToAccount(process.env.PRIVATE_KEY);
const client = new x402Client().register("eip155:8453", new ExactEvmScheme(account))
  .registerExtension(createSIWxClientExtension({ signers: [account] }));
let payments = 0;
const counted = (request) => {
  if (request.headers.has("payment-signature")) payments++;
  return fetch(request);
};
const init = { method };
if (file) {
  init.body = readFileSync(file);
  init.headers = { "content-type": "application/json" };
}
const answer = await wrapFetchWithPayment(counted, client)(process.env.BASE_URL + path, init);
const header = answer.headers.get("payment-response");
console.log(JSON.stringify({
  status: answer.status,
  body: await answer.text(),
  response: header && JSON.parse(Buffer.from(header, "base64").toString()),
  payments,
}));
