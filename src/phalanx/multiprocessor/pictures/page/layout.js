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
const fullest = Math.max(1, ...boxes.map((box) => box.own.length));
byId("views").hidden = boxes.length < 2;

const atWork = (site) => {
  const bars = barsOf(site);
  for (let k = firstAfter(bars, begun()); k < bars.length && bars[k].start < ended(); k++) {
    if (isNow(bars[k])) return bars[k];
  }
  return null;
};

// which part of the plane is seen: how much larger than all of it, and from where [pixels]
const seen = { scale: 1, x: 0, y: 0 };
function seePlane(scale, x, y) {
  seen.scale = Math.max(1, Math.min(200, scale));
  seen.x = Math.max(0, Math.min(size.width * (seen.scale - 1), x));
  seen.y = Math.max(0, Math.min(size.height * (seen.scale - 1), y));
  redraw();
}
function zoomPlane(factor, x = size.width / 2, y = size.height / 2) {
  const scale = Math.max(1, Math.min(200, seen.scale * factor)), by = scale / seen.scale;
  seePlane(scale, (seen.x + x) * by - x, (seen.y + y) * by - y);
}

let tiles = []; // where they were drawn last: {x, y, wide, high, site, bar}
function drawLayout() {
  const [pen, width, height] = penOf(plane);
  const columns = distinctOf(0), lines = distinctOf(1);
  const wide = width * seen.scale / columns.length, high = height * seen.scale / lines.length;
  const margin = [Math.min(26, wide * 0.14), Math.min(22, high * 0.14)];
  const corner = ({ at }) => [columns.indexOf(at[0]) * wide + margin[0] - seen.x,
    lines.indexOf(at[1]) * high + margin[1] - seen.y];
  const box = [wide - 2 * margin[0], high - 2 * margin[1]];
  pen.strokeStyle = colors.quiet;
  pen.globalAlpha = arrows.length > 400 ? 0.12 : 0.4;
  for (const [from, to] of arrows) {
    const [a, b] = [corner(from), corner(to)].map(([x, y]) => [x + box[0] / 2, y + box[1] / 2]);
    arrow(pen, a, b, box);
  }
  pen.globalAlpha = 1;
  tiles = [];
  for (const one of boxes) {
    const [x, y] = corner(one);
    if (x + box[0] > 0 && x < width && y + box[1] > 0 && y < height) drawBox(pen, one, x, y, ...box);
  }
  for (const site of roads) {
    const bar = atWork(site), [from, to] = sites.ends[site].map((end) => boxOf.get(end));
    if (!bar || !from || !to) continue;
    const middles = [from, to].map(corner).map(([x, y]) => [x + box[0] / 2, y + box[1] / 2]);
    drawMessage(pen, site, bar, ...middles, box, laneOf.get(site));
  }
}
const roads = sites.ends.map((_, site) => site).filter((site) => sites.ends[site]);
const laneOf = new Map(roads.map((site, k) => // two boxes may have several roads between them
  [site, roads.slice(0, k).filter((other) => sites.ends[other].join() === sites.ends[site].join()).length]));

// a message on its road: right of the line between two boxes, so that two directions have room;
// on a road past other boxes in a bow
function drawMessage(pen, site, bar, [x1, y1], [x2, y2], [wide, high], lane) {
  const dx = x2 - x1, dy = y2 - y1, long = Math.hypot(dx, dy);
  const side = [-dy / long, dx / long];
  const inside = Math.min(wide / 2 / Math.abs(dx || 1e-9), high / 2 / Math.abs(dy || 1e-9));
  const far = inside < 0.3, off = far ? 0 : 6 + 30 * lane, bow = far ? long / 6 : 0;
  const at = (part) => [x1 + dx * part + side[0] * off, y1 + dy * part + side[1] * off];
  const [from, to] = [at(Math.min(inside, 0.45)), at(Math.max(1 - inside, 0.55))];
  const middle = at(0.5).map((one, axis) => one - side[axis] * bow);
  const color = colorOf(bar.set);
  pen.globalAlpha = isDimmed(bar) ? 0.2 : 1;
  pen.strokeStyle = pen.fillStyle = color;
  pen.lineWidth = 3;
  pen.beginPath();
  pen.moveTo(...from);
  pen.quadraticCurveTo(...middle.map((one, axis) => 2 * one - (from[axis] + to[axis]) / 2), ...to);
  pen.stroke();
  pen.lineWidth = 1;
  pen.beginPath();
  pen.arc(...to, 4, 0, 2 * Math.PI);
  pen.fill();
  const texts = [works.name[bar.work]], room = far || Math.abs(dy) > Math.abs(dx) ? 90 : Math.max(40, Math.abs(dx) - wide);
  const w = Math.min(room, pen.measureText(texts[0]).width + 8), h = 14;
  const beside = far ? 0 : (Math.abs(side[0]) * w + Math.abs(side[1]) * h) / 2;
  const [x, y] = middle.map((one, axis) => one + side[axis] * beside);
  const tile = { x: x - w / 2, y: y - h / 2, wide: w, high: h, site, bar };
  tiles.unshift(tile); // above the boxes
  pen.fillRect(tile.x, tile.y, w, h);
  pen.fillStyle = readable(color);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(fitting(pen, texts[0], w - 2), x, y);
  pen.globalAlpha = 1;
  if (same(bar, state.hover) || same(bar, state.selected)) frame(pen, tile.x, tile.y, w, h, colors.ink, 2);
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
  const head = high > 30 && wide > 34 && own.length > 1 ? 15 : 0;
  if (head) {
    pen.fillStyle = colors.ink;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillText(fitting(pen, name, wide), x, y + 7);
  }
  const foot = head && stores.name.length ? 7 : 0, room = high - head - foot;
  const across = Math.max(1, Math.min(fullest, Math.round(Math.sqrt(fullest * wide / Math.max(1, room) / 1.6))));
  const [w, h] = [wide / across, room / Math.ceil(fullest / across)], gap = Math.min(2, w / 6, h / 6);
  if (foot) drawLevel(pen, own, x, y + head + Math.ceil(own.length / across) * h, wide - gap);
  own.forEach((site, k) => {
    const left = x + (k % across) * w, top = y + head + Math.floor(k / across) * h;
    drawTile(pen, site, left, top, w - gap, h - gap);
  });
}

function drawLevel(pen, own, x, y, wide) { // how much waits in the buffers of a box now
  const some = own.flatMap((site) => storesAt[site]);
  if (!some.length) return;
  const { fill, most } = fillOf(`box ${own[0]}`, some);
  pen.fillStyle = colors.hatch;
  pen.fillRect(x, y + 1, wide, 4);
  pen.fillStyle = colors.quiet;
  pen.fillRect(x, y + 1, wide * amountAt(fill, begun()) / most, 4);
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
  const alone = boxOf.get(site).own.length === 1 && high > 34;
  if (alone) write(pen, [partName(site)], x, y + 2, wide, 14, bar ? readable(color) : colors.quiet);
  const texts = bar ? textsOf(bar) : alone ? [] : [partName(site)];
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
let dragged = 0;
plane.addEventListener("pointerdown", (event) => { dragged = 0; plane.setPointerCapture(event.pointerId); });
plane.addEventListener("wheel", (event) => {
  event.preventDefault();
  const [, x, y] = tileAt(event);
  zoomPlane(Math.exp(-Math.max(-120, Math.min(120, event.deltaY)) / 400), x, y);
}, { passive: false });
plane.addEventListener("pointermove", (event) => {
  const [bar, x, y] = tileAt(event);
  if (event.buttons) {
    dragged += Math.abs(event.movementX) + Math.abs(event.movementY);
    if (dragged > 3) seePlane(seen.scale, seen.x - event.movementX, seen.y - event.movementY);
  }
  state.hover = bar;
  showTip(bar, x, y);
  redraw();
});
plane.addEventListener("pointerleave", () => { state.hover = null; showTip(null); redraw(); });
plane.addEventListener("click", (event) => {
  if (dragged > 3) return;
  showTip(null);
  select(tileAt(event)[0]);
});
