// Buys from a running service with axios and the official x402 version 2 wrapper.
// Environment: BASE_URL, PRIVATE_KEY. Arguments: METHOD PATH [BODY FILE].
// Prints {status, body, response} as JSON; response is the decoded PAYMENT-RESPONSE.
import { readFileSync } from "node:fs";
import axios from "axios";
import { wrapAxiosWithPayment, x402Client } from "@x402/axios";
import { ExactEvmScheme } from "@x402/evm";
import { privateKeyToAccount } from "viem/accounts";

const [method, path, file] = process.argv.slice(2);
const account = privateKeyToAccount(process.env.PRIVATE_KEY);
const client = new x402Client().register("eip155:8453", new ExactEvmScheme(account));
const api = wrapAxiosWithPayment(axios.create({ baseURL: process.env.BASE_URL, responseType: "text" }), client);
const request = { method, url: path };
if (file) {
  request.data = readFileSync(file);
  request.headers = { "content-type": "application/json" };
}
const answer = await api.request(request);
const header = answer.headers["payment-response"];
console.log(JSON.stringify({
  status: answer.status,
  body: answer.data,
  response: header && JSON.parse(Buffer.from(header, "base64").toString()),
}));
