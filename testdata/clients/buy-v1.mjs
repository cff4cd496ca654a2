// Buys from a running service with the official x402 version 1 client, which
// must be told to ask for version 1 terms.
// Environment: BASE_URL, PRIVATE_KEY. Arguments: METHOD PATH [BODY FILE].
// Prints {status, body, response} as JSON; response is the decoded X-PAYMENT-RESPONSE.
import { readFileSync } from "node:fs";
import { wrapFetchWithPayment } from "x402-fetch";
import { privateKeyToAccount } from "viem/accounts";

const [method, path, file] = process.argv.slice(2);
const account = privateKeyToAccount(process.env.PRIVATE_KEY);
const pay = wrapFetchWithPayment(fetch, account, 100_000_000n);
const init = { method, headers: { "X402-Version": "1" } };
if (file) {
  init.body = readFileSync(file);
  init.headers["content-type"] = "application/json";
}
const answer = await pay(process.env.BASE_URL + path, init);
const header = answer.headers.get("x-payment-response");
console.log(JSON.stringify({
  status: answer.status,
  body: await answer.text(),
  response: header && JSON.parse(Buffer.from(header, "base64").toString()),
}));
