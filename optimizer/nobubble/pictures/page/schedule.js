// The schedule: from the page's data to arrays, and what an op depends on.

const data = JSON.parse(document.getElementById("data").textContent);
const [F, B, W, BW] = [0, 1, 2, 3];
const rows = data.rows.map(decode);
const rowOfRank = new Map(rows.map((row, at) => [row.rank, at]));
const places = index();

/** Give a row's ops as arrays: kind, chunk, microbatch, start, end (ns), during, after (bytes). */
function decode(row) {
  const count = row.letters.length;
  const ops = {
    ...row,
    count,
    kind: new Uint8Array(count),
    chunk: new Uint16Array(count),
    start: new Float64Array(count),
    end: new Float64Array(count),
    during: new Float64Array(count),
    after: new Float64Array(count),
    busy: 0,
    peak: row.static,
  };
  let [now, held] = [0, row.static];
  for (let at = 0; at < count; at++) {
    const kind = row.letters[at] & 3;
    const chunk = row.letters[at] >> 2;
    const [time, change, workspace] = data.stages[row.stages[chunk]][kind];
    ops.kind[at] = kind;
    ops.chunk[at] = chunk;
    ops.start[at] = now + row.waits[at];
    ops.end[at] = now = ops.start[at] + time;
    ops.during[at] = held + Math.max(change, 0) + workspace;
    ops.after[at] = held += change;
    ops.busy += time;
    ops.peak = Math.max(ops.peak, ops.during[at]);
  }
  return ops;
}

/** Give, for F, backward and W of every stage and microbatch, the place of the op in its row. */
function index() {
  const m = data.microbatches;
  const table = data.stages.map(() => [0, 1, 2].map(() => new Int32Array(m).fill(-1)));
  for (const row of rows) {
    for (let at = 0; at < row.count; at++) {
      const phase = row.kind[at] === BW ? B : row.kind[at];
      table[row.stages[row.chunk[at]]][phase][row.microbatches[at]] = at;
    }
  }
  return table;
}

function find(phase, stage, microbatch) {
  const row = rowOfRank.get(data.placement[stage]);
  const at = places[stage][phase][microbatch];
  return at < 0 ? null : { row, at };
}

/** Give all that can be said of an op by name. */
function describe({ row: rowAt, at }) {
  const row = rows[rowAt];
  return {
    row,
    at,
    kind: row.kind[at],
    stage: row.stages[row.chunk[at]],
    microbatch: row.microbatches[at],
    start: row.start[at],
    end: row.end[at],
    wait: row.waits[at],
  };
}

/** Give the op whose output this one needs, and when that is there; null for the first F. */
function producer(op) {
  const { kind, stage, microbatch } = describe(op);
  let from = null;
  let latency = 0;
  if (kind === F) {
    if (stage === 0) return null;
    from = find(F, stage - 1, microbatch);
    latency = data.latency.F[stage - 1];
  } else if (kind === W) {
    from = find(B, stage, microbatch);
  } else if (stage === data.stages.length - 1) {
    from = find(F, stage, microbatch);
  } else {
    from = find(B, stage + 1, microbatch);
    latency = data.latency.B[stage];
  }
  return from && { ...from, ready: rows[from.row].end[from.at] + latency };
}

/** Give the ops that need the output of this one. */
function consumers(op) {
  const { kind, stage, microbatch } = describe(op);
  const last = data.stages.length - 1;
  const to = [];
  if (kind === F) to.push(stage < last ? find(F, stage + 1, microbatch) : find(B, stage, microbatch));
  if ((kind === B || kind === BW) && stage > 0) to.push(find(B, stage - 1, microbatch));
  if (kind === B) to.push(find(W, stage, microbatch));
  return to.filter((one) => one);
}

/** Give the first op of a row that ends after a moment. */
function firstAfter(row, moment) {
  let [low, high] = [0, row.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.end[middle] > moment) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Give a number to that many significant digits; whole digits are never rounded away. */
function number(value, digits = 7) {
  if (value === 0) return "0";
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
  const text = value.toFixed(Math.min(Math.max(decimals, 0), 15));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function timeText(ns) {
  return `${number(ns / data.time.size)} ${data.time.name}`;
}

function memoryText(bytes) {
  return `${number(bytes / data.memory.size, 6)} ${data.memory.name}`;
}
