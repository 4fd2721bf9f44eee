"use strict";
// Data from the service is shown only as text (textContent), never as markup, so that it cannot run scripts.

const at = id => document.getElementById(id);
const FINAL = ["done", "failed", "cancelled", "lost"];
const OUTPUT_CHARS = 200000;
let token = "";
let functions = [];
let schemas = {};
let chosen = null; // the job whose output is shown
let reading = null; // stops reading the events of this job

function note(text) {
  at("note").textContent = text;
}

async function ask(path, options = {}) {
  const headers = { Authorization: "Bearer " + token, ...options.headers };
  const answer = await fetch(path, { ...options, headers });
  if (answer.status === 401 || answer.status === 429 && path === "/v1/functions") {
    leave();
    throw new Error("the token is wrong");
  }
  return answer;
}

async function problem(answer) {
  try {
    return (await answer.json()).detail;
  } catch {
    return "status " + answer.status;
  }
}

// ---- login

function leave() {
  token = "";
  sessionStorage.removeItem("token");
  at("login").hidden = false;
  at("main").hidden = true;
}

async function enter(text) {
  token = text.trim();
  try {
    const answer = await ask("/v1/functions");
    if (!answer.ok) throw new Error(await problem(answer));
    const all = await answer.json();
    functions = all.functions;
    schemas = all.components.schemas;
  } catch (e) {
    note(e.message);
    return;
  }
  sessionStorage.setItem("token", token);
  note("");
  at("login").hidden = true;
  at("main").hidden = false;
  at("function").replaceChildren(...functions.map(f => new Option(f.name, f.name)));
  showFunction();
  refresh();
}

// ---- functions

function example(schema, depth = 0) {
  if (schema.$ref) {
    const record = schemas[schema.$ref.split("/").pop()];
    if (depth > 5) return {};
    return Object.fromEntries(Object.entries(record.properties).map(([name, each]) => [name, example(each, depth + 1)]));
  }
  if (schema.anyOf) return example(schema.anyOf[0]);
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case "integer": case "number": return 1;
    case "string": return "";
    case "boolean": return false;
    case "array": return [];
    case "null": return null;
    default: return {};
  }
}

function showFunction() {
  const f = functions.find(f => f.name === at("function").value);
  if (!f) return;
  at("text").textContent = f.text;
  at("argument").value = JSON.stringify(example(f.argument));
  at("schema").textContent = "argument " + JSON.stringify(f.argument) + "\nresult " + JSON.stringify(f.result);
}

async function submit() {
  note("");
  const path = "/v1/functions/" + at("function").value + "/jobs";
  try {
    const answer = await ask(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() },
      body: at("argument").value,
    });
    if (!answer.ok) return note(await problem(answer));
    choose((await answer.json()).id);
    refresh();
  } catch (e) {
    note(e.message);
  }
}

async function cancel(id) {
  const answer = await ask("/v1/jobs/" + id, { method: "DELETE" });
  note(answer.ok ? "" : await problem(answer));
  refresh();
}

// ---- jobs

function cell(row, text, style) {
  const made = row.insertCell();
  made.textContent = text;
  if (style) made.className = style;
  return made;
}

function row(job) {
  const made = document.createElement("tr");
  made.dataset.id = job.id;
  made.className = job.id === chosen ? "chosen" : "";
  cell(made, job.function);
  const state = job.place ? "queued, " + job.place : job.cancelling ? "cancelling" : job.state;
  cell(made, state, job.state);
  cell(made, job.ranks.join(", "));
  const bar = cell(made, "");
  if (job.progress) {
    const drawn = document.createElement("progress");
    drawn.max = job.progress.total;
    drawn.value = job.progress.done;
    bar.append(drawn);
  }
  cell(made, new Date(job.created).toLocaleTimeString());
  const last = cell(made, "");
  if (!FINAL.includes(job.state)) {
    const button = document.createElement("button");
    button.textContent = "Cancel";
    button.onclick = event => { event.stopPropagation(); cancel(job.id); };
    last.append(button);
  }
  made.onclick = () => { choose(job.id); refresh(); };
  return made;
}

async function refresh() {
  if (!token) return;
  try {
    const answer = await ask("/v1/jobs");
    if (!answer.ok) return note(await problem(answer));
    const jobs = (await answer.json()).jobs;
    at("jobs").replaceChildren(...jobs.map(row));
    const busy = jobs.filter(j => j.state === "running");
    at("ranks").textContent = busy.length === 0
      ? "all ranks are free"
      : "busy: rank " + busy.flatMap(j => j.ranks).sort((a, b) => a - b).join(", ");
    if (at("note").dataset.lost) {
      delete at("note").dataset.lost;
      note("");
    }
  } catch (e) {
    at("note").dataset.lost = "1";
    note("the service does not answer; trying again");
  }
}

// ---- one job: events are read by fetch, because EventSource cannot send the token

function choose(id) {
  if (reading) reading.abort();
  reading = new AbortController();
  chosen = id;
  at("job").hidden = false;
  at("title").textContent = "Job " + id;
  at("output").textContent = "";
  at("result").textContent = "";
  follow(id, reading.signal);
}

async function follow(id, signal) {
  let last = null;
  while (!signal.aborted) {
    try {
      const headers = last === null ? {} : { "Last-Event-ID": last };
      const answer = await ask("/v1/jobs/" + id + "/events", { headers, signal });
      if (!answer.ok) return note(await problem(answer));
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        text += part.value;
        const events = text.split("\n\n");
        text = events.pop();
        for (const event of events) {
          const fields = Object.fromEntries(event.split("\n").map(line => {
            const colon = line.indexOf(": ");
            return colon < 0 ? ["", ""] : [line.slice(0, colon), line.slice(colon + 2)];
          }));
          if (!fields.event) continue;
          if (fields.id) last = fields.id;
          if (await show(id, fields.event, JSON.parse(fields.data))) return;
        }
      }
    } catch {
      // the service cannot be reached now; try again
    }
    await new Promise(done => setTimeout(done, 1000));
  }
}

// Shows an event. Returns true after the last event of a job.
async function show(id, event, data) {
  if (event === "output") {
    const output = at("output");
    output.textContent = (output.textContent + data.text).slice(-OUTPUT_CHARS);
    output.scrollTop = output.scrollHeight;
  }
  if (event === "gap") at("output").textContent += "[older output has been removed]\n";
  if (event === "progress") {
    const bar = document.querySelector(`tr[data-id="${id}"] progress`);
    if (bar) bar.value = data.done;
  }
  if (event !== "state") return false;
  refresh();
  if (!FINAL.includes(data.state)) return false;
  const answer = await ask("/v1/jobs/" + id + "/result");
  const text = answer.ok ? await answer.text() : await problem(answer);
  at("result").textContent = data.state + ": " + text.slice(0, OUTPUT_CHARS);
  return true;
}

at("enter").onclick = () => enter(at("token").value);
at("token").onkeydown = event => { if (event.key === "Enter") enter(at("token").value); };
at("function").onchange = showFunction;
at("submit").onclick = submit;
setInterval(refresh, 2000);

// The page's address contains the token as the fragment, which browsers do not send in requests. The token is removed
// from the address, so that it is not copied with the address.
const fragment = location.hash.slice(1);
if (fragment) history.replaceState(null, "", location.pathname);
const known = fragment || sessionStorage.getItem("token");
at("login").hidden = Boolean(known);
if (known) enter(known);
