// The page: curves are drawn as the server computes them, and what a person drags goes to it at once.

import { COLOURS, Plot } from "./curves.js";
import { Link } from "./link.js";
import { scaled, shares, units, unpack } from "./sheet.js";

const NOTICE = 7000; // ms
const NEAR = 12; // px from a waypoint

const $ = (id) => document.getElementById(id);
const text = (id, value) => {
  if ($(id).textContent !== value) $(id).textContent = value;
};

let me = null; // the machine and its limits
let sheet = null; // the curves
let joint = 0;
let chosen = 0; // waypoint
let second = "velocity"; // what the second plot shows
let playing = false;
let unlocked = false;
let held = null; // what is dragged: {waypoint, joint, gesture, shift}
let gesture = 0;
let serial = 0;
let pending = null; // the last move, until it is answered
const asked = new Map(); // when a move was sent, by its number
const plots = {
  position: new Plot($("plots"), "position", "Position"),
  rate: new Plot($("plots"), "rate", "Velocity"),
  torque: new Plot($("plots"), "torque", "Torque"),
  share: new Plot($("plots"), "share", "Torque of all joints", true),
};
window.plots = plots; // for whoever drives the page by program
window.latencies = []; // ms from a drag to curves drawn, the last of them

// -- drawing ------------------------------------------------------------------------------------

const colour = (j) => COLOURS[j % COLOURS.length];
const known = (value, factor = 1) => (value === null ? undefined : value * factor);
const defined = (values) => values.filter((v) => v !== undefined);

function draw() {
  if (!me || !sheet) return;
  const { head, times } = sheet;
  const unit = units(me.angles[joint]);
  const alike = me.joints.map((_, j) => j).filter((j) => me.angles[j] === me.angles[joint] && j !== joint);
  const order = [...alike, joint]; // the chosen one on top
  const bands = (quantities) =>
    head.violations.filter((one) => quantities.includes(one.quantity)).map((one) => [one.from, one.to, one.joint === joint]);
  const curves = (rows, factor, limits) =>
    order.map((j) => ({ values: scaled(rows[j], factor), colour: colour(j), strong: j === joint, ...(j === joint ? limits : {}) }));

  const [lowest, highest] = me.position[joint].map((v) => known(v, unit.factor));
  plots.position.entitle(`Position [${unit.position}]`, `${me.joints[joint]}: drag its points`);
  plots.position.show(
    {
      times,
      curves: curves(sheet.q, unit.factor, { low: lowest, high: highest }),
      limits: defined([lowest, highest]),
      bands: bands(["position"]),
      points: order.flatMap((j) =>
        head.times.map((time, k) => ({
          time, value: head.waypoints[k][j] * unit.factor, colour: colour(j), strong: j === joint, chosen: j === joint && k === chosen,
        })),
      ),
    },
    head.duration,
    unit.factor === 1 ? 0.1 : 10,
  );

  const fast = second === "velocity";
  const limit = fast ? known(me.velocity[joint], unit.factor) : undefined;
  const below = limit === undefined ? undefined : -limit;
  plots.rate.entitle(fast ? `Velocity [${unit.velocity}]` : `Acceleration [${unit.acceleration}]`, "");
  plots.rate.show(
    { times, curves: curves(fast ? sheet.v : sheet.a, unit.factor, { low: below, high: limit }), limits: defined([limit, below]), bands: fast ? bands(["velocity"]) : [] },
    head.duration,
    unit.factor === 1 ? 0.1 : 10,
  );

  const [low, high] = me.torque[joint].map((v) => known(v));
  const none = low === undefined && high === undefined;
  plots.torque.entitle(`Torque [${unit.torque}]`, `${me.joints[joint]}${none ? ": no limit known" : ""}`);
  plots.torque.show(
    { times, curves: [{ values: sheet.torque[joint], colour: colour(joint), strong: true, low, high }], limits: defined([low, high]),
      bands: bands(["torque", "torque rate"]).filter(([, , strong]) => strong) },
    head.duration,
    1e-3,
  );

  const limited = me.joints.map((_, j) => j).filter((j) => me.torque[j].some((v) => v !== null));
  plots.share.entitle("Torque of all joints [% of limit]", limited.length ? "" : "no limits known: give --torque-limit");
  plots.share.show(
    {
      times,
      curves: [...limited.filter((j) => j !== joint), ...limited.filter((j) => j === joint)].map((j) => ({
        values: shares(sheet.torque[j], me.torque[j]), colour: colour(j), strong: j === joint, low: -100, high: 100,
      })),
      limits: limited.length ? [100, -100] : [],
      bands: bands(["torque", "torque rate"]),
    },
    head.duration,
    10,
  );
  drawLists(unit);
}

function drawLists(unit) {
  const { head } = sheet;
  const beyond = new Set(head.violations.map((one) => one.joint));
  [...$("joints").children].forEach((button, j) => {
    button.setAttribute("aria-pressed", String(j === joint));
    button.classList.toggle("beyond", beyond.has(j));
  });
  $("undo").disabled = !head.undo;
  $("redo").disabled = !head.redo;
  text("duration", head.duration.toFixed(3));
  text("rows", head.rows.toLocaleString("en"));
  text("timing", head.optimal ? "time-optimal" : "spline");
  const count = head.violations.length + head.further;
  const limited = [me.torque, me.position, me.velocity, me.torque_rate].flat(2).some((v) => v !== null);
  const kept = limited ? "All limits are kept" : "No limits are known";
  text("verdict", count ? `${count} ${count === 1 ? "place" : "places"} beyond limits` : kept);
  $("verdict").classList.toggle("unknown", !limited);
  $("verdict").classList.toggle("beyond", count > 0);
  const list = $("violations");
  while (list.children.length > head.violations.length) list.lastChild.remove();
  head.violations.forEach((one, k) => {
    if (!list.children[k]) list.append(violationItem());
    const item = list.children[k].firstChild;
    item.dataset.joint = one.joint;
    item.dataset.time = one.time;
    const [time, what, by] = item.children;
    time.textContent = `${one.time.toFixed(3)} s`;
    what.textContent = `${me.joints[one.joint]}: ${one.quantity}`;
    by.textContent = excess(one);
  });
  chosen = Math.min(chosen, head.times.length - 1);
  text("waypoint_name", `Waypoint ${chosen + 1} of ${head.times.length}`);
  text("waypoint_unit", unit.position);
  fill("waypoint_time", head.times[chosen]);
  fill("waypoint_position", head.waypoints[chosen][joint] * unit.factor);
  $("waypoint_time").disabled = chosen === 0;
  $("remove").disabled = chosen === 0 || chosen === head.times.length - 1;
}

function violationItem() {
  const item = document.createElement("li");
  item.innerHTML = "<button><span></span><span></span><b></b></button>";
  item.firstChild.onclick = (event) => {
    const { joint: j, time } = event.currentTarget.dataset;
    choose(Number(j));
    ask("seek", { time: Number(time) });
  };
  return item;
}

// By how much a limit is passed, as a share of it.
function excess({ value, limit, quantity, joint: j }) {
  const by = Math.abs(value - limit);
  if (quantity === "position" || limit === 0) {
    const unit = units(me.angles[j]);
    return `${(by * unit.factor).toPrecision(3)} ${unit.position}`;
  }
  return `+${((100 * by) / Math.abs(limit)).toPrecision(3)} %`;
}

function fill(id, value) {
  if (document.activeElement !== $(id)) $(id).value = Number.isFinite(value) ? value.toFixed(3) : "";
}

// -- asking -------------------------------------------------------------------------------------

function ask(type, facts = {}) {
  if (me?.locked && !unlocked) return openLock();
  link.send(type, facts);
}

const press = (what) => ask("do", { what });

// since: when the person did it, on the page's clock
function move(waypoint, j, position, time, which, since = performance.now()) {
  serial += 1;
  asked.set(serial, since);
  pending = { serial, waypoint, joint: j, position };
  sheet.head.waypoints[waypoint][j] = position; // the next key counts from here, answered or not
  ask("move", { waypoint, joint: j, position, time, gesture: which, serial });
}

function choose(j) {
  if (!me || j >= me.joints.length) return;
  joint = j;
  draw();
}

for (const what of ["undo", "redo", "reset", "scale", "optimise"]) $(what).onclick = () => press(what);
$("save").onclick = () => link.send("do", { what: "save" });
$("play").onclick = () => ask("play", { on: !playing });
$("help_button").onclick = () => $("help").showModal();
$("remove").onclick = () => ask("remove", { waypoint: chosen });
$("waypoint").onsubmit = (event) => {
  event.preventDefault();
  const position = $("waypoint_position").valueAsNumber / units(me.angles[joint]).factor;
  const time = $("waypoint_time").valueAsNumber;
  if (!Number.isFinite(position) || !Number.isFinite(time)) return notice("A waypoint has a time and a position, both numbers.");
  document.activeElement.blur();
  move(chosen, joint, position, time, ++gesture);
};

// -- dragging -----------------------------------------------------------------------------------

// The waypoint under the pointer: {waypoint, joint}, of the chosen joint if several are near.
function under(event) {
  if (!sheet) return null;
  const plot = plots.position;
  const factor = units(me.angles[joint]).factor;
  let best = null, least = NEAR;
  me.joints.forEach((_, j) => {
    if (me.angles[j] !== me.angles[joint]) return;
    sheet.head.times.forEach((time, k) => {
      const way = Math.hypot(plot.x(time) - event.offsetX, plot.y(sheet.head.waypoints[k][j] * factor) - event.offsetY);
      const far = j === joint ? way - NEAR / 2 : way;
      if (far < least) (least = far), (best = { waypoint: k, joint: j });
    });
  });
  return best;
}

let dragged = null; // the newest place of the pointer, until the display is drawn

function sendDrag() {
  if (!dragged || !held) return;
  const { position, time, since } = dragged;
  dragged = null;
  move(held.waypoint, held.joint, position, time, held.gesture, since);
}

const canvas = plots.position.canvas;
canvas.addEventListener("pointerdown", (event) => {
  const found = under(event);
  if (!found || event.button !== 0) return;
  if (me.locked && !unlocked) return openLock();
  joint = found.joint;
  chosen = found.waypoint;
  held = { ...found, gesture: ++gesture };
  plots.position.grabbed = [...plots.position.range];
  canvas.setPointerCapture(event.pointerId);
  canvas.classList.add("held");
  draw();
});
canvas.addEventListener("pointermove", (event) => {
  if (!held) return canvas.classList.toggle("near", under(event) !== null);
  const plot = plots.position;
  const before = sheet.head.waypoints[held.waypoint][held.joint];
  const first = dragged === null;
  dragged = event.shiftKey
    ? { position: before, time: plot.timeAt(event.offsetX) }
    : { position: plot.valueAt(event.offsetY) / units(me.angles[held.joint]).factor, time: null };
  dragged.since = event.timeStamp;
  if (first) requestAnimationFrame(sendDrag);
});
for (const end of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(end, () => {
    if (!held) return;
    sendDrag();
    held = null;
    plots.position.grabbed = null;
    canvas.classList.remove("held");
    draw();
  });
}
canvas.addEventListener("dblclick", (event) => {
  if (!under(event)) ask("insert", { time: plots.position.timeAt(event.offsetX) });
});

// A click or a drag anywhere else shows the arm at that time.
for (const plot of Object.values(plots)) {
  let seeking = false;
  const seek = (event) => ask("seek", { time: plot.timeAt(event.offsetX) });
  plot.canvas.addEventListener("pointerdown", (event) => {
    if (held || !sheet || event.button !== 0) return;
    seeking = true;
    plot.canvas.setPointerCapture(event.pointerId);
    seek(event);
  });
  plot.canvas.addEventListener("pointermove", (event) => seeking && seek(event));
  for (const end of ["pointerup", "pointercancel"]) plot.canvas.addEventListener(end, () => (seeking = false));
}

const change = Object.assign(document.createElement("button"), { id: "second", textContent: "Show acceleration" });
change.onclick = () => {
  second = second === "velocity" ? "acceleration" : "velocity";
  change.textContent = second === "velocity" ? "Show acceleration" : "Show velocity";
  draw();
};
plots.rate.head.append(change);

// -- keyboard -----------------------------------------------------------------------------------

function nudge(way, fine) {
  const step = units(me.angles[joint]).nudge * (fine ? 0.1 : 1);
  move(chosen, joint, sheet.head.waypoints[chosen][joint] + way * step, null, ++gesture);
}

window.addEventListener("keydown", (event) => {
  if (!sheet || event.altKey || event.target.closest?.("input, dialog[open]")) return;
  const count = sheet.head.times.length;
  const control = event.ctrlKey || event.metaKey;
  const button = event.target.closest?.("button");
  const actions = control
    ? { KeyZ: () => press(event.shiftKey ? "redo" : "undo"), KeyY: () => press("redo") }
    : {
        ...(button ? {} : { Space: () => $("play").click() }),
        ArrowLeft: () => ((chosen = (chosen + count - 1) % count), draw()),
        ArrowRight: () => ((chosen = (chosen + 1) % count), draw()),
        ArrowUp: () => nudge(1, event.shiftKey),
        ArrowDown: () => nudge(-1, event.shiftKey),
        Delete: () => ask("remove", { waypoint: chosen }),
      };
  const digit = !control && /^Digit([1-9])$/.exec(event.code);
  const action = digit ? () => choose(Number(digit[1]) - 1) : actions[event.code];
  if (!action) return;
  event.preventDefault();
  action();
});

// A button that was clicked gives the keyboard back; one that was reached by keys keeps it.
document.addEventListener("click", (event) => event.detail && event.target.closest("button")?.blur());

// -- hearing ------------------------------------------------------------------------------------

function hear(message) {
  if (message instanceof ArrayBuffer) return take(unpack(message));
  switch (message.type) {
    case "hello": return welcome(message);
    case "place": return place(message);
    case "notice":
      pending = null; // it may be why a move is not answered
      return notice(message.text);
    case "saved": return download(message);
    case "unlocked":
      unlocked = true;
      return notice("You may edit.");
  }
}

function welcome(message) {
  me = message;
  unlocked = !me.locked;
  joint = Math.min(joint, me.joints.length - 1);
  document.title = `${me.machine} – trajectory`;
  text("machine", me.machine);
  $("optimise").disabled = !me.optimal;
  if (!me.optimal) $("optimise").title = "Needs an extra: pip install 'phalanx[trajectory]'";
  $("joints").replaceChildren(
    ...me.joints.map((name, j) => {
      const button = document.createElement("button");
      const mark = document.createElement("i");
      mark.style.background = colour(j);
      button.append(mark, name);
      button.onclick = () => choose(j);
      return button;
    }),
  );
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  const view = `http://${location.hostname}:${me.view_port}/`;
  if (!$("view").src) $("view").src = token ? `${view}?token=${encodeURIComponent(token)}` : view;
  if (me.locked && token) link.send("unlock", { token });
  asked.clear();
}

function take(found) {
  sheet = found;
  if (pending && found.head.serial >= pending.serial) pending = null;
  if (pending) found.head.waypoints[pending.waypoint][pending.joint] = pending.position;
  draw();
  const sent = asked.get(found.head.serial);
  if (sent === undefined) return;
  for (const old of asked.keys()) if (old <= found.head.serial) asked.delete(old);
  // the next picture begins when this one is on its way to the screen
  requestAnimationFrame(() => {
    const took = performance.now() - sent;
    window.latencies = [...window.latencies.slice(-999), took];
    text("latency", took.toFixed(0));
  });
}

function place({ time, playing: on }) {
  playing = on;
  text("time", time.toFixed(3));
  text("play", playing ? "Stop" : "Play");
  for (const plot of Object.values(plots)) plot.cursor = time;
}

function download({ text: content, name }) {
  const address = URL.createObjectURL(new Blob([content], { type: "text/csv" }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
  notice(`Saved as ${name}.`);
}

function notice(content) {
  const sentence = content.charAt(0).toUpperCase() + content.slice(1);
  const note = Object.assign(document.createElement("p"), { textContent: sentence });
  $("notices").append(note);
  while ($("notices").children.length > 3) $("notices").firstChild.remove();
  setTimeout(() => note.classList.add("fading"), NOTICE - 500);
  setTimeout(() => note.remove(), NOTICE);
}

function openLock() {
  if (!$("lock").open) $("lock").showModal();
}
$("lock_form").onsubmit = (event) => {
  if (event.submitter?.value === "unlock") link.send("unlock", { token: $("token").value });
  $("token").value = "";
};

const link = new Link(hear, (state, reason) => {
  $("link").dataset.state = state;
  $("link").lastChild.textContent = reason;
  document.body.classList.toggle("lost", state !== "open");
});
