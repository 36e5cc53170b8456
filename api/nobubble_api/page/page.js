// What a visitor does with the page: choose, solve, watch, look, compare.
import { call, download, events, forget, keep } from "./client.js";
import { drawCurve } from "./curve.js";

const at = (id) => document.getElementById(id);
const SHOWN = 8; // Rows of a comparison with a picture.
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
  const pieces = chosen.layers ? "layers" : "stages";
  const given = chosen[pieces];
  const count = Array.isArray(given)
    ? given.reduce((sum, piece) => sum + Number(piece?.count ?? 1), 0) : "equal";
  at("about").textContent = `${from}: ${chosen.ranks} ranks, ${count} ${pieces}`;
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
  at("families").hidden = false;
  at("rows").replaceChildren();
  at("advice").textContent = "cutting layers into stages";
  at("compare").disabled = true;
  try {
    let report = null;
    while (report === null) {
      const answer = await call("/v1/compare", { method: "POST", body: asked(at("method").value) });
      if (answer.rows !== undefined) report = answer;
      else {
        if (answer.of > 0) at("advice").textContent = `${answer.done} of ${answer.of} solved`;
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
    at("advice").textContent = report.reason;
    at("rows").replaceChildren(...report.rows.map((row, place) => rowOf(report, row, place)));
    at("left-out").replaceChildren(
      ...report.left_out.map(({ family, method, reason }) => {
        const item = document.createElement("li");
        item.textContent = `${family}${method === null ? "" : `, ${method}`}: ${reason}`;
        return item;
      }),
    );
    for (const [place, row] of report.rows.slice(0, SHOWN).entries()) {
      const cell = at("rows").children[place].lastElementChild;
      cell.append(await thumbnail(row));
    }
  } catch (problem) {
    at("families").hidden = true;
    tell(problem);
  } finally {
    at("compare").disabled = false;
  }
}

function rowOf(report, row, place) {
  const unit = report.time_unit;
  const peak = Math.max(...row.peak_memory.map(Number));
  const texts = [row.family, row.method === row.found_by ? row.method : `${row.method} (${row.found_by})`,
    row.backward, `${number(row.makespan)} ${unit}`, `${number(row.rank_span)} ${unit}`,
    percent(row.bubble_rate), percent(row.gap), peak > 0 ? `${number(peak)} ${report.memory_unit}` : "",
    String(row.transfers)];
  const line = document.createElement("tr");
  line.classList.toggle("best", place === report.recommended);
  for (const text of texts) {
    const cell = document.createElement("td");
    cell.textContent = text;
    line.append(cell);
  }
  line.append(document.createElement("td"));
  return line;
}

async function thumbnail(row) {
  const picture = await call(`/v1/schedules/${row.schedule}.svg`, { as: "blob" });
  const image = document.createElement("img");
  image.alt = `Gantt of ${row.family}, ${row.method}`;
  image.src = URL.createObjectURL(picture);
  const button = document.createElement("button");
  button.type = "button";
  button.title = "Look at it";
  button.append(image);
  button.addEventListener("click", () => {
    show(row.schedule).then(() => at("result").scrollIntoView(), tell);
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
  const methods = document_.components.schemas.Options.properties.method.anyOf[0].enum;
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
