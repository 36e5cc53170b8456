// The view: which part of the schedule is in sight, where things are, and their colours.

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
      known.set(key, { css: `rgb(${rgb})`, ink: luminance(rgb) < 0.179 ? "#fff" : "#000" });
    }
    return known.get(key);
  };
}

/** Give the relative luminance of WCAG 2, from 0 (black) to 1 (white). */
function luminance(rgb) {
  const [red, green, blue] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
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
