"use strict";
// Draws a plan on a canvas. The plan is data in the page; its texts are only ever set as text.
(() => {
  const plan = JSON.parse(document.getElementById("plan").textContent);
  const byId = (id) => document.getElementById(id);
  const canvas = byId("gantt"), overview = byId("overview"), tip = byId("tip");
  const FONT = '12px system-ui, "Segoe UI", Roboto, sans-serif';
  const AXIS = 26, TALLEST_ROW = 56, LOWEST_ROW = 9, MOST_LINES = 300, MOST_NAMES = 60;
  const CRITICAL = { groups: ["on the critical path", "not on it"], colors: ["#d55e00", "#9fb0c0"] };

  // ---- the plan, sorted by row -------------------------------------------------------------
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
    ? `${plan.row_kind} ${row}` : `wire ${wires[row - plan.processors]}`;

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

  // ---- drawing -----------------------------------------------------------------------------
  const readable = (color) => {
    const [r, g, b] = [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16));
    return 0.299 * r + 0.587 * g + 0.114 * b < 140 ? "#ffffff" : "#1d2733";
  };

  function isDimmed(task) {
    if (state.isolated !== null && groupOf(task) !== state.isolated) return true;
    if (state.matches && !state.matches.has(task)) return true;
    return state.related !== null && !state.related.has(task);
  }

  // the first bar of a row that can be seen after a time
  function firstAfter(row, time) {
    let low = 0, high = row.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row[middle].reach < time) low = middle + 1; else high = middle;
    }
    return low;
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

  function drawRow(pen, row, y, thick, palette) {
    let lastX = -1;
    for (let k = firstAfter(row, state.from); k < row.length && row[k].start <= state.to; k++) {
      const bar = row[k];
      const x = xOf(bar.start), wide = xOf(bar.end) - x;
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

  function frame(pen, x, y, wide, high, color, line) {
    pen.lineWidth = line;
    pen.strokeStyle = color;
    if (wide > 2 * line) {
      pen.strokeRect(x + line / 2, y + line / 2, wide - line, high - line);
    } else {
      pen.fillStyle = color;
      pen.fillRect(x, y + high - 3, Math.max(wide, 1), 3);
    }
    pen.lineWidth = 1;
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

  // how busy the processors are in each pixel of the overview
  let busy = [];
  function measureBusy(columns) {
    busy = new Float64Array(columns);
    const perColumn = span / columns;
    for (const bar of bars) {
      const first = Math.max(0, Math.floor(bar.start / perColumn));
      const last = Math.min(columns - 1, Math.floor(bar.end / perColumn));
      for (let k = first; k <= last; k++) {
        const inside = Math.min(bar.end, (k + 1) * perColumn) - Math.max(bar.start, k * perColumn);
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

  // ---- texts: only textContent, so that a task's name is never markup ------------------------
  function element(kind, text, className) {
    const made = document.createElement(kind);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function facts(bar) {
    const found = [["operations", tasks.operations[bar.task]]];
    if (tasks.link_name[bar.task]) found.unshift(["link", tasks.link_name[bar.task]]);
    if (bar.message) {
      const { source, destination, words, wire } = bar.message;
      found.push(["message", `${words} word${words === 1 ? "" : "s"} from ${source} to ${destination}`],
        ["on wire", `${wire}, ${shown(bar.start)} to ${timeText(bar.end)}`]);
      return found;
    }
    found.push([plan.row_kind, String(bar.row)], ["start", timeText(bar.start)],
      ["end", timeText(bar.end)]);
    if (critical.has(bar.task)) found.push(["critical path", "yes"]);
    return found;
  }

  function describe(bar, into) {
    into.replaceChildren(element("div", tasks.name[bar.task], "name"));
    if (tasks.label[bar.task]) into.append(element("div", tasks.label[bar.task], "label"));
    const table = element("table");
    for (const [key, value] of facts(bar)) {
      const line = element("tr");
      line.append(element("td", key), element("td", value));
      table.append(line);
    }
    into.append(table);
  }

  const names = (list, most) => list.slice(0, most).map((task) => tasks.name[task]).join(", ")
    + (list.length > most ? ` and ${list.length - most} more` : "");

  function showTip(bar, x, y) {
    tip.hidden = bar === null;
    if (bar === null) return;
    describe(bar, tip);
    const table = tip.querySelector("table");
    for (const [key, list] of [["waits for", tasks.before[bar.task]], ["waited for by", after[bar.task]]]) {
      const line = element("tr");
      line.append(element("td", key), element("td", list.length ? names(list, 6) : "nothing"));
      table.append(line);
    }
    const top = canvas.offsetTop;
    const beside = x + 18 + tip.offsetWidth < size.width ? x + 18 : x - tip.offsetWidth - 12;
    tip.style.left = `${Math.max(0, beside)}px`;
    tip.style.top = `${Math.max(0, Math.min(y + 16, size.height - tip.offsetHeight) + top)}px`;
  }

  function select(bar) {
    state.selected = bar;
    state.related = bar && new Set([bar.task, ...tasks.before[bar.task], ...after[bar.task]]);
    const panel = byId("details");
    panel.hidden = bar === null;
    if (bar !== null) {
      describe(bar, panel);
      for (const [title, list, kind] of [["waits for", tasks.before[bar.task], "before"],
        ["waited for by", after[bar.task], "after"]]) {
        panel.append(element("h2", `${title} (${list.length})`, kind));
        const items = element("ul");
        for (const task of list.slice(0, MOST_NAMES)) {
          const item = element("li"), button = element("button", tasks.name[task]);
          button.type = "button";
          button.addEventListener("click", () => goTo(task));
          item.append(button);
          items.append(item);
        }
        if (list.length > MOST_NAMES) items.append(element("li", `and ${list.length - MOST_NAMES} more`));
        panel.append(items);
      }
      byId("spoken").textContent = `${tasks.name[bar.task]} ${tasks.label[bar.task]}, `
        + facts(bar).map((pair) => pair.join(" ")).join(", ")
        + `, waits for ${names(tasks.before[bar.task], 8) || "nothing"}`;
    } else {
      byId("spoken").textContent = "";
    }
    redraw();
  }

  function goTo(task) {
    const bar = barOf.get(task);
    if (!bar) return;
    reveal(bar);
    select(bar);
  }

  // ---- legend and buttons ------------------------------------------------------------------
  function makeWays() {
    const usable = Object.keys(ways).filter((way) => ways[way].groups.length > 1 || way === "kind");
    for (const way of usable) {
      const button = element("button", way === "critical" ? "Critical path" : `By ${way}`);
      button.type = "button";
      button.dataset.way = way;
      button.addEventListener("click", () => paint(way));
      byId("ways").append(button);
    }
  }

  function paint(way) {
    state.way = way;
    state.isolated = null;
    for (const button of byId("ways").children) {
      button.setAttribute("aria-pressed", String(button.dataset.way === way));
    }
    const legend = byId("legend");
    legend.replaceChildren();
    const { groups, colors: palette } = ways[way];
    groups.forEach((group, k) => {
      const button = element("button");
      button.type = "button";
      button.title = "Show only these";
      const swatch = element("i");
      swatch.style.background = palette[k];
      button.append(swatch, element("span", group));
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        state.isolated = state.isolated === k ? null : k;
        [...legend.querySelectorAll("button")].forEach((other, n) =>
          other.setAttribute("aria-pressed", String(n === state.isolated)));
        redraw();
      });
      legend.append(button);
    });
    const marks = [["idle", "idle"]];
    if (way !== "critical") marks.unshift(["critical", "critical path"]);
    if (wrong.size) marks.push(["wrong", "breaks a rule"]);
    for (const [kind, text] of marks) {
      const mark = element("span");
      mark.append(element("i", undefined, kind), text);
      legend.append(mark);
    }
    redraw();
  }

  const find = byId("find");
  function search() {
    const wanted = find.value.trim().toLowerCase();
    state.matches = null;
    if (wanted) {
      const found = tasks.name.map((text, task) => task).filter((task) =>
        tasks.name[task].toLowerCase().includes(wanted)
        || tasks.label[task].toLowerCase().includes(wanted));
      state.matches = new Set(found);
    }
    byId("found").textContent = state.matches ? `${state.matches.size} of ${tasks.name.length}` : "";
    redraw();
  }
  find.addEventListener("input", search);
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !state.matches || !state.matches.size) return;
    const found = [...state.matches].filter((task) => barOf.has(task));
    const exact = found.find((task) => tasks.name[task].toLowerCase() === find.value.trim().toLowerCase());
    const at = state.selected ? found.indexOf(state.selected.task) : -1;
    goTo(at < 0 && exact !== undefined ? exact : found[(at + 1) % found.length]);
  });
  byId("closer").addEventListener("click", () => zoom(0.5));
  byId("wider").addEventListener("click", () => zoom(2));
  byId("whole").addEventListener("click", () => look(0, span));
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    setTheme(root.dataset.theme === "dark" ? "light" : "dark");
  });
  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    readColors();
    redraw();
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
})();
