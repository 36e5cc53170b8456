// What a visitor does with the page: choose, solve, watch, look, compare.
import { call, download, events, forget, keep } from "./client.js";
import { drawCurve } from "./curve.js";

const at = (id) => document.getElementById(id);
const NAMED = ["gpipe", "1f1b", "interleaved-1f1b", "zb-h1", "zb-h2", "zb-auto", "greedy", "auto"];
let profile = null; // As chosen, before what the form changes.
let running = null; // The job that is followed.

const number = (value, digits = 6) =>
  Number(value).toLocaleString("en", { maximumSignificantDigits: digits });
const percent = (value) => `${(100 * value).toFixed(2)} %`;

function tell(problem) {
  const box = at("problem");
  box.hidden = problem === null;
  if (problem === null) return;
  const title = document.createElement("strong");
  title.textContent = problem.title ?? "It did not work";
  const detail = document.createElement("p");
  detail.textContent = problem.detail ?? String(problem);
  const places = document.createElement("ul");
  for (const place of problem.errors ?? []) {
    const item = document.createElement("li");
    item.textContent = `${place.pointer}: ${place.message}`;
    places.append(item);
  }
  box.replaceChildren(title, detail, places);
}

function take(chosen, from) {
  profile = chosen;
  const stages = Array.isArray(chosen.stages) ? chosen.stages.length : "equal";
  at("about").textContent = `${from}: ${chosen.ranks} ranks, ${stages} stages`;
  at("microbatches").value = chosen.microbatches ?? 1;
  at("objective").value = chosen.objective ?? "makespan";
  at("memory-unit").textContent = chosen.memory_unit ?? "";
  const limit = chosen.memory_limit ?? null;
  const limits = Array.isArray(limit) ? limit : [limit];
  const same = limits.every((one) => one === limits[0]);
  at("limit").value = same ? (limits[0] ?? "") : limits.map((one) => one ?? "none").join(", ");
}

function limitOf(text) {
  const entries = text.split(",").map((entry) => entry.trim());
  const values = entries.map((entry) => (entry === "" || entry === "none" ? null : Number(entry)));
  if (values.some((value) => Number.isNaN(value))) {
    throw { title: "Memory limit", detail: `${text} is not a number, nor one for every rank` };
  }
  return values.length === 1 ? values[0] : values;
}

function asked(method) {
  if (profile === null) throw { title: "Profile", detail: "choose a ready profile or a file first" };
  const changed = { ...profile, microbatches: Number(at("microbatches").value) };
  const limit = limitOf(at("limit").value);
  if (limit === null) delete changed.memory_limit;
  else changed.memory_limit = limit;
  const options = { method, effort: at("effort").value, objective: at("objective").value };
  return { profile: changed, options };
}

async function solve(event) {
  event.preventDefault();
  tell(null);
  try {
    const job = await call("/v1/jobs", { method: "POST", body: asked(at("method").value) });
    await follow(job);
  } catch (problem) {
    tell(problem);
  }
}

async function follow(job) {
  running = job.id;
  const begin = performance.now();
  const points = [];
  at("progress").hidden = false;
  at("stop").disabled = false;
  at("status").textContent = "queued";
  drawCurve(at("curve"), points);
  let ended = null;
  try {
    ended = await events(job.links.events, (kind, data) => {
      if (running !== job.id) return;
      if (kind === "state") at("status").textContent = data.state;
      if (kind !== "progress" || data.cost === null) return;
      at("status").textContent = data.text;
      points.push({ at: (performance.now() - begin) / 1000, cost: data.cost, bound: data.lower_bound });
      drawCurve(at("curve"), points);
    });
  } finally {
    if (running === job.id) at("stop").disabled = true;
  }
  if (running !== job.id) return;
  if (ended.schedule === null) {
    at("result").hidden = true;
    at("status").textContent = ended.state;
    if (ended.problem !== null) tell(ended.problem);
    return;
  }
  points.push({
    at: (performance.now() - begin) / 1000,
    cost: ended.progress.cost,
    bound: ended.progress.lower_bound,
  });
  drawCurve(at("curve"), points);
  const { cost, lower_bound: bound, gap, method } = ended.progress;
  at("status").textContent =
    `${ended.state}: ${number(cost)} by ${method}, bound ${number(bound)}, gap ${percent(gap)}, ` +
    `${number(ended.seconds ?? 0, 3)} s of solving` + (ended.status === "optimal" ? ", proven optimal" : "");
  await show(ended.schedule);
}

async function show(hash) {
  const base = `/v1/schedules/${hash}`;
  at("title").textContent = `Schedule ${hash.slice(0, 12)}`;
  const forms = [["JSON", ".json"], ["SVG", ".svg"], ["HTML", ".html"], ["Trace", ".trace.json"], ["CSV", ".csv"]];
  at("downloads").replaceChildren(
    ...forms.map(([label, suffix]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.addEventListener("click", () => {
        download(base + suffix, `schedule-${hash.slice(0, 12)}${suffix}`).catch(tell);
      });
      return button;
    }),
  );
  const page = await call(base + ".html", { as: "text" });
  at("result").hidden = false; // First: a page that is drawn without a width has nothing to draw.
  at("picture").srcdoc = page;
}

async function compare() {
  tell(null);
  at("named").hidden = false;
  at("rows").replaceChildren();
  at("compare").disabled = true;
  let best = Infinity;
  for (const method of NAMED) {
    const row = document.createElement("tr");
    const name = document.createElement("td");
    name.textContent = method;
    row.append(name);
    at("rows").append(row);
    try {
      const solved = await call("/v1/solve", { method: "POST", body: asked(method) });
      if (solved.ranks === undefined) throw { detail: "takes longer; solve it by itself" };
      const { makespan, rank_span: span, bubble_rate: bubble, ranks } = solved.metrics;
      const unit = solved.profile.time_unit;
      const peaks = ranks.map((rank) => Number(rank.peak_memory));
      const texts = [`${number(makespan)} ${unit}`, `${number(span)} ${unit}`, percent(bubble),
        percent(solved.gap), `${number(Math.max(...peaks))} ${solved.profile.memory_unit}`];
      for (const text of texts) {
        const cell = document.createElement("td");
        cell.textContent = text;
        row.append(cell);
      }
      row.dataset.cost = solved.cost;
      best = Math.min(best, solved.cost);
      const cell = document.createElement("td");
      cell.append(await thumbnail(solved, method));
      row.append(cell);
    } catch (problem) {
      const cell = document.createElement("td");
      cell.colSpan = 6;
      cell.textContent = problem.detail ?? String(problem);
      row.append(cell);
    }
    for (const other of at("rows").children) {
      other.children[1]?.classList.toggle("best", Number(other.dataset.cost) === best);
    }
  }
  at("compare").disabled = false;
}

async function thumbnail(solved, method) {
  const picture = await call(`${solved.location}.svg`, { as: "blob" });
  const image = document.createElement("img");
  image.alt = `Gantt of ${method}`;
  image.src = URL.createObjectURL(picture);
  const button = document.createElement("button");
  button.type = "button";
  button.title = "Look at it";
  button.append(image);
  button.addEventListener("click", () => {
    show(solved.location.split("/").at(-1)).then(() => at("result").scrollIntoView(), tell);
  });
  return button;
}

async function fileChosen(file) {
  try {
    const chosen = JSON.parse(await file.text());
    take(chosen.schema === "nobubble.schedule/1" ? chosen.profile : chosen, file.name);
    at("ready").selectedIndex = -1;
    tell(null);
  } catch (error) {
    tell({ title: "Not a JSON file", detail: `${file.name}: ${error.message}` });
  }
}

async function begin() {
  const document_ = await call("/openapi.json");
  const methods = document_.components.schemas.Options.properties.method.enum;
  at("method").replaceChildren(...methods.map((name) => new Option(name, name)));
  const { profiles } = await call("/v1/profiles");
  at("ready").replaceChildren(
    ...profiles.map(({ name, ranks, microbatches }) =>
      new Option(`${name} (${ranks} ranks, ${microbatches} microbatches)`, name)),
  );
  at("ready").value = "measured-p8";
  await pick();
}

async function pick() {
  const name = at("ready").value;
  take(await call(`/v1/profiles/${encodeURIComponent(name)}`), name);
}

function restart() {
  begin().catch((problem) => {
    tell(problem);
    if (problem.status === 401) at("ask-token").showModal();
  });
}

at("ask").addEventListener("submit", solve);
at("ready").addEventListener("change", () => pick().catch(tell));
at("file").addEventListener("change", () => at("file").files[0] && fileChosen(at("file").files[0]));
at("compare").addEventListener("click", () => compare().catch(tell));
at("stop").addEventListener("click", () =>
  call(`/v1/jobs/${running}`, { method: "DELETE" }).catch(tell));
at("token").addEventListener("click", () => at("ask-token").showModal());
at("ask-token").addEventListener("close", () => {
  const given = at("token-value").value.trim();
  if (given) keep(given);
  else forget();
  tell(null);
  restart();
});
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    at("drop").classList.toggle("over", kind === "dragenter" || kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files.length) fileChosen(event.dataTransfer.files[0]);
  });
}
restart();
