// Pointer, wheel, keys and buttons; the tip that says what an op is.

const tip = document.getElementById("tip");
const LEAST = Math.max(1, end / 1e7); // ns in view at the closest
const KIND_NAMES = data.kindNames;

function show(from, to) {
  const span = Math.min(end, Math.max(LEAST, to - from));
  view.from = Math.min(Math.max(0, from), end - span);
  view.to = view.from + span;
  redraw();
}

function zoom(factor, x = size.gutter + size.plot / 2) {
  const moment = Math.min(Math.max(momentAt(x), view.from), view.to);
  show(moment - (moment - view.from) / factor, moment + (view.to - moment) / factor);
}

function pan(pixels) {
  const by = (pixels / size.plot) * (view.to - view.from);
  show(view.from + by, view.to + by);
}

function reset() {
  marked.followed = null;
  show(0, end);
}

/** Give the op at a place of the canvas, or the next one of the row where it is idle. */
function under(x, y) {
  const at = Math.floor((y + chart.scrollTop - AXIS) / size.pitch);
  if (y < AXIS - 6 || x < size.gutter || x > size.gutter + size.plot || !rows[at]) return null;
  const inBar = y - yOf(at);
  if (inBar < 0 || inBar > bar + size.curve + 4) return null;
  const moment = momentAt(x);
  const row = rows[at];
  const place = firstAfter(row, moment);
  if (moment < 0 || moment > end) return null;
  if (place === row.count) return { row: at, idle: true, at: null };
  return { row: at, at: place, idle: row.start[place] > moment };
}

function opName({ kind, stage, microbatch }) {
  return `${data.kinds[kind]} of stage ${stage}, microbatch ${microbatch}`;
}

function tell(found, x, y) {
  const row = rows[found.row];
  const lines = [];
  let head;
  if (found.at === null) {
    head = `idle, rank ${row.rank}`;
    const from = row.count ? row.end[row.count - 1] : 0;
    lines.push(["from", timeText(from)], ["to", `${timeText(data.end)}, the end`]);
    lines.push(["for", timeText(data.end - from)]);
  } else {
    const op = describe(found);
    const from = producer(found);
    const input = from && `${opName(describe(from))} on rank ${rows[from.row].rank}`;
    if (found.idle) {
      head = `idle, rank ${row.rank}`;
      lines.push(["from", timeText(op.start - op.wait)], ["to", timeText(op.start)]);
      lines.push(["for", timeText(op.wait)], ["next", opName(op)]);
      if (input) lines.push(["waits for", input]);
    } else {
      head = `${opName(op)}`;
      lines.push(["kind", KIND_NAMES[op.kind]], ["rank", String(row.rank)]);
      lines.push(["start", timeText(op.start)], ["end", timeText(op.end)]);
      lines.push(["duration", timeText(op.end - op.start)]);
      if (op.wait > 0) {
        lines.push(["waited", `${timeText(op.wait)}${input ? ` for ${input}` : ""}`]);
      } else if (from) {
        const early = op.start - from.ready;
        lines.push(["input ready", `${early > 0 ? `${timeText(early)} before` : "at the start"}, from ${input}`]);
      }
      if (data.memory) {
        const limit = row.limit === null ? "" : ` of ${memoryText(row.limit)}`;
        lines.push(["memory", `${memoryText(row.during[found.at])}${limit}, then ${memoryText(row.after[found.at])}`]);
      }
    }
  }
  const title = document.createElement("strong");
  title.textContent = head;
  const list = document.createElement("dl");
  for (const [name, value] of lines) {
    list.append(Object.assign(document.createElement("dt"), { textContent: name }));
    list.append(Object.assign(document.createElement("dd"), { textContent: value }));
  }
  tip.replaceChildren(title, list);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = x + 16 + box.width > innerWidth ? x - 16 - box.width : x + 16;
  const top = y + 16 + box.height > innerHeight ? y - 16 - box.height : y + 16;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

function hush() {
  tip.hidden = true;
  marked.hover = null;
  redraw();
}

function letGo() {
  marked.followed = null;
  hush();
}

function hoverAt(event) {
  const box = canvas.getBoundingClientRect();
  const found = under(event.clientX - box.left, event.clientY - box.top);
  if (found === null) return hush();
  marked.hover = found.idle ? null : found;
  tell(found, event.clientX, event.clientY);
  redraw();
}

function follow(microbatch) {
  marked.followed = marked.followed === microbatch ? null : microbatch;
  redraw();
}

const pointers = new Map();
let moved = 0;

canvas.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, event);
  moved = 0;
});

canvas.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) return hoverAt(event);
  const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
  if (pointers.size === 2) {
    const [other] = [...pointers.values()].filter((one) => one.pointerId !== event.pointerId);
    const was = Math.max(20, Math.abs(before.clientX - other.clientX));
    const is = Math.max(20, Math.abs(event.clientX - other.clientX));
    const middle = (event.clientX + other.clientX) / 2 - canvas.getBoundingClientRect().left;
    zoom(is / was, middle);
    pan(-dx / 2);
  } else {
    pan(-dx);
    if (event.pointerType === "mouse") chart.scrollTop -= dy;
  }
  moved += Math.abs(dx) + Math.abs(dy);
  if (moved > 4) {
    canvas.classList.add("dragging");
    tip.hidden = true;
  }
  pointers.set(event.pointerId, event);
});

function release(event) {
  if (!pointers.delete(event.pointerId)) return;
  canvas.classList.remove("dragging");
  if (event.type !== "pointerup" || moved > 4) return;
  hoverAt(event);
  if (marked.hover) follow(describe(marked.hover).microbatch);
  else if (marked.followed !== null) follow(marked.followed);
}
canvas.addEventListener("pointerup", release);
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => pointers.size || hush());

canvas.addEventListener(
  "wheel",
  (event) => {
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const across = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      pan(across * unit);
    } else {
      const whole = view.to - view.from >= end;
      // Seen whole, the page scrolls on.
      if (event.deltaY > 0 && whole && !event.ctrlKey) return;
      event.preventDefault();
      const speed = event.ctrlKey ? 0.01 : 0.002;
      zoom(Math.exp(-event.deltaY * unit * speed), event.clientX - canvas.getBoundingClientRect().left);
    }
    hoverAt(event);
  },
  { passive: false },
);

/** Go to an op by key: bring it into view, and say what it is. */
function visit(op) {
  marked.hover = op;
  const { start, end: finish } = describe(op);
  const span = view.to - view.from;
  if (start < view.from) show(start - span / 10, start + (9 * span) / 10);
  else if (finish > view.to) show(finish - (9 * span) / 10, finish + span / 10);
  const top = AXIS + op.row * size.pitch;
  if (top - AXIS < chart.scrollTop) chart.scrollTop = top - AXIS;
  const bottom = top + size.pitch;
  if (bottom > chart.scrollTop + size.height) chart.scrollTop = bottom - size.height;
  const box = canvas.getBoundingClientRect();
  const x = Math.min(Math.max(xOf((start + finish) / 2), size.gutter), size.width);
  tell({ ...op, idle: false }, box.left + x, box.top + yOf(op.row) + bar);
  redraw();
}

/** Zoom at the op that was gone to by key, if one was. */
function zoomByKey(factor) {
  const op = marked.hover;
  if (!op) return zoom(factor);
  const { start, end: finish } = describe(op);
  zoom(factor, Math.min(Math.max(xOf((start + finish) / 2), size.gutter), size.gutter + size.plot));
  visit(op);
}

function step(key) {
  const here = marked.hover;
  if (!here) {
    const row = rows.findIndex((one) => one.count > 0);
    const at = Math.min(firstAfter(rows[row], view.from), rows[row].count - 1);
    return visit({ row, at });
  }
  let { row, at } = here;
  if (key === "ArrowLeft") at = Math.max(0, at - 1);
  if (key === "ArrowRight") at = Math.min(rows[row].count - 1, at + 1);
  if (key === "ArrowUp" || key === "ArrowDown") {
    const moment = rows[row].start[at];
    row = Math.min(rows.length - 1, Math.max(0, row + (key === "ArrowUp" ? -1 : 1)));
    at = Math.min(firstAfter(rows[row], moment), rows[row].count - 1);
  }
  visit({ row, at });
}

chart.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  const far = size.plot / 5;
  if (key === "+" || key === "=") zoomByKey(1.5);
  else if (key === "-" || key === "_") zoomByKey(1 / 1.5);
  else if (key === "0" || key === "Home") reset();
  else if (key === "PageUp" || key === "PageDown") chart.scrollTop += (key === "PageUp" ? -0.8 : 0.8) * size.height;
  else if (key === "Escape") letGo();
  else if (key === "Enter" && marked.hover) follow(describe(marked.hover).microbatch);
  else if (event.shiftKey && key === "ArrowLeft") pan(-far);
  else if (event.shiftKey && key === "ArrowRight") pan(far);
  else if (event.shiftKey && key === "ArrowUp") chart.scrollTop -= size.pitch;
  else if (event.shiftKey && key === "ArrowDown") chart.scrollTop += size.pitch;
  else if (key.startsWith("Arrow")) step(key);
  else return;
  event.preventDefault();
});
chart.addEventListener("blur", hush);
chart.addEventListener("scroll", redraw);

document.getElementById("in").addEventListener("click", () => zoom(1.5));
document.getElementById("out").addEventListener("click", () => zoom(1 / 1.5));
document.getElementById("reset").addEventListener("click", reset);
const memoryButton = document.getElementById("memory");
memoryButton.hidden = data.memory === null;
memoryButton.addEventListener("click", () => {
  view.memory = !view.memory;
  memoryButton.setAttribute("aria-pressed", String(view.memory));
  measure();
  redraw();
});

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  readTheme();
  redraw();
});
new ResizeObserver(() => {
  measure();
  draw();
}).observe(chart);

readTheme();
measure();
draw();
chart.dataset.drawn = "true";
