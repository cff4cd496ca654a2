// Drives the console of a running tool server with Chromium.
// Environment: BASE_URL, CHROMIUM, TOKEN and SECRET (typed in where the page asks),
// SCREENSHOT (file prefix, optional). Argument: SCENARIO.
// Prints what a person would see, and what the browser did, as JSON.
import puppeteer from "puppeteer-core";

const base = process.env.BASE_URL;
const seen = { errors: [], foreign: [], violations: [], focused: [], overflow: {} };
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
    await page.evaluate(() => document.activeElement.blur());
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press("Tab");
      const id = await page.evaluate(() => document.activeElement.id || document.activeElement.innerText.slice(0, 30));
      if (!seen.focused.includes(id)) seen.focused.push(id);
    }
    await screenshot("light");
    for (const [name, scheme] of [["dark", "dark"], ["small", "light"]]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.setViewport({ width: name === "small" ? 360 : 1200, height: 1000 });
      await page.$$eval("details", (all, open) => all.forEach((d) => (d.open = open)), name === "small");
      await screenshot(name);
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
    await says("#killed", "written");
    await says("#entries", "KILL_SWITCH");
    seen.left = await page.$eval("#secret", (e) => e.value);
    await screenshot("halted");
    await typeKill("the test is over", "#resume");
    await says("#halt", "Nothing is halted");
  },
  // Grants what an agent asked for; a wrong secret does not.
  async approve() {
    await page.goto(base + "/");
    await says("#asked", "go.mod");
    for (const [secret, words] of [["wrong", "not the kill secret"], [process.env.SECRET, "granted"]]) {
      await page.type("#operator", secret);
      await page.click("#asked button");
      await says("#decided", words);
    }
    await says("#entries", "APPROVAL_DECIDED");
    seen.left = await page.$eval("#operator", (e) => e.value);
    await screenshot("approved");
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
seen.text = await text("main");
console.log(JSON.stringify(seen));
await browser.close();
