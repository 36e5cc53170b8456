// Drawing: what is in view, on the canvas.

const chart = document.getElementById("chart");
const extent = document.getElementById("extent");
const canvas = document.getElementById("canvas");
const crowded = document.getElementById("crowded");
const pen = canvas.getContext("2d");

const end = Math.max(data.end, 1);
const AXIS = 30;
const NARROW = 1.5; // px of a mean op under which slices of one pixel show shares instead
const bar = rows.length <= 16 ? 24 : rows.length <= 48 ? 18 : 14;
const view = { from: 0, to: end, memory: data.memory !== null };
const marked = { hover: null, followed: null };

let theme = {};
let size = { width: 0, height: 0, gutter: 0, plot: 0, pitch: 0, scale: 1 };
const highest = memoryScale();
const shades = hueShades();

/** Give the memory at the top of the curves; limits far above every peak stay out of sight. */
function memoryScale() {
  const peak = Math.max(...rows.map((row) => row.peak), 1);
  const limits = rows.map((row) => row.limit ?? 0).filter((limit) => limit <= 2.5 * peak);
  return 1.08 * Math.max(peak, ...limits);
}

/** Give the colours by kind, number of chunks and chunk. */
function hueShades() {
  const known = new Map();
  return (kind, chunk, chunks) => {
    const key = (kind * 4096 + chunk) * 4096 + chunks;
    if (!known.has(key)) {
      const part = chunks > 1 ? (data.lightest * chunk) / (chunks - 1) : 0;
      const rgb = [1, 3, 5].map((at) => {
        const value = parseInt(data.hues[kind].slice(at, at + 2), 16);
        return Math.round(value + (255 - value) * part);
      });
      const light = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] >= 140;
      known.set(key, { rgb, css: `rgb(${rgb})`, ink: light ? "#14181f" : "#ffffff" });
    }
    return known.get(key);
  };
}

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const names = ["card", "ink", "muted", "rule", "track", "alarm", "memory", "memory-fill"];
  theme = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

function measure() {
  const width = chart.clientWidth;
  const gutter = width < 560 ? 62 : 112;
  const curve = view.memory ? Math.max(26, bar + 6) : 0;
  const pitch = bar + curve + (view.memory ? 12 : rows.length <= 48 ? 6 : 3);
  const whole = AXIS + pitch * rows.length + 6;
  extent.style.height = `${whole}px`;
  const height = Math.min(whole, chart.clientHeight || whole);
  size = { width, height, gutter, plot: width - gutter - 8, pitch, curve, scale: devicePixelRatio || 1 };
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * size.scale);
  canvas.height = Math.round(height * size.scale);
}

function xOf(moment) {
  return size.gutter + ((moment - view.from) / (view.to - view.from)) * size.plot;
}

function momentAt(x) {
  return view.from + ((x - size.gutter) / size.plot) * (view.to - view.from);
}

function yOf(rowAt) {
  return AXIS + rowAt * size.pitch - chart.scrollTop;
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

function draw() {
  pen.setTransform(size.scale, 0, 0, size.scale, 0, 0);
  pen.fillStyle = theme.card;
  pen.fillRect(0, 0, size.width, size.height);
  const first = Math.max(0, Math.floor((chart.scrollTop - AXIS) / size.pitch));
  const past = Math.min(rows.length, Math.ceil((chart.scrollTop + size.height) / size.pitch));
  const ticks = tickMoments();
  crowded.hidden = true;
  drawGrid(ticks);
  pen.save();
  pen.beginPath();
  pen.rect(size.gutter, 0, size.plot, size.height);
  pen.clip();
  for (let at = first; at < past; at++) {
    drawOps(rows[at], yOf(at));
    if (view.memory) drawMemory(rows[at], yOf(at) + bar + 3);
  }
  drawMarks(first, past);
  drawBound();
  pen.restore();
  for (let at = first; at < past; at++) drawName(rows[at], yOf(at));
  drawAxis(ticks);
  chart.dataset.from = view.from;
  chart.dataset.to = view.to;
}

function tickMoments() {
  if (data.end === 0) return [0];
  const least = ((view.to - view.from) / data.time.size / size.plot) * 84;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((by) => by * power).find((one) => one >= least * (1 - 1e-9));
  const ticks = [];
  const [from, to] = [view.from / data.time.size, view.to / data.time.size];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to * (1 + 1e-12); k++) ticks.push(k * step);
  return ticks;
}

function drawGrid(ticks) {
  pen.fillStyle = theme.rule;
  for (const tick of ticks) pen.fillRect(Math.round(xOf(tick * data.time.size)), AXIS - 6, 1, size.height);
}

function drawAxis(ticks) {
  pen.fillStyle = theme.card;
  pen.fillRect(0, 0, size.width, AXIS - 6);
  pen.font = `11px ${getComputedStyle(chart).fontFamily}`;
  pen.textBaseline = "middle";
  pen.fillStyle = theme.muted;
  pen.textAlign = "right";
  pen.fillText(data.time.name, size.gutter - 14, 12);
  for (const tick of ticks) {
    const x = xOf(tick * data.time.size);
    const name = number(tick);
    const half = pen.measureText(name).width / 2;
    if (x + half > size.width) continue;
    pen.textAlign = "center";
    pen.fillText(name, Math.max(x, size.gutter - 4 + half), 12);
  }
  // Which part of the iteration is in view.
  if (view.to - view.from < end) {
    pen.fillStyle = theme.track;
    pen.fillRect(size.gutter, 0, size.plot, 3);
    pen.fillStyle = theme.muted;
    const width = Math.max(6, ((view.to - view.from) / end) * size.plot);
    pen.fillRect(size.gutter + (view.from / end) * size.plot, 0, width, 3);
  }
}

function drawName(row, y) {
  const family = getComputedStyle(chart).fontFamily;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.fillStyle = theme.ink;
  pen.font = `600 12px ${family}`;
  pen.fillText(`rank ${row.rank}`, size.gutter - 10, y + bar / 2);
  if (!view.memory) return;
  const limit = row.limit === null ? "" : ` of ${number(row.limit / data.memory.size, 4)}`;
  pen.fillStyle = row.limit !== null && row.peak > row.limit ? theme.alarm : theme.muted;
  pen.font = `11px ${family}`;
  const peak = number(row.peak / data.memory.size, 4);
  const text = size.gutter > 80 ? `${peak}${limit} ${data.memory.name}` : peak;
  pen.fillText(text, size.gutter - 10, y + bar + 3 + size.curve / 2, size.gutter - 12);
}

function drawOps(row, y) {
  const first = firstAfter(row, view.from);
  const past = firstAfter(row, view.to) + 1;
  pen.fillStyle = theme.track;
  const [left, right] = [xOf(Math.max(0, view.from)), xOf(Math.min(end, view.to))];
  pen.fillRect(left, y, right - left, bar);
  if (past - first > size.plot / NARROW) {
    crowded.hidden = false;
    drawShares(row, y, first, past);
  } else {
    drawEach(row, y, first, past);
  }
}

function drawEach(row, y, first, past) {
  const font = Math.min(10, bar - 4);
  pen.font = `${font}px ${getComputedStyle(chart).fontFamily}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const digit = 0.58 * font;
  for (let at = first; at < Math.min(past, row.count); at++) {
    const left = xOf(row.start[at]);
    const width = xOf(row.end[at]) - left;
    if (width <= 0) continue;
    const colour = shades(row.kind[at], row.chunk[at], row.stages.length);
    const faded = marked.followed !== null && row.microbatches[at] !== marked.followed;
    pen.globalAlpha = faded ? 0.22 : 1;
    pen.fillStyle = colour.css;
    pen.fillRect(left, y, width >= 4 ? width - 0.75 : width, bar);
    const name = String(row.microbatches[at]);
    if (!faded && width >= name.length * digit + 2) {
      // A long op keeps its number in sight.
      const from = Math.max(left, size.gutter);
      const to = Math.min(left + width, size.gutter + size.plot);
      pen.fillStyle = colour.ink;
      if (to - from >= name.length * digit + 1) pen.fillText(name, (from + to) / 2, y + bar / 2 + 0.5);
    }
  }
  pen.globalAlpha = 1;
}

/** Draw the shares of the kinds in every column of pixels, stacked from the ground of the row. */
function drawShares(row, y, first, past) {
  const columns = Math.round(size.plot * size.scale);
  const tall = Math.round(bar * size.scale);
  const perColumn = (view.to - view.from) / columns;
  const shares = data.hues.map(() => new Float32Array(columns));
  for (let at = first; at < Math.min(past, row.count); at++) {
    const share = shares[row.kind[at]];
    const from = Math.max(0, (row.start[at] - view.from) / perColumn);
    const to = Math.min(columns, (row.end[at] - view.from) / perColumn);
    for (let column = Math.floor(from); column < to; column++) {
      share[column] += Math.min(to, column + 1) - Math.max(from, column);
    }
  }
  const image = pen.createImageData(columns, tall);
  const pixels = new Uint32Array(image.data.buffer);
  const alpha = (marked.followed === null ? 255 : 90) << 24;
  const ground = pixel(theme.track, 255 << 24);
  const inks = data.hues.map((hue) => blend(pixel(hue, alpha), ground, marked.followed === null));
  for (let column = 0; column < columns; column++) {
    let line = tall;
    let sum = 0;
    for (let kind = 0; kind < inks.length; kind++) {
      sum += shares[kind][column];
      const top = Math.max(0, Math.round(tall * (1 - sum)));
      while (line > top) pixels[--line * columns + column] = inks[kind];
    }
    while (line > 0) pixels[--line * columns + column] = ground;
  }
  pen.putImageData(image, Math.round(size.gutter * size.scale), Math.round(y * size.scale));
}

/** Give #rrggbb as the pixel of an image (bytes in the order red, green, blue, alpha). */
function pixel(colour, alpha) {
  const value = parseInt(colour.slice(1), 16);
  return (alpha | ((value & 255) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

function blend(colour, ground, full) {
  if (full) return colour;
  let mixed = 255 << 24;
  for (const shift of [0, 8, 16]) {
    mixed |= Math.round(0.22 * ((colour >> shift) & 255) + 0.78 * ((ground >> shift) & 255)) << shift;
  }
  return mixed >>> 0;
}

/** Draw what a rank holds over time; where points crowd, the highest of every pixel. */
function drawMemory(row, y) {
  const base = y + size.curve;
  const height = (bytes) => base - (bytes / highest) * size.curve;
  const first = Math.max(0, firstAfter(row, view.from) - 1);
  const past = Math.min(row.count, firstAfter(row, view.to) + 1);
  const held = first > 0 ? row.after[first - 1] : row.static;
  let x = xOf(first > 0 ? row.end[first - 1] : 0);
  pen.beginPath();
  pen.moveTo(x, base);
  pen.lineTo(x, height(held));
  if (past - first > size.plot) {
    let [pixelAt, top] = [Math.floor(x), held];
    for (let at = first; at < past; at++) {
      const here = Math.floor(xOf(row.start[at]));
      if (here > pixelAt) {
        pen.lineTo(pixelAt, height(top));
        pen.lineTo(here, height(top));
        [pixelAt, top] = [here, row.during[at]];
      }
      top = Math.max(top, row.during[at]);
      x = xOf(row.end[at]);
    }
    pen.lineTo(pixelAt, height(top));
    pen.lineTo(x, height(top));
    if (past === row.count) pen.lineTo(x, height(row.after[past - 1]));
  } else {
    let level = held;
    for (let at = first; at < past; at++) {
      x = xOf(row.start[at]);
      pen.lineTo(x, height(level));
      pen.lineTo(x, height(row.during[at]));
      x = xOf(row.end[at]);
      pen.lineTo(x, height(row.during[at]));
      level = row.after[at];
      pen.lineTo(x, height(level));
    }
  }
  if (past === row.count) {
    const left = row.count ? row.after[row.count - 1] : row.static;
    x = Math.max(x, xOf(end));
    pen.lineTo(x, height(left));
  }
  pen.lineTo(x, base);
  pen.fillStyle = theme["memory-fill"];
  pen.fill();
  pen.strokeStyle = theme.memory;
  pen.lineWidth = 1;
  pen.stroke();
  pen.fillStyle = theme.rule;
  pen.fillRect(size.gutter, base, size.plot, 1);
  if (row.limit !== null && row.limit <= highest) {
    pen.strokeStyle = theme.alarm;
    pen.setLineDash([5, 4]);
    pen.beginPath();
    pen.moveTo(size.gutter, height(row.limit));
    pen.lineTo(size.gutter + size.plot, height(row.limit));
    pen.stroke();
    pen.setLineDash([]);
  }
}

/** Mark where a schedule at the lower bound would end. */
function drawBound() {
  if (data.bound === null) return;
  const x = xOf(data.bound);
  pen.strokeStyle = theme.alarm;
  pen.lineWidth = 1.4;
  pen.setLineDash([5, 4]);
  pen.beginPath();
  pen.moveTo(x, AXIS - 6);
  pen.lineTo(x, size.height);
  pen.stroke();
  pen.setLineDash([]);
}

/** Outline the op under the pointer and the followed microbatch, and link ops to their inputs. */
function drawMarks(first, past) {
  pen.strokeStyle = theme.ink;
  pen.fillStyle = theme.ink;
  if (marked.followed !== null) {
    for (let stage = 0; stage < data.stages.length; stage++) {
      for (const phase of [F, B]) {
        const op = find(phase, stage, marked.followed);
        const from = op && producer(op);
        if (from) drawLink(from, op);
      }
    }
    for (let stage = 0; stage < data.stages.length; stage++) {
      for (const phase of [F, B, W]) {
        const op = find(phase, stage, marked.followed);
        if (op && op.row >= first && op.row < past) outline(op, 1);
      }
    }
  }
  if (marked.hover === null) return;
  const from = producer(marked.hover);
  if (from) drawLink(from, marked.hover);
  for (const to of consumers(marked.hover)) drawLink(marked.hover, to);
  outline(marked.hover, 2);
}

function outline({ row, at }, wide) {
  const left = xOf(rows[row].start[at]);
  const width = Math.max(2, xOf(rows[row].end[at]) - left);
  pen.lineWidth = wide;
  pen.strokeRect(left - wide / 2, yOf(row) - wide / 2, width + wide, bar + wide);
}

function drawLink(from, to) {
  if (from.row === to.row && from.at + 1 === to.at) return;
  const [x1, y1] = [xOf(rows[from.row].end[from.at]), yOf(from.row) + bar / 2];
  const [x2, y2] = [xOf(rows[to.row].start[to.at]), yOf(to.row) + bar / 2];
  pen.lineWidth = 1.2;
  pen.beginPath();
  pen.moveTo(x1, y1);
  const bend = Math.max(10, Math.abs(x2 - x1) / 2);
  pen.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x2, y2);
  pen.lineTo(x2 - 6, y2 - 3.5);
  pen.lineTo(x2 - 6, y2 + 3.5);
  pen.fill();
}
