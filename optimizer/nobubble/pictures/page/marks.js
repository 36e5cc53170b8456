// The marks: the op in hand, the followed microbatch, and links from op to op.

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
