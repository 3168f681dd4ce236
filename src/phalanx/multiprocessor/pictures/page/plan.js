// The plan, sorted by row, and what the page shows of it now.
const plan = given;
const canvas = byId("gantt"), overview = byId("overview");
const AXIS = 26, TALLEST_ROW = 56, LOWEST_ROW = 9, MOST_LINES = 300, MOST_NAMES = 60;
const CRITICAL = { groups: ["on the critical path", "not on it"], colors: ["#d55e00", "#9fb0c0"] };

const { tasks, wires, unit } = plan;
const critical = new Set(plan.critical);
const after = tasks.name.map(() => []);
tasks.before.forEach((list, task) => list.forEach((other) => after[other].push(task)));
const wireRow = new Map(wires.map((wire, k) => [wire, plan.processors + k]));
// a pipelined processor is free before the results of a task are there
const bars = plan.bars.map(([task, row, start, end, free = end]) => ({ task, row, start, end, free }));
const isPipelined = bars.some((bar) => bar.free < bar.end);
const hops = plan.hops.map(([task, source, destination, words, wire, start, end]) =>
  ({ task, row: wireRow.get(wire), start, end, free: end, message: { source, destination, words, wire } }));
const held = plan.held.map(([task, source, destination, words, wire, row, start, end]) =>
  ({ task, row, start, end, free: end, message: { source, destination, words, wire } }));
const rowCount = plan.processors + wires.length;
const rows = Array.from({ length: rowCount }, () => []);
for (const bar of [...bars, ...hops, ...held]) rows[bar.row].push(bar);
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

const timeText = (time) => `${shown(time)} ${unit}`;
const rowHeight = () => Math.max(
  LOWEST_ROW, Math.min(TALLEST_ROW, (size.height - AXIS - 4) / Math.max(rowCount, 1)));
const yOf = (row) => AXIS + row * rowHeight() - state.scroll;

function drawAll() {
  size = { width: canvas.clientWidth, height: canvas.clientHeight };
  const most = Math.max(0, rowCount * rowHeight() - (size.height - AXIS));
  state.scroll = Math.max(0, Math.min(most, state.scroll));
  drawGantt();
  drawOverview();
}
