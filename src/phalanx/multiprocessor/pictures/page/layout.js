// The array as it lies in space: a box for each position, a tile for each site in it, and what
// each does in the step that is looked at.
const plane = byId("array");
const placed = sites.position.map((_, site) => site).filter((site) => sites.position[site]);
const sharing = new Map(placed.map((site) => [sites.position[site].join(), []]));
for (const site of placed) sharing.get(sites.position[site].join()).push(site);
const boxes = [...sharing.values()].map((own) => ({
  own, at: sites.position[own[0]],
  name: own.length > 1 ? given.groups[sites.group[own[0]]] : sites.name[own[0]],
}));
const boxOf = new Map(boxes.flatMap((box) => box.own.map((site) => [site, box])));
const arrows = [...new Map(given.links.map(([a, b]) => [boxOf.get(a), boxOf.get(b)])
  .filter(([a, b]) => a && b && a !== b)
  .map((pair) => [pair.map((box) => box.at).join(), pair])).values()];
byId("views").hidden = boxes.length < 2;

const atWork = (site) => {
  const bars = barsOf(site);
  for (let k = firstAfter(bars, begun()); k < bars.length && bars[k].start < ended(); k++) {
    if (isNow(bars[k])) return bars[k];
  }
  return null;
};

let tiles = []; // where they were drawn last: {x, y, wide, high, site, bar}
function drawLayout() {
  const [pen, width, height] = penOf(plane);
  const columns = distinctOf(0), lines = distinctOf(1);
  const wide = width / columns.length, high = height / lines.length;
  const margin = [Math.min(26, wide * 0.14), Math.min(22, high * 0.14)];
  const corner = ({ at }) => [columns.indexOf(at[0]) * wide + margin[0], lines.indexOf(at[1]) * high + margin[1]];
  const box = [wide - 2 * margin[0], high - 2 * margin[1]];
  pen.strokeStyle = colors.quiet;
  pen.globalAlpha = arrows.length > 400 ? 0.12 : 0.4;
  for (const [from, to] of arrows) {
    const [a, b] = [corner(from), corner(to)].map(([x, y]) => [x + box[0] / 2, y + box[1] / 2]);
    arrow(pen, a, b, box);
  }
  pen.globalAlpha = 1;
  tiles = [];
  for (const one of boxes) drawBox(pen, one, ...corner(one), ...box);
}
const distinctOf = (axis) => once(`axis ${axis}`, () =>
  [...new Set(boxes.map((box) => box.at[axis]))].sort((a, b) => a - b));

function arrow(pen, [x1, y1], [x2, y2], [wide, high]) { // from border to border
  const dx = x2 - x1, dy = y2 - y1, long = Math.hypot(dx, dy);
  const inside = Math.min(wide / 2 / Math.abs(dx || 1e-9), high / 2 / Math.abs(dy || 1e-9));
  if (inside >= 0.5) return;
  const from = [x1 + dx * inside, y1 + dy * inside], to = [x2 - dx * inside, y2 - dy * inside];
  const [ux, uy] = [dx / long, dy / long];
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
  pen.fillStyle = colors.quiet;
  pen.beginPath();
  pen.moveTo(...to);
  pen.lineTo(to[0] - 6 * ux + 3 * uy, to[1] - 6 * uy - 3 * ux);
  pen.lineTo(to[0] - 6 * ux - 3 * uy, to[1] - 6 * uy + 3 * ux);
  pen.fill();
}

function drawBox(pen, { own, name }, x, y, wide, high) {
  pen.fillStyle = colors.paper;
  pen.fillRect(x, y, wide, high);
  const head = high > 30 && own.length > 1 ? 15 : 0;
  if (head) {
    pen.fillStyle = colors.ink;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillText(fitting(pen, name, wide), x, y + 7);
  }
  const room = high - head;
  const across = Math.max(1, Math.min(own.length, Math.round(Math.sqrt(own.length * wide / Math.max(1, room) / 1.6))));
  const down = Math.ceil(own.length / across);
  const [w, h] = [wide / across, room / down], gap = Math.min(2, w / 6, h / 6);
  own.forEach((site, k) => {
    const left = x + (k % across) * w, top = y + head + Math.floor(k / across) * h;
    drawTile(pen, site, left, top, w - gap, h - gap);
  });
}

function drawTile(pen, site, x, y, wide, high) {
  const bar = atWork(site);
  tiles.push({ x, y, wide, high, site, bar });
  const color = bar ? colorOf(bar.set) : colors.idle;
  pen.globalAlpha = bar && isDimmed(bar) ? 0.2 : 1;
  pen.fillStyle = color;
  pen.fillRect(x, y, wide, high);
  pen.globalAlpha = 1;
  if (wide > 40 && high > 16) {
    pen.strokeStyle = colors.line;
    pen.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
  }
  const texts = bar ? [works.name[bar.work], partName(site)] : [partName(site)];
  if (high >= 12 && wide > 12) write(pen, texts, x, y, wide, high, bar ? readable(color) : colors.quiet);
  if (bar && (same(bar, state.hover) || same(bar, state.selected))) {
    frame(pen, x - 1, y - 1, wide + 2, high + 2, colors.ink, 2);
  }
}

const tileAt = (event) => {
  const box = plane.getBoundingClientRect();
  const x = event.clientX - box.left, y = event.clientY - box.top;
  const tile = tiles.find((one) => x >= one.x && x <= one.x + one.wide && y >= one.y && y <= one.y + one.high);
  return [tile ? tile.bar : null, x, y];
};
plane.addEventListener("pointermove", (event) => {
  const [bar, x, y] = tileAt(event);
  state.hover = bar;
  showTip(bar, x, y);
  redraw();
});
plane.addEventListener("pointerleave", () => { state.hover = null; showTip(null); redraw(); });
plane.addEventListener("click", (event) => select(tileAt(event)[0]));
