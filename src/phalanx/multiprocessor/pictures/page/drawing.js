// Rows, bars, arrows, axis and overview on their canvases.

function isDimmed(task) {
  if (state.isolated !== null && groupOf(task) !== state.isolated) return true;
  if (state.matches && !state.matches.has(task)) return true;
  return state.related !== null && !state.related.has(task);
}

function drawGantt() {
  const [pen, width, height] = penOf(canvas);
  const thick = rowHeight(), pad = thick > 14 ? 2 : 1;
  const palette = ways[state.way].colors;
  const step = tickStep();
  pen.save();
  pen.beginPath();
  pen.rect(GUTTER, AXIS, width - GUTTER, height - AXIS);
  pen.clip();
  const left = Math.max(GUTTER, xOf(0)), right = Math.min(width, xOf(span));
  const pattern = pen.createPattern(hatch, "repeat");
  for (let r = 0; r < rowCount; r++) {
    const y = yOf(r);
    if (y + thick < AXIS || y > height) continue;
    if (r < plan.processors && right > left) {
      pen.fillStyle = pattern;
      pen.fillRect(left, y + pad, right - left, thick - 2 * pad);
    }
    drawRow(pen, rows[r], y + pad, thick - 2 * pad, palette);
  }
  pen.strokeStyle = colors.line;
  pen.globalAlpha = 0.5;
  pen.beginPath();
  for (let t = Math.ceil(state.from / step) * step; t <= state.to; t += step) {
    const x = Math.round(xOf(t)) + 0.5;
    pen.moveTo(x, AXIS);
    pen.lineTo(x, height);
  }
  pen.stroke();
  pen.globalAlpha = 1;
  if (wires.length) {
    const y = Math.round(yOf(plan.processors)) + 0.5;
    pen.strokeStyle = colors.quiet;
    pen.beginPath();
    pen.moveTo(0, y);
    pen.lineTo(width, y);
    pen.stroke();
  }
  drawPrecedence(pen);
  pen.restore();
  drawGutter(pen, height, thick);
  drawAxis(pen, width, step);
  const part = (height - AXIS) / (rowCount * thick);
  if (part < 1) { // where the rows shown are among all
    pen.fillStyle = colors.quiet;
    pen.globalAlpha = 0.6;
    pen.fillRect(width - 5, AXIS + state.scroll * part, 5, (height - AXIS) * part);
    pen.globalAlpha = 1;
  }
}

// what is still in a pipeline: a low pale bar until the results are there
function drawTails(pen, row, y, thick, palette) {
  for (let k = firstAfter(row, state.from); k < row.length && row[k].start <= state.to; k++) {
    const bar = row[k], x = xOf(bar.free);
    if (bar.free >= bar.end) continue;
    pen.globalAlpha = isDimmed(bar.task) ? 0.1 : 0.45;
    pen.fillStyle = palette[groupOf(bar.task)];
    pen.fillRect(x, y + 0.7 * thick, xOf(bar.end) - x, 0.3 * thick);
  }
  pen.globalAlpha = 1;
}

function drawRow(pen, row, y, thick, palette) {
  if (isPipelined) drawTails(pen, row, y, thick, palette);
  let lastX = -1;
  for (let k = firstAfter(row, state.from); k < row.length && row[k].start <= state.to; k++) {
    const bar = row[k];
    const x = xOf(bar.start), wide = xOf(bar.free) - x;
    if (wide < 1 && Math.floor(x) === lastX && bar !== state.selected) continue;
    lastX = Math.floor(x);
    const dim = isDimmed(bar.task);
    pen.globalAlpha = dim ? 0.25 : bar.message ? 0.8 : 1;
    const color = palette[groupOf(bar.task)];
    pen.fillStyle = color;
    const gap = wide > 4 ? 1 : 0;
    pen.fillRect(x, y, Math.max(wide - gap, 1), thick);
    if (!bar.message && critical.has(bar.task) && !dim) {
      frame(pen, x, y, wide - gap, thick, colors.ink, wide > 12 ? 2 : 1);
    }
    if (!bar.message && wrong.has(bar.task)) {
      pen.setLineDash([4, 3]);
      frame(pen, x, y, wide - gap, thick, colors.wrong, 2);
      pen.setLineDash([]);
    }
    if (bar === state.selected || bar === state.hover) {
      pen.globalAlpha = 1;
      frame(pen, x - 1, y - 1, Math.max(wide, 2) + 1, thick + 2, colors.accent, 3);
    }
    if (thick >= 12 && wide > 16) name(pen, bar, x, y, wide - gap, thick, color);
  }
  pen.globalAlpha = 1;
}

function name(pen, bar, x, y, wide, thick, color) {
  const text = tasks.name[bar.task];
  if (pen.measureText(text).width > wide - 6) return;
  pen.fillStyle = readable(color);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(text, x + wide / 2, y + thick / 2 + 0.5);
}

function drawPrecedence(pen) {
  if (state.selected === null) return;
  const here = state.selected, thick = rowHeight();
  const connect = (from, to, color) => {
    if (!from || !to) return;
    const x1 = xOf(from.end), y1 = yOf(from.row) + thick / 2;
    const x2 = xOf(to.start), y2 = yOf(to.row) + thick / 2;
    const bend = Math.max(12, Math.abs(x2 - x1) / 2);
    pen.strokeStyle = pen.fillStyle = color;
    pen.lineWidth = 1.8;
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x2, y2);
    pen.lineTo(x2 - 7, y2 - 4);
    pen.lineTo(x2 - 7, y2 + 4);
    pen.fill();
  };
  const run = here.message ? barOf.get(here.task) : here;
  for (const task of tasks.before[here.task].slice(0, MOST_LINES)) {
    connect(barOf.get(task), run, colors.before);
  }
  for (const task of after[here.task].slice(0, MOST_LINES)) {
    connect(run, barOf.get(task), colors.after);
  }
  pen.lineWidth = 1;
}

function drawGutter(pen, height, thick) {
  pen.fillStyle = colors.paper;
  pen.fillRect(0, AXIS, GUTTER - 1, height - AXIS);
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  const every = Math.ceil(13 / thick);
  for (let r = 0; r < rowCount; r += every) {
    const y = yOf(r) + thick / 2;
    if (y < AXIS + 4 || y > height) continue;
    pen.fillStyle = r < plan.processors ? colors.ink : colors.quiet;
    pen.fillText(rowName(r), GUTTER - 9, y);
  }
}

// how busy the processors are in each pixel of the overview
let busy = [];
function measureBusy(columns) {
  busy = new Float64Array(columns);
  const perColumn = span / columns;
  for (const bar of bars) {
    const first = Math.max(0, Math.floor(bar.start / perColumn));
    const last = Math.min(columns - 1, Math.floor(bar.free / perColumn));
    for (let k = first; k <= last; k++) {
      const inside = Math.min(bar.free, (k + 1) * perColumn) - Math.max(bar.start, k * perColumn);
      busy[k] += Math.max(0, inside) / perColumn;
    }
  }
}

function drawOverview() {
  const [pen, width, height] = penOf(overview);
  const columns = Math.max(1, Math.floor(width - GUTTER)), tall = height - 8;
  if (busy.length !== columns) measureBusy(columns);
  pen.fillStyle = pen.createPattern(hatch, "repeat");
  pen.fillRect(GUTTER, 4, columns, tall);
  pen.fillStyle = colors.busy;
  for (let k = 0; k < columns; k++) {
    const part = tall * Math.min(1, busy[k] / plan.processors);
    pen.fillRect(GUTTER + k, 4 + tall - part, 1.02, part);
  }
  pen.fillStyle = colors.quiet;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.fillText(`busy, of ${plan.processors}`, GUTTER - 9, 4 + tall / 2);
  const x = GUTTER + state.from / span * columns, wide = (state.to - state.from) / span * columns;
  pen.strokeStyle = colors.ink;
  pen.lineWidth = 1.5;
  pen.strokeRect(x + 0.75, 3.75, Math.max(3, wide - 1.5), tall + 0.5);
  pen.lineWidth = 1;
}
