// Cells over time on the canvas: only rows and times that can be seen.
function drawGrid() {
  const [pen, width, height] = penOf(canvas);
  const thick = rowHeight(), pad = thick > 16 ? 2 : 1, step = tickStep();
  pen.save();
  pen.beginPath();
  pen.rect(GUTTER, AXIS, width - GUTTER, height - AXIS);
  pen.clip();
  const left = Math.max(GUTTER, xOf(0)), right = Math.min(width, xOf(span));
  const first = Math.max(0, Math.floor(state.scroll / thick));
  const last = Math.min(rows.length, Math.ceil((state.scroll + height - AXIS) / thick));
  pen.fillStyle = colors.idle;
  for (let r = first; r < last; r++) pen.fillRect(left, yOf(r) + pad, right - left, thick - 2 * pad);
  drawLines(pen, height, step);
  for (let r = first; r < last; r++) {
    const row = rows[r], y = yOf(r) + pad, high = thick - 2 * pad;
    const strip = storesOf(row).length && high >= 14 ? Math.min(7, Math.round(high / 4)) : 0;
    if (row.site === null) drawNode(pen, row, y, high - strip);
    else drawCell(pen, row, y, high - strip);
    if (strip) drawFill(pen, row, y + high - strip, strip);
  }
  pen.restore();
  drawNames(pen, height, thick, first, last);
  drawAxis(pen, width, step);
  drawNow(pen, height);
  const part = (height - AXIS) / (rows.length * thick);
  if (part < 1) { // where the rows shown are among all
    pen.fillStyle = colors.quiet;
    pen.globalAlpha = 0.6;
    pen.fillRect(width - 5, AXIS + state.scroll * part, 5, Math.max(6, (height - AXIS) * part));
    pen.globalAlpha = 1;
  }
}

// what is still in a pipeline: a low pale bar until the results are there
function drawTails(pen, bars, y, high) {
  for (let k = firstAfter(bars, state.from); k < bars.length && bars[k].start <= state.to; k++) {
    const bar = bars[k], x = xOf(bar.free);
    if (bar.free >= bar.end) continue;
    pen.globalAlpha = isDimmed(bar) ? 0.1 : 0.45;
    pen.fillStyle = colorOf(bar.set);
    pen.fillRect(x, y + 0.7 * high, xOf(bar.end) - x, 0.3 * high);
  }
  pen.globalAlpha = 1;
}

function drawCell(pen, row, y, high) {
  const bars = barsOf(row.site);
  if (isPipelined) drawTails(pen, bars, y, high);
  let lastX = -1;
  for (let k = firstAfter(bars, state.from); k < bars.length && bars[k].start <= state.to; k++) {
    const bar = bars[k], x = xOf(bar.start), wide = xOf(bar.free) - x;
    if (wide < 1 && Math.floor(x) === lastX && bar !== state.selected) continue;
    lastX = Math.floor(x);
    const gap = wide > 4 ? 1 : 0;
    pen.globalAlpha = isDimmed(bar) ? 0.2 : 1;
    pen.fillStyle = colorOf(bar.set);
    pen.fillRect(x, y, Math.max(wide - gap, 1), high);
    if (high >= 11 && wide > 12) {
      write(pen, textsOf(bar), x, y, wide - gap, high, readable(colorOf(bar.set)));
    }
    pen.globalAlpha = 1;
    if (same(bar, state.selected) || same(bar, state.hover)) {
      frame(pen, x - 1, y - 1, Math.max(wide, 2) + 1, high + 2, colors.ink, 2);
    }
  }
}

// what stands in a bar: what is done, or, where a cell always does the same, what comes out
function textsOf(bar) {
  if (works.name[bar.work] !== sites.name[bar.site]) return [works.name[bar.work], partName(bar.site)];
  const row = numbersOf(bar.set), [result] = works.writes[bar.work];
  if (row === null || !result) return [works.name[bar.work]];
  const number = row[Array.isArray(result[1]) ? result[1][0] : result[1]];
  return Number.isNaN(number) ? ["–"] : [5, 3, 2].map((places) => String(Number(number.toPrecision(places))));
}

// how much of a node works, a layer for each set
function drawNode(pen, row, y, high) {
  const stretches = stretchesOf(row.group), all = members[row.group].length;
  const most = once(`most ${row.group}`,
    () => stretches.reduce((found, one) => Math.max(found, one.bars.length), 1));
  let lastX = -1;
  for (let k = firstAfter(stretches, state.from); k < stretches.length && stretches[k].start <= state.to; k++) {
    const one = stretches[k], x = xOf(one.start), wide = xOf(one.end) - x;
    if (wide < 1 && Math.floor(x) === lastX) continue;
    lastX = Math.floor(x);
    const gap = wide > 4 ? 1 : 0;
    let low = y + high, from = 0;
    while (from < one.bars.length) { // bars are in order of sets
      const set = one.bars[from].set;
      let to = from;
      while (to < one.bars.length && one.bars[to].set === set) to++;
      const part = one.bars.slice(from, to), tall = high * part.length / most;
      low -= tall;
      pen.globalAlpha = part.every(isDimmed) ? 0.2 : 1;
      pen.fillStyle = colorOf(set);
      pen.fillRect(x, low, Math.max(wide - gap, 1), tall);
      if (tall >= 11 && wide > 12) {
        const names = part.map((bar) => works.name[bar.work]);
        const brief = part.map((bar) => partName(bar.site));
        write(pen, [names.join(" "), brief.join(" "), `${part.length} of ${all}`, `${part.length}`],
          x, low, wide - gap, tall, readable(colorOf(set)));
      }
      from = to;
    }
    pen.globalAlpha = 1;
    if (same(one, state.hover)) frame(pen, x - 1, y - 1, Math.max(wide, 2) + 1, high + 2, colors.ink, 2);
  }
}
const same = (a, b) => Boolean(a && b) && a.start === b.start && (a.bars
  ? a.group === b.group && Boolean(b.bars) : a.site === b.site && a.set === b.set && a.work === b.work);

function write(pen, texts, x, y, wide, high, color) { // the longest that has room
  const text = texts.find((one) => pen.measureText(one).width <= wide - 4);
  if (!text) return;
  pen.fillStyle = color;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(text, x + wide / 2, y + high / 2 + 0.5);
}

// how full the buffers of a row are, as a dark line that rises and falls at its foot
function drawFill(pen, row, y, high) {
  const { fill, most } = rowFill(row);
  pen.fillStyle = colors.hatch;
  pen.fillRect(xOf(0), y, xOf(span) - xOf(0), high);
  pen.fillStyle = colors.quiet;
  steps(fill, (from, to, amount) => {
    const tall = (high - 1) * amount / most, x = xOf(from);
    pen.fillRect(x, y + high - tall, xOf(to) - x, tall);
  });
}

function steps(fill, draw) { // what of a fill can be seen
  let low = 0, high = fill.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fill[middle][0] < state.from) low = middle + 1; else high = middle;
  }
  for (let k = Math.max(0, low - 1); k < fill.length && fill[k][0] <= state.to; k++) {
    const to = k + 1 < fill.length ? fill[k + 1][0] : span;
    if (fill[k][1]) draw(fill[k][0], Math.min(to, span), fill[k][1]);
  }
}

function drawLines(pen, height, step) {
  const pixel = (size.width - GUTTER) / (state.to - state.from);
  const every = pixel >= 14 && Number.isInteger(moments[0] + moments[1]) ? 1 : step;
  pen.strokeStyle = colors.line;
  pen.globalAlpha = 0.55;
  pen.beginPath();
  for (let t = Math.ceil(state.from / every) * every; t <= state.to; t += every) {
    const x = Math.round(xOf(t)) + 0.5;
    pen.moveTo(x, AXIS);
    pen.lineTo(x, height);
  }
  pen.stroke();
  pen.globalAlpha = 1;
}

function drawNow(pen, height) { // the step that is looked at
  const left = Math.max(GUTTER, xOf(begun())), right = xOf(ended());
  if (right < GUTTER || left > size.width) return;
  pen.fillStyle = colors.accent;
  pen.globalAlpha = 0.13;
  pen.fillRect(left, AXIS, right - left, height - AXIS);
  pen.globalAlpha = 1;
  pen.fillRect(left, AXIS - 5, Math.max(2, right - left), 5);
  pen.fillRect(left - 1, AXIS, 2, height - AXIS);
}

function drawNames(pen, height, thick, first, last) {
  pen.fillStyle = colors.paper;
  pen.fillRect(0, AXIS, GUTTER - 1, height - AXIS);
  pen.textBaseline = "middle";
  const every = Math.ceil(13 / thick);
  for (let r = first; r < last; r++) {
    const row = rows[r], y = yOf(r) + thick / 2;
    if (y < AXIS + 5 || (r % every && !row.inside)) continue;
    pen.textAlign = "left";
    pen.fillStyle = row.inside ? colors.quiet : colors.ink;
    const name = row.inside ? partName(row.site) : given.groups[row.group];
    pen.fillText(fitting(pen, name, GUTTER - (row.inside ? 38 : 26)), row.inside ? 30 : 18, y);
    if (row.site === null && thick >= 10) triangle(pen, 6, y, state.open.has(row.group));
  }
}

function triangle(pen, x, y, open) {
  pen.fillStyle = colors.quiet;
  pen.beginPath();
  if (open) { pen.moveTo(x - 1, y - 3); pen.lineTo(x + 7, y - 3); pen.lineTo(x + 3, y + 3); }
  else { pen.moveTo(x, y - 4); pen.lineTo(x + 6, y); pen.lineTo(x, y + 4); }
  pen.fill();
}

function fitting(pen, text, wide) {
  if (pen.measureText(text).width <= wide) return text;
  let short = text;
  while (short.length > 1 && pen.measureText(`${short}…`).width > wide) short = short.slice(0, -1);
  return `${short}…`;
}
