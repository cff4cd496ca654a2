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
// success is an error with its message.
async function ask(path, body, secret = element("token").value) {
  const options = { headers: {}, cache: "no-store" };
  if (secret) options.headers.Authorization = "Bearer " + secret;
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(base + path, options);
  const object = await answer.json();
  if (!answer.ok) throw new Error([object.error?.message, object.error?.hint].filter(Boolean).join(" ") || "status " + answer.status);
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
  } catch (error) {
    place.textContent = error.message;
    place.className = "bad";
  }
}

function list(id, pairs) {
  element(id).replaceChildren(...pairs.flatMap(([name, value, className]) => [make("dt", name), make("dd", value, className)]));
}

async function showHealth() {
  const health = await ask("/health");
  const state = element("state");
  state.textContent = health.status;
  state.className = "badge " + (health.status === "ok" ? "good" : "bad");
  const halted = health.checks.halt;
  element("halt").textContent = halted ? "Everything is halted." : "Nothing is halted.";
  element("halt").className = halted ? "bad" : "good";
  element("resume").hidden = !halted;
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

async function showEntries() {
  const { entries } = await ask("/entries" + (seen ? "?after=" + seen : ""));
  for (const e of entries) {
    seen = e.seq;
    const row = make("li");
    const title = `${e.seq} ${e.event ?? "damaged"}`;
    row.append(make("strong", title, e.event ? "" : "bad"), make("span", ` ${e.actor ?? ""} ${e.time ?? ""}`, "soft"));
    if (e.payload) {
      const details = make("details");
      details.append(make("summary", "Payload"), make("pre", JSON.stringify(e.payload, null, 2)));
      row.append(details);
    }
    element("entries").prepend(row);
  }
  while (element("entries").children.length > kept) element("entries").lastChild.remove();
}

// showApprovals shows what waits for a person. A list that is the same is left as it is,
// or a button would be gone while it is pressed.
let asked = "";
async function showApprovals() {
  const { approvals } = await ask("/approvals");
  const open = approvals.filter((a) => a.status === "pending");
  element("approvals").hidden = open.length === 0 && !element("decided").textContent;
  if (asked === JSON.stringify(open)) return;
  asked = JSON.stringify(open);
  element("asked").replaceChildren(...open.map((a) => {
    const row = make("li");
    row.append(make("strong", `${a.agent}: ${a.operation}`));
    if (a.command) row.append(make("pre", a.command));
    row.append(make("p", "files: " + ((a.files ?? []).join(", ") || "nobody can see which")), make("p", a.reason), make("p", `digest ${a.digest}, until ${a.expires_at}`, "soft"));
    for (const [name, grant] of [["Grant", true], ["Deny", false]]) {
      const button = make("button", name, grant ? "" : "second");
      button.type = "button";
      button.addEventListener("click", () => decide(a.id, grant));
      row.append(button, " ");
    }
    return row;
  }));
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
    element("decided").className = "";
  }
  await look();
}

async function showDispatches() {
  const d = await ask("/dispatches");
  list("dispatches", [
    ["Running", `${d.active.length} of at most ${d.max_concurrent}`], ["Completed", d.completed.length],
    ["Free memory", d.free_ram_mb === null ? "not readable here" : d.free_ram_mb + " MB"],
    ...d.active.map((a) => [a.id, `${a.runner}, process ${a.pid}, at most ${a.maxTurns} turns, since ${a.startTime}`]),
  ]);
  offerLogs([...d.active, ...d.completed].map((a) => a.id));
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
    element("killed").className = "";
  }
  await look();
}

async function look() {
  await attempt(element("problem"), async () => {
    await showHealth();
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
element("kill").addEventListener("submit", kill);
element("log-of").addEventListener("change", follow);
if (!needsToken) begin();
keepLooking();
