// Time from left to right: which part of it is shown, its axis, what of a row is in it.
const xOf = (time) => GUTTER + (time - state.from) / (state.to - state.from) * (size.width - GUTTER);
const timeAt = (x) => state.from + (x - GUTTER) / (size.width - GUTTER) * (state.to - state.from);

function look(from, to) {
  const least = span * 1e-6;
  const wide = Math.min(span, Math.max(least, to - from));
  state.from = Math.max(0, Math.min(span - wide, from));
  state.to = state.from + wide;
  redraw();
}
function zoom(factor, around = (state.from + state.to) / 2) {
  const from = around - (around - state.from) * factor;
  look(from, from + (state.to - state.from) * factor);
}
const pan = (part) => {
  const by = part * (state.to - state.from);
  look(state.from + by, state.to + by);
};

// the first bar of a row that can be seen after a time
function firstAfter(row, time) {
  let low = 0, high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row[middle].reach < time) low = middle + 1; else high = middle;
  }
  return low;
}

function tickStep() {
  const raw = (state.to - state.from) * 85 / Math.max(size.width - GUTTER, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((k) => k * power >= raw);
}

function drawAxis(pen, width, step) {
  pen.fillStyle = colors.paper;
  pen.fillRect(0, 0, width, AXIS);
  pen.fillStyle = colors.quiet;
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  pen.fillText(`time [${unit}]`, GUTTER - 9, AXIS / 2);
  pen.textAlign = "center";
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  pen.strokeStyle = colors.quiet;
  pen.beginPath();
  for (let t = Math.ceil(state.from / step - 1e-9) * step; t <= state.to; t += step) {
    const x = xOf(t);
    if (x < GUTTER - 1) continue;
    pen.textAlign = x < GUTTER + 8 ? "left" : x > width - 24 ? "right" : "center";
    pen.fillText(t.toFixed(digits), x, AXIS / 2 - 2);
    pen.moveTo(Math.round(x) + 0.5, AXIS - 5);
    pen.lineTo(Math.round(x) + 0.5, AXIS);
  }
  pen.stroke();
}
