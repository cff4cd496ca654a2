// Drives the console of a running tool server with Chromium.
// Environment: BASE_URL, CHROMIUM, TOKEN and SECRET (typed in where the page asks),
// SCREENSHOT (file prefix, optional). Argument: SCENARIO.
// Prints what a person would see, and what the browser did, as JSON.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const base = process.env.BASE_URL;
const seen = { errors: [], foreign: [], violations: [], axe: [], focused: [], overflow: {} };
const patience = 120_000; // milliseconds; a machine that runs other tests too is slow
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"], timeout: patience });
const page = await browser.newPage();
page.setDefaultTimeout(patience);
await page.setViewport({ width: 1200, height: 1000 });
page.on("pageerror", (error) => seen.errors.push(String(error)));
page.on("console", (message) => {
  // The browser itself reports each answer that is not a success.
  if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) seen.errors.push(message.text());
});
await page.exposeFunction("violated", (directive) => seen.violations.push(directive));
await page.evaluateOnNewDocument(() => document.addEventListener("securitypolicyviolation", (e) => violated(e.violatedDirective)));
await page.setRequestInterception(true);
page.on("request", (request) => {
  if (!request.url().startsWith(base + "/") && !/^(data|blob):/.test(request.url())) seen.foreign.push(request.url());
  return request.continue();
});

const text = (selector) => page.$eval(selector, (e) => e.innerText);
const says = (selector, words) => page.waitForFunction((s, w) => document.querySelector(s).innerText.includes(w), {}, selector, words);
const screenshot = (name) => process.env.SCREENSHOT && page.screenshot({ path: process.env.SCREENSHOT + name + ".png", fullPage: true });

// audit notes what axe finds fault with, and where.
async function audit(what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  for (const v of violations) seen.axe.push(`${what}: ${v.id} at ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
}

async function typeKill(reason, button) {
  await page.$eval("#reason", (e) => (e.value = ""));
  await page.type("#reason", reason);
  await page.type("#secret", process.env.SECRET);
  await page.click(button);
}

const scenarios = {
  // Everything is there without a token; a configuration is linted; everything by keyboard.
  async open() {
    await page.goto(base + "/");
    await says("#chain", "valid");
    await says("#entries", "chain.created");
    await page.click("#lint button");
    await says("#findings", "Score");
    await page.click("#checks button");
    await says("#check-state", "findings");
    seen.checks = await text("#checks-section");
    await page.evaluate(() => document.activeElement.blur());
    for (let i = 0; i < 80; i++) {
      await page.keyboard.press("Tab");
      const id = await page.evaluate(() => document.activeElement.id || document.activeElement.innerText.slice(0, 30));
      if (!seen.focused.includes(id)) seen.focused.push(id);
    }
    await screenshot("light");
    await audit("light");
    await page.click("#entries li");
    seen.payload = await text("#payload");
    for (const [name, scheme] of [["dark", "dark"], ["small", "light"]]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.setViewport({ width: name === "small" ? 360 : 1200, height: 1000 });
      await page.$$eval("details", (all, open) => all.forEach((d) => (d.open = open)), name === "small");
      await screenshot(name);
      await audit(name);
      seen.overflow[name] = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    }
  },
  // Halts by hand and lifts the halt again; a wrong secret does neither.
  async kill() {
    await page.goto(base + "/");
    await says("#halt", "Nothing is halted");
    const right = process.env.SECRET;
    process.env.SECRET = "wrong";
    await typeKill("a test", "#kill .danger");
    await says("#killed", "not the kill secret");
    process.env.SECRET = right;
    await typeKill("a test", "#kill .danger");
    await says("#halt", "Everything is halted");
    await says("#halt", "by a person or program, by POST /kill");
    await says("#state", "halted: all");
    await says("#killed", "written");
    await says("#entries", "KILL_SWITCH");
    await says("#entries", "critical");
    seen.left = await page.$eval("#secret", (e) => e.value);
    await screenshot("halted");
    await typeKill("the test is over", "#resume");
    await says("#halt", "Nothing is halted");
  },
  // Grants what an agent asked for; a wrong secret does not.
  async approve() {
    await page.goto(base + "/");
    await says("#asked", "go.mod");
    await audit("a question that waits");
    for (const [secret, words] of [["wrong", "not the kill secret"], [process.env.SECRET, "granted"]]) {
      await page.type("#operator", secret);
      await page.click("#asked button");
      await says("#decided", words);
    }
    await says("#entries", "APPROVAL_DECIDED");
    seen.left = await page.$eval("#operator", (e) => e.value);
    await screenshot("approved");
  },
  // A request that comes later stands behind the first one, whose buttons stay where they
  // are; what was decided elsewhere goes when nobody points at the list.
  async order() {
    await page.goto(base + "/");
    await says("#asked", "go.mod");
    const place = () => page.$eval("#asked button", (e) => { const r = e.getBoundingClientRect(); return [r.x, r.y + scrollY].join(); });
    const before = await place();
    await page.hover("#asked button");
    await fetch(base + "/mcp", { method: "POST", headers: { "Content-Type": "application/json" }, body: process.env.SECOND });
    await says("#asked", "second.mod");
    seen.before = before;
    seen.left = await place();
    seen.asked = await page.$$eval("#asked li strong", (all) => all.map((e) => e.innerText));
    await screenshot("order");
  },
  // The managed processes are halted and an agent runs on: that is what the page says. The
  // agent is ended alone. Then the server is gone.
  async scope() {
    await page.goto(base + "/");
    await says("#dispatches", "1 of at most 2");
    await page.select("#scope", "processes");
    await typeKill("a test", "#kill .danger");
    await says("#halt", "The managed processes are halted");
    seen.before = await text("#halt");
    await says("#running", process.env.TASK);
    await audit("a dispatch that runs");
    for (const [secret, words] of [["wrong", "not the kill secret"], [process.env.SECRET, "being ended"]]) {
      await page.type("#ender", secret);
      await page.click("#running button");
      await says("#ended", words);
    }
    await page.mouse.move(0, 0);
    await page.evaluate(() => document.activeElement.blur());
    await says("#dispatches", "0 of at most 2");
    await page.waitForFunction(() => document.querySelector("#running").children.length === 0);
    seen.left = await page.$eval("#ender", (e) => e.value);
    await screenshot("scope");
  },
  // A server that does not answer any more is not shown as well.
  async gone() {
    await page.goto(base + "/");
    await says("#state", "ok");
    await page.setOfflineMode(true);
    await says("#state", "no contact");
    seen.before = await page.$eval("header", (e) => e.innerText);
    seen.left = await page.$eval("#state", (e) => e.className);
    await screenshot("gone");
  },
  // Follows the log of an agent while it works, until it is ended by hand.
  async log() {
    await page.goto(base + "/");
    await page.type("#token", process.env.TOKEN);
    await page.keyboard.press("Enter");
    await says("#dispatches", "1 of at most 2");
    await page.select("#log-of", await page.$eval("#log-of option:last-child", (e) => e.value));
    await says("#log", "line 1");
    seen.before = await text("#log");
    await typeKill("a test", "#kill .danger");
    await says("#log", "ended");
    seen.left = await text("#log");
    await screenshot("log");
  },
  // A server with a token shows nothing before it is typed in, and forgets it.
  async token() {
    await page.goto(base + "/");
    await says("#access", "Token of this server");
    seen.before = await text("main");
    await page.type("#token", process.env.TOKEN);
    await page.keyboard.press("Enter");
    await says("#chain", "valid");
    await says("#entries", "chain.created");
    seen.stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
    await page.reload();
    await says("#access", "Token of this server");
    seen.left = await page.$eval("#token", (e) => e.value);
  },
};

await scenarios[process.argv[2]]();
if (process.argv[2] !== "open") await audit(process.argv[2]);
seen.text = await text("main");
console.log(JSON.stringify(seen));
await browser.close();
