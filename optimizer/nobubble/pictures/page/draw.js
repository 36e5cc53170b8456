// Drawing of all that is in view.

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
  if (size.plot <= 0) return; // Hidden, or in a frame that has no width yet.
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
