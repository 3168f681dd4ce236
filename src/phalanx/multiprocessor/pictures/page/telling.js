// What is said about work and its numbers, the legend and the search. Texts are only ever set as
// text.
const numbersOf = (set) => once(`numbers ${set}`, () => {
  const packed = given.numbers[set];
  if (!packed) return null;
  return new Float32Array(Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0)).buffer);
});
const digits = (number) => Number.isNaN(number) ? "nothing" : Number(number.toPrecision(5)).toString();

function valuesTable(title, quantities, row) {
  const parts = [element("h2", title)];
  const table = element("table", undefined, "numbers");
  for (const [name, slots, count] of quantities) {
    const places = Array.isArray(slots) ? slots : Array.from({ length: count }, (_, k) => slots + k);
    const shownOnes = places.slice(0, 9).map((slot) => digits(row[slot])).join(",  ");
    const line = element("tr");
    line.append(element("td", words[name]), element("td", shownOnes + (count > 9 ? ", …" : "")));
    table.append(line);
  }
  return [...parts, table];
}

function factTable(facts) {
  const table = element("table");
  for (const [key, value] of facts) {
    const line = element("tr");
    line.append(element("td", key), element("td", value));
    table.append(line);
  }
  return table;
}

function describe(bar, into) {
  into.replaceChildren();
  if (bar.bars) {
    into.append(element("div", given.groups[bar.group], "name"),
      element("div", `${bar.bars.length} of ${members[bar.group].length} work, `
        + `${shown(bar.start)} to ${timeText(bar.end)}`, "label"));
    return;
  }
  const heading = element("div", undefined, "name"), swatch = element("i", undefined, "swatch");
  swatch.style.background = colorOf(bar.set);
  heading.append(swatch, works.name[bar.work]);
  into.append(heading);
  if (works.label[bar.work]) into.append(element("div", works.label[bar.work], "label"));
  const facts = [[given.setNames.length ? "in" : "set", given.setNames[bar.set] ?? String(bar.set)], ["at", sites.name[bar.site]],
    ["time", `${shown(bar.start)} to ${timeText(bar.end)}`]];
  if (bar.free < bar.end) facts.push(["occupied", `until ${timeText(bar.free)}`]);
  if (words[works.kind[bar.work]] && words[works.kind[bar.work]] !== given.setNames[bar.set]) facts.splice(1, 0, ["kind", words[works.kind[bar.work]]]);
  into.append(factTable(facts));
  const row = numbersOf(bar.set);
  if (row === null) {
    const first = Object.keys(given.numbers).length;
    if (first) into.append(element("div", `Numbers are kept for the first ${first} sets.`, "label"));
    return;
  }
  if (works.reads[bar.work].length) into.append(...valuesTable("reads", works.reads[bar.work], row));
  if (works.writes[bar.work].length) into.append(...valuesTable("results", works.writes[bar.work], row));
}

function showTip(bar, x, y) {
  tip.hidden = !bar;
  if (!bar) return;
  describe(bar, tip);
  if (bar.bars) {
    for (const one of bar.bars.slice(0, MOST_TOLD)) tip.append(workLine(one, "div"));
    if (bar.bars.length > MOST_TOLD) tip.append(element("div", `and ${bar.bars.length - MOST_TOLD} more`));
  }
  putTip(x, y);
}

function workLine(bar, kind) {
  const line = element(kind), swatch = element("i", undefined, "swatch");
  swatch.style.background = colorOf(bar.set);
  line.append(swatch, `${works.name[bar.work]} of ${setName(bar.set)}`);
  return line;
}

function select(bar) {
  state.selected = bar;
  const panel = byId("details");
  panel.hidden = !bar;
  if (bar) {
    describe(bar, panel);
    if (bar.bars) {
      panel.append(element("h2", "at work"));
      const list = element("ul");
      for (const one of bar.bars) {
        const item = element("li"), button = workLine(one, "button");
        button.type = "button";
        button.addEventListener("click", () => goTo(one));
        item.append(button);
        list.append(item);
      }
      panel.append(list);
    } else {
      tellStores(bar, panel);
    }
    byId("spoken").textContent = panel.textContent;
  } else {
    byId("spoken").textContent = "";
  }
  redraw();
}

function tellStores(bar, panel) { // how full the buffers are from which it reads, until it reads
  const read = new Set(works.reads[bar.work].map(([name]) => words[name]));
  const own = storesAt[bar.site].filter((store) => read.has(stores.name[store]));
  if (!own.length) return;
  panel.append(element("h2", "waited in buffers, until now"));
  const before = bar.start - span * 1e-7;
  panel.append(factTable(own.slice(0, MOST_TOLD).map((store) => {
    const filled = amountAt(fillOf(`store ${store}`, [store]).fill, before) / stores.words[store];
    return [stores.name[store], `${filled} of ${stores.depth[store]} places`];
  })));
}

function goTo(bar) {
  const group = sites.group[bar.site];
  if (state.view === "time" && isNode(group)) state.open.add(group);
  layRows();
  reveal(bar);
  select(bar);
}

function reveal(bar) {
  const wide = state.to - state.from;
  if (bar.start < state.from || bar.end > state.to) {
    const middle = (bar.start + bar.end) / 2;
    look(middle - wide / 2, middle + wide / 2);
  }
  setMoment(stepAt(bar.start));
  const r = rows.findIndex((row) => row.site === bar.site), thick = rowHeight(), y = yOf(r);
  if (y < AXIS) state.scroll -= AXIS - y;
  if (y + thick > size.height) state.scroll += y + thick - size.height;
}

function barAt(x, y) {
  if (x < GUTTER || y < AXIS) return null;
  const row = rows[Math.floor((y - AXIS + state.scroll) / rowHeight())];
  if (!row) return null;
  const bars = row.site === null ? stretchesOf(row.group) : barsOf(row.site);
  const time = timeAt(x), pixel = (state.to - state.from) / (size.width - GUTTER);
  let near = null;
  for (let k = firstAfter(bars, time - pixel); k < bars.length && bars[k].start <= time + pixel; k++) {
    const inside = bars[k].start <= time && time < bars[k].end;
    if (inside || (near === null && bars[k].end >= time - pixel)) near = bars[k];
  }
  return near;
}

// ---- legend and search -------------------------------------------------------------------
const MOST_SETS = 48;
function makeLegend() {
  const legend = byId("legend");
  for (let set = 0; set < Math.min(given.sets, MOST_SETS); set++) {
    const button = element("button"), swatch = element("i");
    swatch.style.background = colorOf(set);
    button.type = "button";
    button.title = "Show only this set";
    button.append(swatch, element("span", given.setNames[set] ?? (set ? String(set) : "set 0")));
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      state.isolated = state.isolated === set ? null : set;
      [...legend.querySelectorAll("button")].forEach((other, k) =>
        other.setAttribute("aria-pressed", String(k === state.isolated)));
      redraw();
    });
    legend.append(button);
  }
  const marks = [["free", "idle"]];
  if (isPipelined) marks.push(["tail", "in a pipeline"]);
  if (stores.name.length) marks.push(["filled", "values waiting"]);
  if (given.sets > MOST_SETS) legend.append(element("span", `and ${given.sets - MOST_SETS} more sets`));
  for (const [kind, text] of marks) {
    const mark = element("span");
    mark.append(element("i", undefined, kind), text);
    legend.append(mark);
  }
}

const find = byId("find");
find.addEventListener("input", () => {
  const wanted = find.value.trim().toLowerCase();
  const matching = (texts) => new Set(texts.flatMap((text, k) => text.toLowerCase().includes(wanted) ? [k] : []));
  state.matches = null;
  if (wanted) {
    const found = new Set([...matching(works.name), ...matching(works.label)]);
    state.matches = { works: found, sites: matching(sites.name) };
  }
  const count = state.matches ? [...sites.name.keys()].filter((site) => barsOf(site).some((bar) => !isDimmed(bar))).length : 0;
  byId("found").textContent = state.matches ? `in ${count} of ${sites.name.length} cells` : "";
  redraw();
});
find.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !state.matches) return;
  const found = [...sites.name.keys()].flatMap((site) => barsOf(site).filter((bar) => !isDimmed(bar)));
  if (!found.length) return;
  found.sort((a, b) => a.start - b.start || a.site - b.site);
  goTo(found[(found.findIndex((bar) => same(bar, state.selected)) + 1) % found.length]);
});
