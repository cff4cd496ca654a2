// Drives the payment page of a running service with Chromium.
// Environment: BASE_URL, CHROMIUM, PRIVATE_KEY, DOWNLOADS (an empty directory),
// SCREENSHOT (file prefix, optional). Arguments: SCENARIO PATH.
// Prints what a person would see, and what the browser did, as JSON.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { privateKeyToAccount } from "viem/accounts";

const base = process.env.BASE_URL;
const [scenario, path] = process.argv.slice(2);
const account = privateKeyToAccount(process.env.PRIVATE_KEY);
const seen = { errors: [], foreign: [], violations: [], payments: [], wallet: [] };
const patience = 120_000; // milliseconds; a machine that runs other tests too is slow

const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"], timeout: patience });
const page = await browser.newPage();
page.setDefaultTimeout(patience);
await page.setViewport({ width: 900, height: 1200 });
page.on("pageerror", (error) => seen.errors.push(String(error)));
page.on("console", (message) => {
  // The browser itself reports each answer that is not a success.
  if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) seen.errors.push(message.text());
});
await page.exposeFunction("violated", (directive) => seen.violations.push(directive));
await page.evaluateOnNewDocument(() => document.addEventListener("securitypolicyviolation", (e) => violated(e.violatedDirective)));
await page.setRequestInterception(true);
let interfere = () => null; // the answer to give in the service's place
page.on("request", (request) => {
  if (!request.url().startsWith(base + "/") && !/^(data|blob):/.test(request.url())) seen.foreign.push(request.url());
  const payment = request.headers()["payment-signature"];
  if (payment) seen.payments.push(payment);
  const answer = payment && interfere(seen.payments.length);
  if (answer === "no connection") return request.abort();
  return answer ? request.respond(answer) : request.continue();
});
const devtools = await browser.target().createCDPSession();
await devtools.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: process.env.DOWNLOADS });

// wallet gives the page an EIP-1193 provider; what it answers is decided by the scenario.
async function wallet({ chain = "0x2105", reject = false, knows = true } = {}) {
  await page.exposeFunction("walletRequest", async (method, params) => {
    seen.wallet.push(method);
    switch (method) {
      case "eth_requestAccounts": return { result: [account.address] };
      case "eth_chainId": return { result: chain };
      case "wallet_switchEthereumChain":
        if (!knows) return { error: { code: 4902, message: "Unrecognized chain" } };
        chain = params[0].chainId;
        return { result: null };
      case "eth_signTypedData_v4": {
        if (reject) return { error: { code: 4001, message: "User rejected the request." } };
        const { EIP712Domain, ...types } = JSON.parse(params[1]).types;
        return { result: await account.signTypedData({ ...JSON.parse(params[1]), types }) };
      }
    }
    return { error: { code: 4200, message: method } };
  });
  await page.evaluateOnNewDocument(() => {
    window.ethereum = { async request({ method, params }) {
      const { result, error } = await walletRequest(method, params);
      if (error) throw error;
      return result;
    } };
  });
}

const text = (selector) => page.$eval(selector, (e) => e.innerText);
const visible = (selector) => page.$eval(selector, (e) => e.checkVisibility()).catch(() => false);
const shown = (selector) => page.waitForSelector(selector, { visible: true });
const complaint = () => page.waitForFunction(() => document.getElementById("problem").innerText !== "");
const bought = () => shown("#bought");
const screenshot = (name) => process.env.SCREENSHOT && page.screenshot({ path: process.env.SCREENSHOT + name + ".png", fullPage: true });
const unknown = { status: 503, headers: { "retry-after": "1" }, contentType: "application/problem+json", body: '{"code":"settlement_pending"}' };

async function saved() {
  const files = {};
  for (const id of ["#save-result", "#save-receipt"]) await page.click(id);
  await page.waitForFunction(() => true);
  for (let tries = 0; tries < patience / 50 && Object.keys(files).length < 2; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const name of readdirSync(process.env.DOWNLOADS)) {
      if (!name.endsWith(".crdownload")) files[name] = readFileSync(join(process.env.DOWNLOADS, name), "utf8");
    }
  }
  return files;
}

const scenarios = {
  async development() {
    await page.goto(base + path);
    await screenshot("unpaid");
    await page.click("#development");
    await bought();
    await page.waitForFunction(() => document.getElementById("save-receipt").href !== "");
    seen.files = await saved();
    await screenshot("paid");
  },
  async wallet() {
    await wallet();
    await page.goto(base + path);
    await page.click("#wallet");
    await bought();
  },
  async rejected() {
    await wallet({ reject: true });
    await page.goto(base + path);
    await page.click("#wallet");
    await complaint();
  },
  async "other chain"() {
    await wallet({ chain: "0x1" });
    await page.goto(base + path);
    await page.click("#wallet");
    await bought();
  },
  async "unknown chain"() {
    await wallet({ chain: "0x1", knows: false });
    await page.goto(base + path);
    await page.click("#wallet");
    await complaint();
  },
  async pending() {
    await wallet();
    interfere = (n) => [unknown, "no connection", { status: 502, body: "<html>" }][n - 1];
    await page.goto(base + path);
    await page.click("#wallet");
    await bought();
  },
  async reload() {
    await wallet();
    interfere = () => unknown;
    await page.goto(base + path);
    await page.click("#wallet");
    await page.waitForFunction(() => document.getElementById("status").innerText.includes("not known yet"));
    await page.reload();
    await complaint();
    seen.afterReload = { problem: await text("#problem"), disabled: await page.$eval("#wallet", (e) => e.disabled) };
    interfere = () => null;
    await page.click("#again");
    await bought();
  },
  async "without scripts"() {
    await page.setJavaScriptEnabled(false);
    await page.goto(base + path);
  },
  async dark() {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    await page.setViewport({ width: 380, height: 900 });
    await wallet();
    await page.goto(base + path);
    await screenshot("dark");
    seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  },
};

await scenarios[scenario]();
Object.assign(seen, {
  title: await page.title(), text: await text("main"), status: await text("#status"), problem: await text("#problem"),
  bought: await visible("#bought"), result: await page.$eval("#result", (e) => e.textContent),
  receipt: await text("#receipt"),
});
const controls = (await page.accessibility.snapshot({ interestingOnly: false })) ?? { children: [] };
seen.controls = [];
(function walk(node) {
  if (["button", "link", "textbox"].includes(node.role)) seen.controls.push(node.role + " " + node.name);
  for (const child of node.children ?? []) walk(child);
})(controls);
console.log(JSON.stringify(seen));
await browser.close();
