// Moving about with pointer, wheel, fingers and keyboard; then the page begins.
// ---- moving about ------------------------------------------------------------------------
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

function reveal(bar) {
  const wide = state.to - state.from;
  if (bar.start < state.from || bar.end > state.to) {
    const middle = (bar.start + bar.end) / 2;
    look(middle - wide / 2, middle + wide / 2);
  }
  const y = yOf(bar.row), thick = rowHeight();
  if (y < AXIS) state.scroll -= AXIS - y;
  if (y + thick > size.height) state.scroll += y + thick - size.height;
}

function barAt(x, y) {
  if (x < GUTTER || y < AXIS) return null;
  const row = rows[Math.floor((y - AXIS + state.scroll) / rowHeight())];
  if (!row) return null;
  const time = timeAt(x), pixel = (state.to - state.from) / (size.width - GUTTER);
  let near = null;
  for (let k = firstAfter(row, time - pixel); k < row.length && row[k].start <= time + pixel; k++) {
    const inside = row[k].start <= time && time <= row[k].end;
    if (inside || (near === null && row[k].end >= time - pixel)) near = row[k];
  }
  return near;
}

// ---- pointer -----------------------------------------------------------------------------
const fingers = new Map();
let moved = 0;
const place = (event) => {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, place(event));
  moved = 0;
});
canvas.addEventListener("pointermove", (event) => {
  const [x, y] = place(event), before = fingers.get(event.pointerId);
  if (before && fingers.size === 1) {
    const perPixel = (state.to - state.from) / (size.width - GUTTER);
    const by = (before[0] - x) * perPixel;
    moved += Math.abs(before[0] - x) + Math.abs(before[1] - y);
    if (moved > 3) {
      canvas.classList.add("moving");
      state.scroll += before[1] - y;
      look(state.from + by, state.to + by);
    }
  } else if (before && fingers.size === 2) {
    const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    const apart = Math.abs(before[0] - other[0]), now = Math.abs(x - other[0]);
    moved += 4;
    if (now > 4 && apart > 4) zoom(apart / now, timeAt((x + other[0]) / 2));
  }
  if (before) fingers.set(event.pointerId, [x, y]);
  state.hover = fingers.size && moved > 3 ? null : barAt(x, y);
  canvas.classList.toggle("on-task", state.hover !== null);
  showTip(state.hover, x, y);
  redraw();
});
const release = (event) => {
  fingers.delete(event.pointerId);
  canvas.classList.remove("moving");
};
canvas.addEventListener("pointerup", (event) => {
  const [x, y] = place(event);
  if (moved <= 3) {
    showTip(null);
    select(barAt(x, y));
  }
  release(event);
});
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => { state.hover = null; showTip(null); redraw(); });
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(sideways / 800);
  else zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY)) / 400), timeAt(place(event)[0]));
}, { passive: false });
overview.addEventListener("pointerdown", (event) => {
  overview.setPointerCapture(event.pointerId);
  centre(event);
});
overview.addEventListener("pointermove", (event) => { if (event.buttons) centre(event); });
function centre(event) {
  const x = event.clientX - overview.getBoundingClientRect().left - GUTTER;
  const middle = x / Math.max(1, overview.clientWidth - GUTTER) * span;
  const half = (state.to - state.from) / 2;
  look(middle - half, middle + half);
}

// ---- keyboard ----------------------------------------------------------------------------
function step(rowsDown, along) {
  const from = state.selected || rows.find((row) => row.length)?.[0];
  if (!from) return;
  if (state.selected === null) { reveal(from); select(from); return; }
  let next = null;
  if (along) {
    next = rows[from.row][rows[from.row].indexOf(from) + along];
  } else {
    for (let r = from.row + rowsDown; r >= 0 && r < rowCount && !next; r += rowsDown) {
      next = rows[r][Math.min(firstAfter(rows[r], from.start + 1e-9 * span), rows[r].length - 1)];
    }
  }
  if (next) { reveal(next); select(next); }
}
const keys = {
  ArrowLeft: (shift) => shift ? pan(-0.2) : step(0, -1),
  ArrowRight: (shift) => shift ? pan(0.2) : step(0, 1),
  ArrowUp: (shift) => { if (shift) { state.scroll -= 40; redraw(); } else step(-1, 0); },
  ArrowDown: (shift) => { if (shift) { state.scroll += 40; redraw(); } else step(1, 0); },
  "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
  0: () => look(0, span), Home: () => look(0, span),
  c: () => {
    const all = [...byId("ways").children].map((button) => button.dataset.way);
    paint(all[(all.indexOf(state.way) + 1) % all.length]);
  },
  Escape: () => select(null),
};
canvas.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
  event.preventDefault();
  keys[event.key](event.shiftKey);
});

// ---- begin -------------------------------------------------------------------------------
const dark = window.matchMedia("(prefers-color-scheme: dark)");
makeWays();
setTheme(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
paint(state.way);
new ResizeObserver(redraw).observe(canvas);
drawAll();

// for programs that look at the page: where a task is drawn, what is shown
window.gantt = {
  placeOf(taskName) {
    const bar = barOf.get(tasks.name.indexOf(taskName));
    const box = canvas.getBoundingClientRect();
    return [box.left + (xOf(bar.start) + xOf(bar.end)) / 2, box.top + yOf(bar.row) + rowHeight() / 2];
  },
  get shown() {
    return {
      from: state.from, to: state.to, way: state.way,
      selected: state.selected && tasks.name[state.selected.task],
    };
  },
};
