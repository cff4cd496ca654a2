// Writes sign-in messages (EIP-4361) with the siwe package and with viem.
// Standard input: a JSON list of the members of SIGN-IN-WITH-X. Prints for each
// {siwe, viem, signature}; the signature is by PRIVATE_KEY over the message.
import { readFileSync } from "node:fs";
import { createSIWxMessage } from "@x402/extensions/sign-in-with-x";
import { createSiweMessage } from "viem/siwe";
import { privateKeyToAccount } from "viem/accounts";

const account = privateKeyToAccount(process.env.PRIVATE_KEY);
const date = (text) => text && new Date(text);
const results = [];
for (const info of JSON.parse(readFileSync(0, "utf8"))) {
  const siwe = createSIWxMessage(info, info.address);
  const viem = createSiweMessage({ ...info, chainId: Number(info.chainId.split(":")[1]),
    issuedAt: date(info.issuedAt), expirationTime: date(info.expirationTime), notBefore: date(info.notBefore) });
  results.push({ siwe, viem, signature: await account.signMessage({ message: siwe }) });
}
console.log(JSON.stringify(results));
