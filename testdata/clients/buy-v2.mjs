// Buys from a running service with the official x402 version 2 client.
// Environment: BASE_URL, PRIVATE_KEY. Arguments: METHOD PATH [BODY FILE].
// Prints {status, body, response} as JSON; response is the decoded PAYMENT-RESPONSE.
import { readFileSync } from "node:fs";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm";
import { privateKeyToAccount } from "viem/accounts";

const [method, path, file] = process.argv.slice(2);
const account = privateKeyToAccount(process.env.PRIVATE_KEY);
const client = new x402Client().register("eip155:8453", new ExactEvmScheme(account));
const pay = wrapFetchWithPayment(fetch, client);
const init = { method };
if (file) {
  init.body = readFileSync(file);
  init.headers = { "content-type": "application/json" };
}
const answer = await pay(process.env.BASE_URL + path, init);
const header = answer.headers.get("payment-response");
console.log(JSON.stringify({
  status: answer.status,
  body: await answer.text(),
  response: header && JSON.parse(Buffer.from(header, "base64").toString()),
}));
