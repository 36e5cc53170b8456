// Cost and lower bound over time, as steps.
const NS = "http://www.w3.org/2000/svg";
const LEFT = 8, RIGHT = 520, TOP = 14, BOTTOM = 150;

function element(name, attributes, text = "") {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function steps(points, value, x, y) {
  const corners = [];
  points.forEach((point, index) => {
    if (index > 0) corners.push(`${x(point.at)},${y(points[index - 1][value])}`);
    corners.push(`${x(point.at)},${y(point[value])}`);
  });
  return corners.join(" ");
}

export function drawCurve(svg, points) {
  svg.replaceChildren(element("line", { class: "axis", x1: LEFT, y1: BOTTOM, x2: RIGHT, y2: BOTTOM }));
  if (points.length === 0) return;
  const values = points.flatMap((point) => [point.cost, point.bound]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const last = points.at(-1);
  const end = Math.max(last.at, 0.001);
  const x = (at) => LEFT + ((RIGHT - LEFT) * at) / end;
  const y = (value) => (high === low ? (TOP + BOTTOM) / 2 : BOTTOM - ((BOTTOM - TOP) * (value - low)) / (high - low));
  for (const [kind, key] of [["bound", "bound"], ["cost", "cost"]]) {
    svg.append(element("polyline", { class: kind, points: steps(points, key, x, y) }));
  }
  // Two labels that would lie on each other are moved apart.
  const apart = Math.abs(y(last.cost) - y(last.bound)) < 14 ? 7 : 0;
  const short = (value) => Number(value).toLocaleString("en", { maximumSignificantDigits: 7 });
  svg.append(
    element("text", { class: "cost-label", x: RIGHT + 6, y: y(last.cost) + 4 - apart }, `cost ${short(last.cost)}`),
    element("text", { class: "bound-label", x: RIGHT + 6, y: y(last.bound) + 4 + apart }, `bound ${short(last.bound)}`),
    element("text", { x: RIGHT, y: BOTTOM + 16, "text-anchor": "end" }, `${end.toFixed(1)} s`),
  );
}
