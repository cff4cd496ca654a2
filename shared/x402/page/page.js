"use strict";
// Buys the request of this page. One signature at a time: while the outcome of a
// payment is unknown, it is the same payment that is sent again, never another.

const element = (id) => document.getElementById(id);
const terms = JSON.parse(element("terms").textContent);
const offer = terms.accepts.find((o) => o.scheme === "exact" && (o.extra?.assetTransferMethod ?? "eip3009") === "eip3009");
const longestWait = 60; // seconds that a person is kept waiting for the next try
const declined = 4001, unknownChain = 4902; // EIP-1193, EIP-3326

// The payment under way outlives the page: closing it must not lead to a second one.
const place = "payment of " + location.pathname + location.search;
let memory = null;
function keep(payment) {
  memory = payment;
  try { localStorage.setItem(place, payment); } catch { /* storage is switched off */ }
}
function kept() {
  try { return localStorage.getItem(place) ?? memory; } catch { return memory; }
}
function forget() {
  memory = null;
  try { localStorage.removeItem(place); } catch { /* storage is switched off */ }
}

function say(text) {
  element("status").textContent = text;
  element("problem").textContent = "";
}
function complain(text) {
  element("status").textContent = "";
  element("problem").textContent = text;
}
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
const random = (size) => hex(crypto.getRandomValues(new Uint8Array(size)));
const encode = (value) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
const decode = (text) => JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (c) => c.charCodeAt(0))));

// The development payer speaks as much of EIP-1193 as this page needs.
const developmentPayer = (path) => ({
  async request(call) {
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...call }) });
    const { result, error, detail } = await answer.json();
    if (result === undefined) throw error ?? new Error(detail);
    return result;
  },
});

async function onChain(wallet) {
  const wanted = Number(offer.network.split(":")[1]);
  const right = async () => Number(await wallet.request({ method: "eth_chainId" })) === wanted;
  if (await right()) return;
  say("Your wallet is on another network. It now asks you to switch.");
  await wallet.request({ method: "wallet_switchEthereumChain", params: [{ chainId: "0x" + wanted.toString(16) }] });
  if (!await right()) throw { code: unknownChain };
}

const members = (text) => text.split(", ").map((member) => {
  const [type, name] = member.split(" ");
  return { name, type };
});

// sign asks the wallet for an EIP-3009 authorization and gives the payment header.
async function sign(wallet) {
  say("Your wallet asks which account pays.");
  const [from] = await wallet.request({ method: "eth_requestAccounts" });
  await onChain(wallet);
  const message = {
    from, to: offer.payTo, value: offer.amount, validAfter: "0",
    validBefore: String(Math.floor(Date.now() / 1000) + offer.maxTimeoutSeconds), nonce: "0x" + random(32),
  };
  const typed = {
    domain: { name: offer.extra.name, version: offer.extra.version, chainId: Number(offer.network.split(":")[1]), verifyingContract: offer.asset },
    primaryType: "TransferWithAuthorization",
    types: {
      EIP712Domain: members("string name, string version, uint256 chainId, address verifyingContract"),
      TransferWithAuthorization: members("address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce"),
    },
    message,
  };
  say("Your wallet shows the payment. Confirm it within " + offer.maxTimeoutSeconds + " seconds.");
  const signature = await wallet.request({ method: "eth_signTypedData_v4", params: [from, JSON.stringify(typed)] });
  const extensions = structuredClone(terms.extensions ?? {});
  if (extensions["payment-identifier"]) extensions["payment-identifier"].info.id = random(16);
  return encode({ x402Version: 2, resource: terms.resource, accepted: offer, payload: { signature, authorization: message }, extensions });
}

function notSigned(problem) {
  if (problem?.code === declined) return "You declined in the wallet. Nothing was charged.";
  if (problem?.code === unknownChain) return "Your wallet does not know the network " + offer.network + ", or stayed on another. Choose it there and try again. Nothing was charged.";
  return "The wallet did not sign: " + (problem?.message ?? "no reason given") + ". Nothing was charged.";
}

// send gives the answer to the payment, or null while the outcome is unknown.
async function send(payment) {
  try {
    const answer = await fetch(location.href, { headers: { "PAYMENT-SIGNATURE": payment, Accept: "*/*" }, cache: "no-store" });
    const body = new Uint8Array(await answer.arrayBuffer());
    const text = new TextDecoder().decode(body);
    if (answer.ok) return { answer, body, text };
    const problem = JSON.parse(text);
    const wait = Number(answer.headers.get("Retry-After")) || 2;
    const known = answer.status !== 503 && (problem.charged === false || answer.status === 402 || answer.status === 409);
    const refused = problem.charged === false && wait > longestWait;
    if (known || refused) return { answer, problem };
    return { wait };
  } catch {
    return { wait: 2 }; // no connection, or an answer that is not the service's
  }
}

const mostTries = 30;

async function redeem() {
  for (let tries = 0; tries < mostTries; tries++) {
    say(tries === 0 ? "Payment sent. Waiting for the answer." : "The outcome is not known yet. The same payment is sent again; you are not charged twice.");
    const outcome = await send(kept());
    if (outcome.wait === undefined) {
      if (outcome.answer.ok) await show(outcome);
      else complain(refusal(outcome));
      return forget();
    }
    await pause(outcome.wait);
  }
  complain("The outcome of your payment is still unknown. Do not pay again: ask again with the same payment.");
}

function refusal({ answer, problem }) {
  const text = problem.errorMessage ?? problem.detail ?? problem.error ?? "no reason given";
  return answer.status === 409 ? text : "The payment was not accepted, and nothing was charged: " + text;
}

async function show({ answer, body, text }) {
  element("result").textContent = text;
  element("bought").hidden = false;
  const response = decode(answer.headers.get("PAYMENT-RESPONSE"));
  const evidence = response.extensions["governance-evidence"].info.payload;
  const digest = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", body)));
  const nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"; // SHA-256 of no body
  const receipt = element("receipt");
  receipt.replaceChildren();
  for (const [name, value] of [["Paid by", response.payer], ["Transaction", response.transaction], ["Time", new Date(1000 * evidence.issuedAt).toISOString()],
    ["Audit entry", evidence.seq + " of " + evidence.chain], ["SHA-256", digest]]) {
    const term = document.createElement("dt"), value_ = document.createElement("dd");
    term.textContent = name;
    value_.textContent = value;
    receipt.append(term, value_);
  }
  const type = (answer.headers.get("Content-Type") ?? "").split(";")[0];
  const name = location.pathname.split("/").pop();
  offerFile("save-result", name + ({ "application/json": ".json", "text/markdown": ".md" }[type] ?? ".txt"), new Blob([body], { type }));
  offerFile("save-receipt", name + ".receipt.json", new Blob([JSON.stringify({
    request: { method: "GET", target: location.pathname + location.search, bodySha256: nothing }, result: { sha256: digest }, response,
  }, null, 2)], { type: "application/json" }));
  if (evidence.resultDigest === "0x" + digest) say("Paid. The answer is the one that the signed receipt names.");
  else complain("Paid, but the answer differs from what the receipt names. Save both.");
  element("bought-title").focus();
}

function offerFile(id, name, blob) {
  const link = element(id);
  link.href = URL.createObjectURL(blob);
  link.download = name;
}

// On a development chain the page has the development payer's button and not the
// wallet's: what a real wallet signs for it would be valid on the real network.
const development = element("development"), wallet = element("wallet");
const wallets = [[wallet, () => window.ethereum], [development, () => developmentPayer(development.dataset.path)]].filter(([button]) => button);

// attempt runs with the buttons off. What is unknown at its end can only be asked
// for again, and what was bought is not bought twice by a second click.
async function attempt(work) {
  for (const [button] of wallets) button.disabled = true;
  element("again").hidden = true;
  await work();
  const unknown = kept() !== null;
  for (const [button] of wallets) button.disabled = unknown || !element("bought").hidden;
  element("again").hidden = !unknown;
}

async function pay(wallet) {
  if (kept() !== null) return redeem();
  try {
    keep(await sign(wallet));
  } catch (problem) {
    return complain(notSigned(problem));
  }
  await redeem();
}

for (const [button, wallet] of wallets) button.addEventListener("click", () => attempt(() => pay(wallet())));
element("again").addEventListener("click", () => attempt(redeem));
const refused = document.querySelector(".notice") !== null; // the request itself is wrong: paying it would be in vain
if (wallet) wallet.hidden = refused || !window.ethereum;
if (wallet) element("no-wallet").hidden = refused || Boolean(window.ethereum || development);
if (development) development.hidden = refused;
if (kept() !== null) attempt(async () => complain("A payment of this page is under way and its outcome is unknown. Ask again with the same payment."));
