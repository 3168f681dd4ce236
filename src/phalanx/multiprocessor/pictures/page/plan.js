// The plan, sorted by row, and what the page shows of it now.
const plan = JSON.parse(document.getElementById("plan").textContent);
const byId = (id) => document.getElementById(id);
const canvas = byId("gantt"), overview = byId("overview"), tip = byId("tip");
const FONT = '12px system-ui, "Segoe UI", Roboto, sans-serif';
const AXIS = 26, TALLEST_ROW = 56, LOWEST_ROW = 9, MOST_LINES = 300, MOST_NAMES = 60;
const CRITICAL = { groups: ["on the critical path", "not on it"], colors: ["#d55e00", "#9fb0c0"] };

const { tasks, wires, unit } = plan;
const critical = new Set(plan.critical);
const after = tasks.name.map(() => []);
tasks.before.forEach((list, task) => list.forEach((other) => after[other].push(task)));
const wireRow = new Map(wires.map((wire, k) => [wire, plan.processors + k]));
const bars = plan.bars.map(([task, row, start, end]) => ({ task, row, start, end }));
const hops = plan.hops.map(([task, source, destination, words, wire, start, end]) =>
  ({ task, row: wireRow.get(wire), start, end, message: { source, destination, words, wire } }));
const rowCount = plan.processors + wires.length;
const rows = Array.from({ length: rowCount }, () => []);
for (const bar of [...bars, ...hops]) rows[bar.row].push(bar);
for (const row of rows) {
  row.sort((a, b) => a.start - b.start || a.end - b.end);
  // bars of a wrong plan may overlap: how far those up to here reach can be searched in any case
  row.forEach((bar, k) => { bar.reach = Math.max(bar.end, k ? row[k - 1].reach : bar.end); });
}
const barOf = new Map(); // the first run of each task
for (const bar of bars) if (!barOf.has(bar.task)) barOf.set(bar.task, bar);
const wrong = new Set(plan.wrong);
const span = plan.makespan || 1;
const rowName = (row) => row < plan.processors
  ? (plan.row_names ? plan.row_names[row] : `${plan.row_kind} ${row}`) : `wire ${wires[row - plan.processors]}`;

// the names of rows and of the axis stand left of the chart
const ruler = canvas.getContext("2d");
ruler.font = FONT;
const GUTTER = 18 + Math.ceil(Math.max(
  ...[`time [${unit}]`, `busy, of ${plan.processors}`, rowName(0), rowName(plan.processors - 1)]
    .map((text) => ruler.measureText(text).width)));

// ---- what the page shows now -------------------------------------------------------------
const state = {
  from: 0, to: span, scroll: 0, way: plan.color_by, hover: null, selected: null,
  related: null, isolated: null, matches: null,
};
const ways = { link: plan.links, kind: plan.kinds, critical: CRITICAL };
const groupOf = (task) => state.way === "critical"
  ? (critical.has(task) ? 0 : 1) : tasks[state.way][task];

let colors = {}, hatch = null, size = { width: 0, height: 0 }, waiting = false;
const shown = (time) => Number(time.toPrecision(6)).toString();
const timeText = (time) => `${shown(time)} ${unit}`;
const rowHeight = () => Math.max(
  LOWEST_ROW, Math.min(TALLEST_ROW, (size.height - AXIS - 4) / Math.max(rowCount, 1)));
const xOf = (time) => GUTTER + (time - state.from) / (state.to - state.from) * (size.width - GUTTER);
const timeAt = (x) => state.from + (x - GUTTER) / (size.width - GUTTER) * (state.to - state.from);
const yOf = (row) => AXIS + row * rowHeight() - state.scroll;

function readColors() {
  const style = getComputedStyle(document.documentElement);
  const names = ["paper", "ink", "quiet", "line", "idle", "hatch", "before", "after", "wrong",
    "accent", "busy"];
  colors = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`)]));
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.fillStyle = colors.idle;
  pen.fillRect(0, 0, 8, 8);
  pen.strokeStyle = colors.hatch;
  pen.beginPath();
  for (const k of [-8, 0, 8]) { pen.moveTo(k - 1, 9); pen.lineTo(k + 9, -1); }
  pen.stroke();
  hatch = tile;
}

function penOf(target) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = target;
  if (target.width !== Math.round(width * ratio) || target.height !== Math.round(height * ratio)) {
    target.width = Math.round(width * ratio);
    target.height = Math.round(height * ratio);
  }
  const pen = target.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = FONT;
  return [pen, width, height];
}

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; drawAll(); });
}

function drawAll() {
  size = { width: canvas.clientWidth, height: canvas.clientHeight };
  const most = Math.max(0, rowCount * rowHeight() - (size.height - AXIS));
  state.scroll = Math.max(0, Math.min(most, state.scroll));
  drawGantt();
  drawOverview();
}
