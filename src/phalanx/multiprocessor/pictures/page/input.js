// From task to task and about the overview, by keyboard too; then the page begins.
function zoomBy(factor) { zoom(factor); }
function showAll() { look(0, span); }

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
  ...zoomKeys,
  c: () => {
    const all = [...byId("ways").children].map((button) => button.dataset.way);
    paint(all[(all.indexOf(state.way) + 1) % all.length]);
  },
  Escape: () => select(null),
};
onKeys(canvas, keys);

// ---- begin -------------------------------------------------------------------------------
makeWays();
followTheme();
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
