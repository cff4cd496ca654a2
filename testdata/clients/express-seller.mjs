// A seller on the official express middleware. It settles through a facilitator.
// Environment: FACILITATOR_URL, PAY_TO. Prints its port, then, unless QUIET is set,
// a line of JSON for each settlement: what it asked the facilitator and what it
// was answered. It ends with its standard input.
import express from "express";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";

const network = "eip155:8453";
const facilitator = new HTTPFacilitatorClient({ url: process.env.FACILITATOR_URL });
const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());
if (!process.env.QUIET) server.onAfterSettle(async ({ paymentPayload, requirements, result }) => {
  console.log(JSON.stringify({ paymentPayload, paymentRequirements: requirements, result }));
});
const accepts = { scheme: "exact", price: "$0.07", network, payTo: process.env.PAY_TO };
const app = express();
app.use(paymentMiddleware({ "GET /report": { accepts, description: "A report" } }, server));
app.get("/report", (_, answer) => answer.json({ report: "all is well" }));
const listener = app.listen(0, "127.0.0.1", () => console.log(listener.address().port));
process.stdin.resume().on("end", () => process.exit());
