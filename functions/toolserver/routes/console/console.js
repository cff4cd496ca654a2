// Asks the server and shows what it says. Everything foreign is set as text.
"use strict";
const base = document.body.dataset.base;
const needsToken = document.body.dataset.token === "true";
const refresh = 3000; // milliseconds between looks
const kept = 50; // entries that stay on the page
const element = (id) => document.getElementById(id);

function make(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// ask sends a request with what was typed in as the token. An answer that is no
// success is an error with its message, unless its status is one of answers.
async function ask(path, body, secret = element("token").value, answers = []) {
  const options = { headers: {}, cache: "no-store" };
  if (secret) options.headers.Authorization = "Bearer " + secret;
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(base + path, options);
  const object = await answer.json();
  if (!answer.ok && !answers.includes(answer.status)) throw new Error([object.error?.message, object.error?.hint].filter(Boolean).join(" ") || "status " + answer.status);
  return object;
}

async function call(method, params) {
  const answer = await ask("/mcp", { jsonrpc: "2.0", id: 1, method, params });
  if (answer.error) throw new Error(answer.error.message);
  return answer.result;
}

// attempt shows what went wrong in a place of the page.
async function attempt(place, work) {
  try {
    await work();
    place.textContent = "";
    place.classList.remove("bad");
  } catch (error) {
    place.textContent = error.message;
    place.classList.add("bad");
  }
}

function list(id, pairs) {
  element(id).replaceChildren(...pairs.flatMap(([name, value, className]) => [make("dt", name), make("dd", value, className)]));
}

// when is a time as a person reads it: of today the hour, else the day, too.
function when(text) {
  const at = new Date(text);
  if (isNaN(at)) return "not known";
  const clock = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  if (at.toDateString() === new Date().toDateString()) return clock;
  return at.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" }) + " " + clock;
}

// moment is such a time with the exact one for programs, and for who points at it.
function moment(text) {
  const made = make("time", when(text));
  made.dateTime = text;
  made.title = text;
  return made;
}

// What a halt of a scope means: what was ended, and what goes on.
const scopes = {
  all: "Everything is halted.",
  dispatches: "The dispatches are halted. Managed processes go on; nothing new starts.",
  processes: "The managed processes are halted. Dispatches that run go on; nothing new starts.",
};

// Who halted, by the way the order came.
const sources = {
  http: "a person or program, by POST /kill",
  mcp: "the tool emergency_kill_switch",
  sse: "the tool emergency_kill_switch, in a session",
  stdio: "the tool emergency_kill_switch, over stdio",
  "command line": "the command line of this machine",
};

let contact = null; // when the server last answered

async function showHealth() {
  const health = await ask("/health", undefined, "", [503]);
  contact = new Date();
  element("contact").textContent = when(contact);
  element("contact").dateTime = contact.toISOString();
  const state = element("state");
  const halt = health.halt;
  state.textContent = halt ? "halted: " + (halt.scope ?? "all") : health.status;
  state.className = "badge " + (health.status === "ok" ? "good" : "bad");
  const text = element("halt");
  text.className = "lines " + (halt ? "bad" : "good");
  text.replaceChildren("Nothing is halted.");
  if (halt) {
    text.replaceChildren(scopes[halt.scope] ?? scopes.all, " Since ", halt.since ? moment(halt.since) : "an unknown time", ", by " + (sources[halt.source] ?? halt.source ?? "the flag HALT in the data directory") + ".");
  }
  element("resume").disabled = !halt;
}

// lost says that the server does not answer. What the page shows is how it was.
function lost() {
  const state = element("state");
  state.textContent = "no contact";
  state.className = "badge bad";
  element("halt").className = "lines bad";
  element("halt").textContent = "Not known: the server does not answer" + (contact ? ". What is shown below is of " + when(contact) + "." : ".");
}

async function showChain() {
  const v = await ask("/audit/verify");
  const prefix = v.prefix && `${v.prefix.to} entries, read ${v.prefix.age_s} s before`;
  list("chain", [
    ["Verdict", v.valid ? "valid" : `broken at entry ${v.broken_at}: ${v.reason}`, v.valid ? "good" : "bad"],
    ["Entries", v.entries], ["Head", v.head ? `${v.head.seq}: ${v.head.hash}` : "none"],
    ["Mode", v.mode], ...(prefix ? [["Verified prefix", prefix]] : []),
    ["Anchored", v.anchored ? "yes: the end was compared with a head noted earlier" : "no: nothing noted earlier to compare with"],
    ...v.warnings.map((w) => ["Warning", `${w.kind} at entry ${w.seq}, ${w.count} times`, "bad"]),
    ["Took", v.duration_ms + " ms"],
  ]);
  list("claims", v.claims.map((c) => [c.id + ": " + c.verdict, c.why]));
}

let seen = 0; // seq of the newest entry that is shown
const shown = new Map(); // entries by the id of their row

async function showEntries() {
  const { entries } = await ask("/entries" + (seen ? "?after=" + seen : ""));
  const first = seen === 0;
  for (const e of entries) {
    seen = e.seq;
    element("entries").prepend(entryRow(e));
  }
  while (element("entries").children.length > kept) {
    shown.delete(element("entries").lastChild.id);
    element("entries").lastChild.remove();
  }
  const urgent = entries.filter((e) => e.severity !== "info");
  if (urgent.length && !first) element("fresh").textContent = "New: " + urgent.map((e) => `${e.severity} ${e.event ?? "damaged entry"}`).join(", ");
}

function entryRow(e) {
  const row = make("li");
  row.id = "entry-" + e.seq;
  row.role = "option";
  row.ariaSelected = "false";
  row.append(make("span", e.severity, "severity " + e.severity), make("strong", ` ${e.seq} ${e.event ?? "damaged"} `), make("span", (e.actor ?? "") + " ", "soft"));
  if (e.time) row.append(moment(e.time));
  row.addEventListener("click", () => choose(row));
  shown.set(row.id, e);
  return row;
}

// choose shows the payload of an entry. The list is one stop of the tab key, whatever it
// holds.
function choose(row) {
  if (!row) return;
  const before = document.getElementById(element("entries").getAttribute("aria-activedescendant"));
  if (before) before.ariaSelected = "false";
  row.ariaSelected = "true";
  element("entries").setAttribute("aria-activedescendant", row.id);
  row.scrollIntoView({ block: "nearest" });
  const e = shown.get(row.id);
  element("payload").textContent = `${e.seq} ${e.event ?? "damaged"}\n` + (e.payload ? JSON.stringify(e.payload, null, 2) : "no payload");
}

function chooseByKey(event) {
  const rows = element("entries");
  const current = document.getElementById(rows.getAttribute("aria-activedescendant"));
  const next = {
    ArrowDown: () => (current ? current.nextElementSibling : rows.firstElementChild),
    ArrowUp: () => current?.previousElementSibling,
    Home: () => rows.firstElementChild,
    End: () => rows.lastElementChild,
  }[event.key];
  if (!next) return;
  event.preventDefault();
  choose(next());
}

// keepRows shows a row for each item in a list and leaves those that stand where they are:
// new ones come at the end, and one whose item is over stays, without its buttons, while
// somebody points at the list or is in it. So nothing moves under a person's hand.
function keepRows(place, items, build, over) {
  const rows = new Map([...place.children].map((row) => [row.dataset.id, row]));
  for (const item of items) {
    if (!rows.has(item.id)) {
      const row = build(item);
      row.dataset.id = item.id;
      place.append(row);
    }
    rows.delete(item.id);
  }
  const busy = place.matches(":hover, :focus-within");
  for (const row of rows.values()) {
    if (!busy) {
      row.remove();
    } else if (!row.dataset.over) {
      row.dataset.over = "true";
      for (const button of row.querySelectorAll("button")) button.disabled = true;
      row.append(make("p", over, "soft"));
    }
  }
}

async function showApprovals() {
  const { approvals } = await ask("/approvals");
  const open = approvals.filter((a) => a.status === "pending");
  open.sort((a, b) => a.requested_at.localeCompare(b.requested_at) || a.id.localeCompare(b.id));
  keepRows(element("asked"), open, approvalRow, "It was decided, or is over.");
  element("none-asked").hidden = element("asked").children.length > 0;
}

// visible replaces what a terminal or a browser would not show, or would show elsewhere:
// control characters and those that turn the direction of the text.
function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

function approvalRow(a) {
  const row = make("li");
  const what = make("strong", visible(`${a.agent}: ${a.operation} ${(a.paths ?? []).join(", ")}`));
  what.dir = "ltr";
  row.append(what);
  if (a.command) row.append(make("pre", visible(a.command), "command"));
  const files = (a.files ?? []).join(", ");
  row.append(make("p", "Files: " + (files ? visible(files) : "the guard cannot tell which")));
  if (a.digest) row.append(make("p", "Digest " + a.digest, "soft"));
  const until = make("p", "until ", "soft");
  until.append(moment(a.expires_at));
  row.append(make("p", "Reason of the agent: " + visible(a.reason)), until);
  for (const [name, grant] of [["Grant", true], ["Deny", false]]) {
    const button = make("button", name, grant ? "" : "second");
    button.type = "button";
    button.setAttribute("aria-label", visible(`${name}: ${a.agent}, ${a.operation} ${(a.paths ?? []).join(", ")}`));
    button.addEventListener("click", () => decide(a.id, grant));
    row.append(button, " ");
  }
  return row;
}

async function decide(id, grant) {
  const secret = element("operator");
  let done = "";
  await attempt(element("decided"), async () => {
    const out = await ask("/approvals", { id, grant }, secret.value);
    done = `${out.agent}: ${out.status}.`;
  });
  secret.value = "";
  if (done) {
    element("decided").textContent = done;
    element("decided").className = "line";
  }
  await look();
}

async function showDispatches() {
  const d = await ask("/dispatches");
  list("dispatches", [
    ["Running", `${d.active.length} of at most ${d.max_concurrent}`], ["Completed", d.completed.length],
    ["Free memory", d.free_ram_mb === null ? "not readable here" : d.free_ram_mb + " MB"],
  ]);
  const active = [...d.active].sort((a, b) => a.startTime.localeCompare(b.startTime) || a.id.localeCompare(b.id));
  keepRows(element("running"), active, dispatchRow, "It has ended.");
  offerLogs([...d.active, ...d.completed].map((a) => a.id));
}

function dispatchRow(d) {
  const row = make("li");
  const how = make("p", `${d.runner}, process ${d.pid}, at most ${d.maxTurns} turns, since `, "soft");
  how.append(moment(d.startTime));
  row.append(make("strong", d.id), make("p", visible(d.task ?? "")), how);
  const button = make("button", "End this dispatch", "danger");
  button.type = "button";
  button.setAttribute("aria-label", "End this dispatch: " + d.id);
  button.addEventListener("click", () => end(d.id));
  row.append(button);
  return row;
}

// end ends one dispatch; the others go on.
async function end(id) {
  const secret = element("ender");
  let done = "";
  await attempt(element("ended"), async () => {
    const out = await ask(`/dispatches/${id}/end`, { reason: "ended in the console" }, secret.value);
    done = `${out.id} is being ended.`;
  });
  secret.value = "";
  if (done) {
    element("ended").textContent = done;
    element("ended").className = "line";
  }
  await look();
}

// offerLogs lets a person choose a dispatch. A list that is the same is left as it is.
let offered = "";
function offerLogs(ids) {
  element("followed").hidden = ids.length === 0;
  if (offered === ids.join()) return;
  offered = ids.join();
  const chosen = element("log-of").value;
  element("log-of").replaceChildren(...["", ...ids].map((id) => {
    const option = make("option", id || "nothing");
    option.value = id;
    option.selected = id === chosen;
    return option;
  }));
}

const longest = 200000; // characters of a log that stay on the page
let following = new AbortController();

// follow shows the log of the chosen dispatch as it grows. EventSource could not send the
// token, so the events are read here: each is a few lines and an empty one.
async function follow() {
  following.abort();
  following = new AbortController();
  const { signal } = following;
  const id = element("log-of").value;
  const place = element("log");
  place.textContent = "";
  if (!id) return;
  const secret = element("token").value;
  const headers = secret ? { Authorization: "Bearer " + secret } : {};
  try {
    const answer = await fetch(`${base}/dispatches/${id}/log`, { headers, cache: "no-store", signal });
    if (!answer.ok) throw new Error("The log cannot be read: status " + answer.status);
    let held = "";
    for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
      const events = (held + part).split("\n\n");
      held = events.pop();
      for (const event of events) {
        const data = event.split("\n").find((line) => line.startsWith("data: "));
        const text = data && JSON.parse(data.slice(6)).text;
        if (text) place.textContent = (place.textContent + text).slice(-longest);
      }
      place.scrollTop = place.scrollHeight;
    }
  } catch (error) {
    if (!signal.aborted) place.textContent += "\n" + error.message;
  }
}

// showProcesses asks every fifth time: providers start programs to answer.
let untilProcesses = 0;
async function showProcesses() {
  if (untilProcesses-- > 0) return;
  untilProcesses = 4;
  const { processes } = await ask("/processes");
  element("processes-section").hidden = processes.length === 0;
  list("processes", processes.map((p) => [
    `${p.name} (${p.provider})`,
    [p.state.replace("_", " "), p.pid ? `process ${p.pid}` : "", p.restarts ? `${p.restarts} restarts` : "", p.rss_mb ? `${p.rss_mb} MB` : "", p.why].filter(Boolean).join(", "),
    p.state === "running" ? "good" : "bad",
  ]));
}

async function showTools() {
  const { tools } = await call("tools/list", {});
  element("tools").replaceChildren(...tools.map((t) => {
    const details = make("details");
    details.append(make("summary", t.name), make("p", t.description), make("pre", JSON.stringify(t.inputSchema, null, 2)));
    return details;
  }));
}

async function lint(event) {
  event.preventDefault();
  await attempt(element("score"), async () => {
    element("findings").replaceChildren();
    const result = await call("tools/call", { name: "lint_mcp_config", arguments: { config_json: element("config").value } });
    if (result.isError) throw new Error(JSON.parse(result.content[0].text).error?.message ?? "The tool asks for a payment.");
    const found = result.structuredContent;
    element("findings").replaceChildren(make("li", `Score ${found.score} of 100`), ...found.findings.map((f) => {
      const row = make("li");
      row.append(make("strong", `${f.severity} ${f.code} in ${f.server}: `), make("span", f.message), make("p", f.hint, "soft"));
      return row;
    }));
  });
}

// mostFindings is how many the page shows.
const mostFindings = 50;

// check runs a check of the project, and shows what it found.
async function check(event) {
  event.preventDefault();
  let verdict = "";
  element("check-state").textContent = "Looking at the project.";
  await attempt(element("check-state"), async () => {
    element("check-findings").replaceChildren();
    const result = await call("tools/call", { name: element("check").value, arguments: {} });
    if (result.isError) throw new Error(JSON.parse(result.content[0].text).error?.message);
    const report = result.structuredContent;
    const found = report.drifts ?? report.vulnerabilities ?? report.findings ?? report.issues ?? failedStandards(report);
    verdict = `${(report.status ?? "done").replaceAll("_", " ")}: ${found.length} findings.`;
    if (found.length > mostFindings) verdict += ` The first ${mostFindings} are shown.`;
    const skipped = (report.skipped ?? []).map((s) => make("li", `Not checked: ${s.check}. ${s.reason}. ${s.how_to_enable ?? ""}`, "soft"));
    element("check-findings").replaceChildren(...found.slice(0, mostFindings).map(findingRow), ...skipped);
  });
  if (verdict) element("check-state").textContent = verdict;
}

function findingRow(f) {
  const row = make("li");
  const file = f.target ?? f.path ?? f.page;
  const place = f.line ? `${file}:${f.line}` : file;
  row.append(make("strong", `${f.severity ?? "error"} ${place}: `), make("span", f.message ?? f.detail ?? f.type));
  if (f.hint) row.append(make("p", f.hint, "soft"));
  return row;
}

// failedStandards are what bots lack.
function failedStandards(report) {
  return (report.results ?? []).flatMap((bot) => Object.entries(bot.standards ?? {})
    .filter(([, standard]) => standard.pass === false && !standard.na)
    .map(([name, standard]) => ({ path: bot.file ?? bot.path, line: standard.line, message: `${name}: ${standard.detail}` })));
}

async function kill(event) {
  event.preventDefault();
  const secret = element("secret");
  const body = event.submitter?.value === "resume"
    ? { resume: true, reason: element("reason").value }
    : { reason: element("reason").value, scope: element("scope").value };
  let done = "";
  await attempt(element("killed"), async () => {
    const out = await ask("/kill", body, secret.value);
    done = body.resume ? "The halt is lifted." : `Halted. Audit entry: ${out.audit}. Survivors: ${out.survivors.length}.` + out.survivors.map((s) => ` ${s.name ?? s.cmd}: ${s.why}.`).join("");
    untilProcesses = 0;
  });
  secret.value = "";
  if (done) {
    element("reason").value = "";
    element("killed").textContent = done;
    element("killed").className = "lines";
  }
  await look();
}

async function look() {
  try {
    await showHealth();
  } catch {
    lost();
    return;
  }
  await attempt(element("problem"), async () => {
    if (needsToken && !element("token").value) return;
    await showEntries();
    await showApprovals();
    await showDispatches();
    await showProcesses();
  });
}

async function begin() {
  await attempt(element("problem"), async () => {
    await showTools();
    await showChain();
  });
}

async function keepLooking() {
  if (!document.hidden) await look();
  setTimeout(keepLooking, refresh);
}

element("access").hidden = !needsToken;
element("access-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  await begin();
  if (!element("problem").textContent) await look();
});
element("verify").addEventListener("click", () => attempt(element("problem"), showChain));
element("lint").addEventListener("submit", lint);
element("checks").addEventListener("submit", check);
element("kill").addEventListener("submit", kill);
element("log-of").addEventListener("change", follow);
element("entries").addEventListener("keydown", chooseByKey);
element("scope").addEventListener("change", () => {
  const scope = element("scope").value;
  element("halt-button").textContent = scope === "all" ? "Halt everything" : "Halt " + scope;
});
if (!needsToken) begin();
keepLooking();
