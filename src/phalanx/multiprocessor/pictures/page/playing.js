// Step by step through time, folding, and the keyboard; then the page begins.
const slider = byId("moment"), lastStep = moments.length - 2;
slider.max = String(lastStep);

function stepAt(time) { // the step in which a moment lies
  let low = 0, high = lastStep;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (moments[middle] <= time + span * 1e-9) low = middle; else high = middle - 1;
  }
  return low;
}

function setMoment(k) {
  state.moment = Math.max(0, Math.min(lastStep, k));
  slider.value = String(state.moment);
  byId("now").textContent = `${shown(begun())} to ${timeText(ended())}`;
  const wide = state.to - state.from;
  if (begun() < state.from || ended() > state.to) { // keep it in sight
    const from = begun() - wide * 0.2;
    look(from, from + wide);
  }
  redraw();
}

let timer = null;
function setPlaying(on) {
  clearInterval(timer);
  timer = null;
  byId("play").textContent = on ? "Pause" : "Play";
  byId("play").setAttribute("aria-pressed", String(on));
  if (!on) return;
  if (state.moment === lastStep) setMoment(0);
  timer = setInterval(() => {
    setMoment(state.moment + 1);
    if (state.moment === lastStep) setPlaying(false);
  }, 1000 / Number(byId("speed").value));
}
const moveBy = (steps) => { setPlaying(false); setMoment(state.moment + steps); };
byId("first").addEventListener("click", () => moveBy(-state.moment));
byId("back").addEventListener("click", () => moveBy(-1));
byId("forth").addEventListener("click", () => moveBy(1));
byId("play").addEventListener("click", () => setPlaying(timer === null));
byId("speed").addEventListener("change", () => { if (timer !== null) setPlaying(true); });
slider.addEventListener("input", () => { setPlaying(false); setMoment(Number(slider.value)); });

// ---- folding and views -------------------------------------------------------------------
const nodes = given.groups.map((_, group) => group).filter(isNode);
byId("folding").hidden = nodes.length === 0;
function setOpen(groups) {
  state.open = new Set(groups);
  state.hover = null;
  layRows();
  redraw();
}
byId("fold").addEventListener("click", () => setOpen([]));
byId("unfold").addEventListener("click", () => setOpen(nodes));
canvas.addEventListener("click", (event) => {
  const [x, y] = place(event);
  if (moved > 3) return;
  const row = rows[Math.floor((y - AXIS + state.scroll) / rowHeight())];
  if (y < AXIS && x >= GUTTER) setMoment(stepAt(timeAt(x)));
  else if (x < GUTTER && row && isNode(row.group)) {
    setOpen(state.open.has(row.group) ? [...state.open].filter((one) => one !== row.group)
      : [...state.open, row.group]);
  }
});

function zoomBy(factor) {
  if (state.view === "time") zoom(factor); else zoomPlane(1 / factor);
}
function showAll() {
  if (state.view === "time") look(0, span); else seePlane(1, 0, 0);
}

function setView(view) {
  state.view = view;
  state.hover = null;
  showTip(null);
  canvas.hidden = view !== "time";
  plane.hidden = view === "time";
  for (const button of byId("views").children) {
    button.setAttribute("aria-pressed", String(button.dataset.view === view));
  }
  redraw();
}
for (const button of byId("views").children) {
  button.addEventListener("click", () => setView(button.dataset.view));
}

// ---- keyboard ----------------------------------------------------------------------------
const scrollBy = (rowsDown) => { state.scroll += rowsDown * rowHeight(); redraw(); };
const keys = {
  ...zoomKeys,
  ArrowLeft: (shift) => shift ? pan(-0.2) : moveBy(-1),
  ArrowRight: (shift) => shift ? pan(0.2) : moveBy(1),
  ArrowUp: () => scrollBy(-2), ArrowDown: () => scrollBy(2),
  PageUp: () => scrollBy(-20), PageDown: () => scrollBy(20),
  Home: () => moveBy(-state.moment), End: () => moveBy(lastStep),
  " ": () => setPlaying(timer === null),
  f: () => setOpen([]), u: () => setOpen(nodes),
  v: () => {
    if (byId("views").hidden) return;
    setView(state.view === "time" ? "array" : "time");
    (state.view === "time" ? canvas : plane).focus();
  },
  Escape: () => select(null),
};
onKeys(canvas, keys);
onKeys(plane, keys);

// ---- begin -------------------------------------------------------------------------------
if (sites.name.length <= 24) setOpen(nodes);
makeLegend();
followTheme();
setMoment(0);
for (const target of [canvas, plane]) new ResizeObserver(redraw).observe(target);
drawAll();

// for programs that look at the page: where work is drawn, what is shown
window.spaceTime = {
  placeOf(siteName, set) {
    const site = sites.name.indexOf(siteName), bar = barsOf(site).find((one) => one.set === set);
    if (state.view !== "time") {
      const tile = tiles.find((one) => one.site === site), box = plane.getBoundingClientRect();
      return [box.left + tile.x + tile.wide / 2, box.top + tile.y + tile.high / 2];
    }
    const r = rows.findIndex((row) => row.site === site || (row.site === null
      && row.group === sites.group[site] && !state.open.has(row.group)));
    const box = canvas.getBoundingClientRect();
    return [box.left + (xOf(bar.start) + xOf(bar.end)) / 2, box.top + yOf(r) + rowHeight() / 2];
  },
  placeOfName(groupName) {
    const r = rows.findIndex((row) => given.groups[row.group] === groupName);
    const box = canvas.getBoundingClientRect();
    return [box.left + 40, box.top + yOf(r) + rowHeight() / 2];
  },
  get shown() {
    return {
      from: state.from, to: state.to, step: state.moment, steps: moments.length - 1,
      begin: begun(), end: ended(), rows: rows.length, view: state.view, playing: timer !== null,
      kept: kept.size,
      selected: state.selected && !state.selected.bars
        ? [works.name[state.selected.work], state.selected.set] : null,
    };
  },
};
