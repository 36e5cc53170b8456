// The rows: the ops of a rank, and the memory that it holds.

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
