// The array: sites in nodes, what each does for which set, and what the page shows of it now.
const { sites, works, stores, unit, palette, words } = given;
const canvas = byId("grid");
const AXIS = 26, TALLEST_ROW = 44, LOWEST_ROW = 14, CELL_ROW = 19, MOST_TOLD = 14;
const span = given.span || 1;
const colorOf = (set) => palette[set % palette.length];
const setName = (set) => given.setNames[set] ?? `set ${set}`;
const timeText = (time) => `${shown(time)} ${unit}`;

// ---- who does what -----------------------------------------------------------------------
const members = given.groups.map(() => []);
sites.group.forEach((group, site) => members[group].push(site));
const isNode = (group) => members[group].length > 1;

function indexed({ patterns }, count) { // for each pattern the entries of each site or store
  return patterns.map(([, , where]) => {
    const found = Array.from({ length: count }, () => []);
    where.forEach((one, k) => found[one].push(k));
    return found;
  });
}
const eventsAt = indexed(given.events, sites.name.length);
const isPipelined = given.events.patterns.some((pattern) => pattern.length > 4);
const stayedIn = indexed(given.waiting, stores.name.length);
const storesAt = sites.name.map(() => []);
stores.site.forEach((site, store) => storesAt[site].push(store));

const kept = new Map(); // what was put together once: bars of sites, layers of nodes, fills
function once(key, make) {
  if (!kept.has(key)) kept.set(key, make());
  return kept.get(key);
}

// all that a site does, in order of time
const barsOf = (site) => once(`bars ${site}`, () => {
  const bars = [];
  for (const [set, begin, pattern] of given.events.waves) {
    const [starts, ends, , work, occupied] = given.events.patterns[pattern];
    for (const k of eventsAt[pattern][site]) { // a pipeline is free before the results are there
      const start = starts[k] + begin, end = ends[k] + begin;
      bars.push({ site, work: work[k], set, start, end, free: occupied ? start + occupied[k] : end });
    }
  }
  return inOrder(bars);
});

function inOrder(bars) {
  bars.sort((a, b) => a.start - b.start || a.end - b.end || a.set - b.set);
  // bars of a wrong plan may overlap: how far those up to here reach can be searched in any case
  bars.forEach((bar, k) => { bar.reach = Math.max(bar.end, k ? bars[k - 1].reach : bar.end); });
  return bars;
}

// from moment to moment what occupies a node: {start, end, bars}
const stretchesOf = (group) => once(`stretches ${group}`, () => {
  const bars = inOrder(members[group].flatMap(barsOf).filter((bar) => bar.free > bar.start));
  const moments = distinct(bars.flatMap((bar) => [bar.start, bar.free]));
  const stretches = moments.slice(0, -1).map((start, k) =>
    ({ group, start, end: moments[k + 1], reach: moments[k + 1], bars: [] }));
  let first = 0;
  for (const bar of bars) {
    while (stretches[first].end <= bar.start + span * 1e-9) first++;
    for (let k = first; k < stretches.length && stretches[k].start < bar.free - span * 1e-9; k++) {
      stretches[k].bars.push(bar);
    }
  }
  for (const one of stretches) one.bars.sort((a, b) => a.set - b.set || a.site - b.site);
  return stretches.filter((one) => one.bars.length);
});

function distinct(times) { // in order, but for rounding
  const sorted = Float64Array.from(times).sort();
  return [...sorted.filter((time, k) => !k || time - sorted[k - 1] > span * 1e-9)];
}

// numbers that wait in some stores, from moment to moment: [time, numbers from then on]
function fillOf(key, some) {
  return once(`fill ${key}`, () => {
    const changes = [];
    for (const [, begin, pattern] of given.waiting.waves) {
      const [starts, ends] = given.waiting.patterns[pattern];
      for (const store of some) {
        for (const k of stayedIn[pattern][store]) {
          if (ends[k] === starts[k]) continue;
          changes.push([starts[k] + begin, stores.words[store]], [ends[k] + begin, -stores.words[store]]);
        }
      }
    }
    changes.sort((a, b) => a[0] - b[0]);
    const fill = [];
    let now = 0;
    for (const [time, by] of changes) {
      now += by;
      if (fill.length && time - fill.at(-1)[0] < span * 1e-9) fill.at(-1)[1] = now;
      else fill.push([time, now]);
    }
    return { fill, most: fill.reduce((most, [, amount]) => Math.max(most, amount), 1) };
  });
}
const storesOf = (row) => row.site === null ? members[row.group].flatMap((site) => storesAt[site])
  : storesAt[row.site];
const rowFill = (row) => fillOf(row.site === null ? `node ${row.group}` : `site ${row.site}`, storesOf(row));

// The steps of the page: from tick to tick if everything begins and ends with the tick of a clock,
// else from moment to moment at which something does.
const changes = distinct(given.events.waves.flatMap(([, begin, pattern]) => {
  const [starts, ends, , , occupied = []] = given.events.patterns[pattern];
  const frees = occupied.map((time, k) => starts[k] + time);
  return once(`times ${pattern}`, () => distinct([...starts, ...ends, ...frees])).map((time) => time + begin);
}));
const moments = ticks(changes) || changes;
if (moments.length < 2) moments.push((moments[0] ?? 0) + span);
function ticks(times) {
  const tick = times.slice(1).reduce((least, time, k) => Math.min(least, time - times[k]), span);
  const isTick = (time) => Math.abs(time / tick - Math.round(time / tick)) < 1e-6;
  if (span / tick > 20000 || !times.every(isTick)) return null;
  return Array.from({ length: Math.round(span / tick) + 1 }, (_, k) => k * tick);
}

// ---- what the page shows now -------------------------------------------------------------
const state = {
  from: 0, to: span, scroll: 0, hover: null, selected: null, isolated: null, matches: null,
  moment: 0, view: "time", open: new Set(),
};
let rows = [];
function layRows() { // a row for each node; below those that are unfolded one for each cell
  rows = [];
  given.groups.forEach((_, group) => {
    rows.push({ group, site: isNode(group) ? null : members[group][0], inside: false });
    if (isNode(group) && state.open.has(group)) {
      for (const site of members[group]) rows.push({ group, site, inside: true });
    }
  });
}
layRows();
const rowHeight = () => Math.max(state.open.size ? CELL_ROW : LOWEST_ROW,
  Math.min(TALLEST_ROW, (size.height - AXIS - 4) / Math.max(rows.length, 1)));
const yOf = (row) => AXIS + row * rowHeight() - state.scroll;
const begun = () => moments[state.moment];
const ended = () => moments[state.moment + 1];
const isNow = (bar) => bar.start < ended() - span * 1e-9 && bar.free > begun() + span * 1e-9;

const partName = (site) => isNode(sites.group[site])
  && sites.name[site].startsWith(`${given.groups[sites.group[site]]} · `)
  ? sites.name[site].slice(given.groups[sites.group[site]].length + 3) : sites.name[site];
const ruler = canvas.getContext("2d");
ruler.font = FONT;
const widest = (texts) => texts.reduce((most, text) => Math.max(most, ruler.measureText(text).width), 0);
const GUTTER = 40 + Math.ceil(Math.min(240, Math.max(
  widest([`time [${unit}]`, "numbers waiting"]), widest(given.groups),
  widest(sites.name.slice(0, 4000).map((_, site) => partName(site))))));

function isDimmed(bar) {
  if (state.isolated !== null && bar.set !== state.isolated) return true;
  return state.matches !== null && !state.matches.works.has(bar.work) && !state.matches.sites.has(bar.site);
}

function drawAll() {
  const main = state.view === "time" ? canvas : byId("array");
  size = { width: main.clientWidth, height: main.clientHeight };
  if (state.view === "time") {
    const most = Math.max(0, rows.length * rowHeight() - (size.height - AXIS));
    state.scroll = Math.max(0, Math.min(most, state.scroll));
    drawGrid();
  } else {
    drawLayout();
  }
  drawStores();
}
